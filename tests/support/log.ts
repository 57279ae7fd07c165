import { configure, reset } from "@logtape/logtape";

/** Records the log of the service, from here to the end of the test. */
export async function recordLog(): Promise<AsyncDisposable & { readonly lines: string[] }> {
  const lines: string[] = [];
  await configure({
    reset: true,
    sinks: {
      lines: ({ level, message, properties }) =>
        lines.push(`${level} ${message.join("")} ${JSON.stringify(properties)}`),
    },
    loggers: [
      { category: "roadcast", lowestLevel: "info", sinks: ["lines"] },
      { category: ["logtape", "meta"], lowestLevel: "warning", sinks: [] },
    ],
  });
  return { lines, [Symbol.asyncDispose]: () => reset() };
}
