import { readPosts } from "../import/announcements/follow_announcements.ts";
import {
  type ConfiguredSource,
  ConfiguredSources,
  importOptions,
} from "../import/schedule/configured_sources.ts";
import { listVariables } from "../import/schedule/source_secrets.ts";
import { readLastRuns } from "../import/import_runs_sql.ts";
import { SourceRefusal } from "../import/fetching/fetch_address.ts";
import { isAddress } from "../import/fetching/location.ts";
import { describeProblem } from "../import/snapshot_error.ts";
import { trySource } from "../import/read_source.ts";
import { firstLineOf } from "../expected_error.ts";
import { isoDate } from "../text/dates.ts";
import { countOf } from "../text/phrases.ts";
import { systemClock } from "../work/system_clock.ts";
import { type Check, type CheckContext, fail, off, ok, TIMEOUT_MS } from "./check.ts";

/** What was found of one source. */
type Trial = { ok: string } | { wrong: string };

/** Tries each source and its announcements by one request, and stores nothing. */
export const sources: Check = {
  name: "sources",
  async run(context) {
    const { current } = await ConfiguredSources.read(context.config);
    if (current.length === 0) return off("none: import by `deno task import FILE-OR-URL`");
    const trials = await Promise.all(current.flatMap((source) => [
      tryReading(source, context),
      ...source.announcements ? [tryAnnouncements(source, source.announcements, context)] : [],
    ]));
    const wrong = trials.flatMap((trial) => "wrong" in trial ? trial.wrong : []);
    if (wrong.length > 0) return fail(wrong.join(" "));
    const read = trials.flatMap((trial) => "ok" in trial ? trial.ok : []);
    const last = await describeLast(current, context);
    return ok(`${countOf(current.length, "source")} can be read: ${read.join(", ")}${last}`);
  },
};

async function tryReading(source: ConfiguredSource, { config }: CheckContext): Promise<Trial> {
  const { name, from } = source;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const { kind, rowCount: items, problems } = await trySource(from, {
      ...await importOptions(config, source),
      asOf: isoDate(systemClock()),
      signal,
    });
    const [problem] = problems.kept;
    if (!problem) return { ok: `${name} (${[kind, countOf(items, "item")].join(", ")})` };
    const more = problems.total > 1 ? ` (and ${countOf(problems.total - 1, "more problem")})` : "";
    const advice = `\`deno task import ${JSON.stringify(name)} --dry-run\` shows how it is read.`;
    return { wrong: `${name}: ${describeProblem(problem)}${more}. ${advice}` };
  } catch (error) {
    const reason = signal.aborted
      ? `no complete page within ${TIMEOUT_MS / 1000} s`
      : firstLineOf(error);
    return { wrong: `${name}: ${reason}. ${adviseOn(error, source, reason)}` };
  }
}

async function tryAnnouncements(
  { name, headers: _, ...source }: ConfiguredSource,
  address: string,
  { config: { SOURCE_USER_AGENT: userAgent } }: CheckContext,
): Promise<Trial> {
  const shown = `announcements of ${name}`;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const read = await readPosts(address, { userAgent, signal, pausesMs: [] });
    return { ok: `${shown} (${countOf(read?.posts.length ?? 0, "post")})` };
  } catch (error) {
    const reason = signal.aborted
      ? `no complete feed within ${TIMEOUT_MS / 1000} s`
      : firstLineOf(error);
    return {
      wrong: `${shown}: ${reason}. ${adviseOn(error, { ...source, name, from: address }, reason)}`,
    };
  }
}

/** What to do about a source that cannot be read. */
function adviseOn(error: unknown, source: ConfiguredSource, reason: string): string {
  const { from } = source;
  const variables = listVariables(source).join(", ");
  const status = error instanceof SourceRefusal ? error.status : null;
  if (status === 401 || status === 403 && variables) {
    if (/; check [A-Z_]+/.test(reason)) return "The token may be missing, expired or too narrow.";
    return variables
      ? `Set ${variables} to a token that may read it.`
      : 'Give it a token: "headers" of the source in ROADMAP_CONFIG, with env:NAME as the value.';
  }
  if (status === 403) return 'Set SOURCE_USER_AGENT, or give it a token by "headers".';
  if (status === 404 || status === 410) return "Check its address, or whether a login is needed.";
  if (/dns error|lookup address/i.test(reason)) return "Check the name of the host, and DNS here.";
  if (/certificate/.test(reason)) return "Set DENO_CERT or DENO_TLS_CA_STORE.";
  if (/Connection refused|unreachable/i.test(reason)) return "Check that it runs there.";
  if (/no complete|sent nothing/.test(reason)) return "Try again later, or use smaller pages.";
  if (/no such file|permission denied/.test(reason)) {
    return "Check the path; in ROADMAP_CONFIG it begins at the folder of that file.";
  }
  return isAddress(from)
    ? "Check its address and kind; see docs/sources.md."
    : "See docs/sources.md.";
}

/** How many sources the last import of failed; it may do so for what stands further on. */
async function describeLast(
  sources: readonly ConfiguredSource[],
  { database }: CheckContext,
): Promise<string> {
  const opened = await database.catch(() => null);
  if (opened === null) return "";
  const runs = await readLastRuns(opened, sources.map(({ name }) => name)).catch(() => []);
  const failed = runs.filter(({ error }) => error !== null).map(({ source_name }) => source_name);
  return failed.length > 0 ? `; the last import failed of ${failed.join(", ")}` : "";
}
