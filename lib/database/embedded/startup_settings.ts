import { ProtocolViolation } from "./wire.ts";

/** The parameters of a StartupMessage that are no settings. */
const NO_SETTINGS = ["user", "database", "options"];

/** One word of `options`, in which a backslash stands before a blank. */
const WORD = /(?:\\[^]|[^\s\\])+/g;

/**
 * The settings that a client asks for when it connects, by parameters of its StartupMessage and by
 * `options`, which are arguments as those of `postgres`.
 *
 * @throws {ProtocolViolation} if an option is no setting
 */
export function readStartupSettings(parameters: ReadonlyMap<string, string>) {
  const settings: Record<string, string> = {};
  const words = [...(parameters.get("options") ?? "").matchAll(WORD)]
    .map(([word]) => word.replace(/\\([^])/g, "$1"));
  for (let index = 0; index < words.length; index++) {
    const option = words[index] === "-c" ? `-c${words[++index] ?? ""}` : words[index]!;
    const [, name, value] = /^(?:-c|--)([^=]+)=([^]*)$/.exec(option) ?? [];
    if (name === undefined) {
      throw new ProtocolViolation(
        `invalid command-line argument for server process: ${option}`,
        "42601",
      );
    }
    settings[name.replaceAll("-", "_")] = value!;
  }
  for (const [name, value] of parameters) {
    // Those that begin so are extensions of the protocol.
    if (!NO_SETTINGS.includes(name) && !name.startsWith("_pq_.")) settings[name] = value;
  }
  return settings;
}
