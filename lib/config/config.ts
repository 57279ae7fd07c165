import { ExpectedError } from "../expected_error.ts";
import { ENV_FILE_VARIABLE, FORMER_NAMES, HOST_VARIABLE, SETTING_NAMES } from "./setting_names.ts";
import { findConflicts } from "./rules.ts";
import { describeTaken, SETTINGS } from "./settings.ts";
import { toConfig } from "./to_config.ts";

/** Settings are invalid; the message has one line per mistake. */
export class ConfigError extends ExpectedError {}

/** The validated settings of a process; `settings.ts` says what each one means. */
export type Config = Readonly<ReturnType<typeof toConfig>> & {
  /** By name: the settings that are set, as they were given, secrets included. */
  readonly given: Readonly<Record<string, GivenSetting>>;
};

/**
 * Reads the settings from environment variables; an empty one counts as unset.
 *
 * ```ts
 * const config = readConfig({ PORT: "9000", SITE_NAME: "" });
 * if (config.baseUrl !== "http://localhost:9000") throw new Error(config.baseUrl);
 * if (config.siteName !== "Roadcast") throw new Error(config.siteName);
 * ```
 *
 * @throws {ConfigError} that lists every wrong setting, else every conflict, one per line
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const texts = Object.fromEntries(
    SETTING_NAMES.map((name) => {
      const former = environment[FORMER_NAMES[name] ?? ""]?.trim();
      return [name, environment[name]?.trim() || former || undefined];
    }),
  );
  const { data: values, error } = SETTINGS.safeParse(texts);
  if (error) {
    const wrong = SETTING_NAMES.filter((name) => error.issues.some(({ path }) => path[0] === name));
    throw new ConfigError(
      wrong.map((name) => `${name} takes ${describeTaken(name)}, not ${shown(name, texts[name])}`)
        .join("\n"),
    );
  }
  const isOnDeploy = Boolean(environment[HOST_VARIABLE]);
  const conflicts = [...findConflicts(values, isOnDeploy)];
  if (conflicts.length > 0) throw new ConfigError(conflicts.join("\n"));
  return Object.freeze({ ...toConfig(values, isOnDeploy), given: findGiven(texts, environment) });
}

/** A setting that is set. */
export interface GivenSetting {
  readonly text: string;
  readonly from: "environment" | ".env";
}

/** The settings that are set, each with where it comes from. */
function findGiven(
  texts: Readonly<Record<string, string | undefined>>,
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, GivenSetting>> {
  const ofFile = (environment[ENV_FILE_VARIABLE] ?? "").split(",");
  const isOfFile = (name: string) => {
    const former = FORMER_NAMES[name as keyof typeof FORMER_NAMES];
    return ofFile.includes(name) || !environment[name] && former && ofFile.includes(former);
  };
  return Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) =>
      text === undefined ? [] : [[name, { text, from: isOfFile(name) ? ".env" : "environment" }]]
    ),
  );
}

/** Service addresses and keys may contain secrets, which no message may repeat. */
function shown(name: string, text: string | undefined): string {
  return /URL|KEY|SECRET|TOKEN|MAILBOX/.test(name) && name !== "BASE_URL"
    ? "the value given"
    : `"${text}"`;
}
