import { AsyncLocalStorage } from "node:async_hooks";
import {
  configure,
  getAnsiColorFormatter,
  getConsoleSink,
  getLogger,
  jsonLinesFormatter,
  type LogLevel,
} from "@logtape/logtape";

/** Where the parts of the service say what happens; silent until `startLog`. */
export const log = getLogger(["roadcast"]);

/** Writes the log to the console: coloured lines on a terminal, else one JSON object a line. */
export async function startLog(lowestLevel: LogLevel = "info"): Promise<void> {
  const formatter = Deno.stdout.isTerminal()
    ? getAnsiColorFormatter({ timestamp: "time", category: () => "" })
    : jsonLinesFormatter;
  await configure({
    contextLocalStorage: new AsyncLocalStorage(),
    sinks: { console: getConsoleSink({ formatter }) },
    loggers: [
      { category: "roadcast", lowestLevel, sinks: ["console"] },
      { category: ["logtape", "meta"], lowestLevel: "warning", sinks: ["console"] },
    ],
  });
}
