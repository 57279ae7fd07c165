import { AsyncLocalStorage } from "node:async_hooks";
import {
  configure,
  getAnsiColorFormatter,
  getConsoleSink,
  jsonLinesFormatter,
  type LogLevel,
  type Sink,
} from "@logtape/logtape";

/** Lines are buffered for this long: a busy server writes once for many requests. */
const GATHER_MS = 20;

/** Writes the log to the console: coloured lines on a terminal, else one JSON object a line. */
export async function startLog(lowestLevel: LogLevel = "info"): Promise<void> {
  const console = Deno.stdout.isTerminal()
    ? getConsoleSink({
      formatter: getAnsiColorFormatter({ timestamp: "time", category: () => "" }),
    })
    : gatherLines();
  await configure({
    contextLocalStorage: new AsyncLocalStorage(),
    sinks: { console },
    loggers: [
      { category: "roadcast", lowestLevel, sinks: ["console"] },
      { category: ["logtape", "meta"], lowestLevel: "warning", sinks: ["console"] },
    ],
  });
}

/** Writes JSON lines: warnings and errors at once, others within GATHER_MS or as the process ends. */
function gatherLines(): Sink {
  const urgent = getConsoleSink({ formatter: jsonLinesFormatter });
  let gathered = "";
  const write = () => {
    if (gathered !== "") console.info(gathered.trimEnd());
    gathered = "";
  };
  for (const event of ["unload", "error", "unhandledrejection"]) addEventListener(event, write);
  return (record) => {
    if (!["trace", "debug", "info"].includes(record.level)) {
      write();
      return urgent(record);
    }
    if (gathered === "") Deno.unrefTimer(setTimeout(write, GATHER_MS));
    gathered += jsonLinesFormatter(record);
  };
}
