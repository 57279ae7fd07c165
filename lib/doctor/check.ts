import type { Config } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import { firstLineOf } from "../expected_error.ts";
import { untilAborted } from "../work/async.ts";

/** No check takes longer. */
const MAX_MS = 10_000;
/** What is asked gets somewhat less time than the check, so that its own reason is shown. */
export const CHECK_TIMEOUT_MS = MAX_MS - 1_500;

/** What a check found. `fail`: something is to be done. `off`: there is nothing to check. */
interface Finding {
  readonly state: "ok" | "fail" | "off";
  /** One line, without secrets; for `fail` it ends with what to do. */
  readonly text: string;
}

/** What checks look at. */
export interface CheckContext {
  readonly config: Config;
  /** Null: it cannot be opened, or there is none yet. */
  readonly database: Promise<Database | null>;
}

/** One thing that can be well or not. */
export interface Check {
  readonly name: string;
  run(context: CheckContext): Promise<Finding>;
}

export const ok = (text: string): Finding => ({ state: "ok", text });
export const fail = (text: string): Finding => ({ state: "fail", text });
export const off = (text: string): Finding => ({ state: "off", text });

/** What a check found, with its name. */
export type NamedFinding = Finding & { readonly name: string };

/** Runs checks side by side. */
export function runChecks(
  checks: readonly Check[],
  context: CheckContext,
): Promise<NamedFinding[]> {
  return Promise.all(
    checks.map(async (check) => ({ name: check.name, ...await runCheck(check, context) })),
  );
}

/** Runs a check in bounded time; one that fails or hangs has found a problem. */
async function runCheck({ run }: Check, context: CheckContext): Promise<Finding> {
  const tooLong = AbortSignal.timeout(MAX_MS);
  const found = run(context).catch((error) => fail(firstLineOf(error)));
  return await untilAborted(found, tooLong)
    .catch(() => fail(`No response within ${MAX_MS / 1000} s. Try again later`));
}
