import { withBounceMailbox } from "../delivery/bounces/bounce_mailbox.ts";
import { reasonOf } from "../delivery/mail/mail.ts";
import { openMailer } from "../delivery/mail/mailer.ts";
import { readPause } from "../delivery/outbox/mail_state_sql.ts";
import { readRefusingHosts } from "../delivery/outbox/outbox_sql.ts";
import { firstLineOf } from "../expected_error.ts";
import { AccessTokens } from "../http/outgoing/access_tokens.ts";
import { fetchPosts } from "../import/announcements/follow_announcements.ts";
import { FetchError } from "../import/fetching/fetch_address.ts";
import { isAddress } from "../import/fetching/location.ts";
import { readLastRuns } from "../import/import_runs_sql.ts";
import { trySource } from "../import/read_source.ts";
import type { ConfiguredSource } from "../import/sources/configured_source.ts";
import {
  importOptions,
  mayBePrivate,
  readAllSources,
} from "../import/sources/configured_sources.ts";
import { listVariables } from "../import/sources/source_secrets.ts";
import { describeProblem } from "../import/snapshot_error.ts";
import type { explainUnembedded } from "../search/embed_items.ts";
import { findSet } from "../search/embeddings_sql.ts";
import { describeMinSimilarity } from "../search/semantic_search.ts";
import { isoDate } from "../text/dates.ts";
import { capitalise, countOf, toLine } from "../text/phrases.ts";
import { systemClock, untilAborted } from "../work/async.ts";
import { type Check, CHECK_TIMEOUT_MS, type CheckContext, fail, off, ok } from "./check.ts";
import { CLOCK_CHECKS, DATABASE_CHECKS, SETTINGS_CHECKS } from "./server_checks.ts";

/** What was found of one source. */
type Trial = { ok: string } | { wrong: string };

/** A process has so many sources in memory at once. */
const SOURCES_AT_ONCE = 4;
/** How long the sources that are stored may keep the others waiting. */
const DATABASE_MS = 5_000;

/** Tries each source and its announcements by one request, and stores nothing. */
const sources: Check = {
  name: "sources",
  async run(context) {
    // Without a database those of the configuration are tried: why it is away is said elsewhere.
    const inTime = AbortSignal.timeout(CHECK_TIMEOUT_MS);
    const late = AbortSignal.timeout(DATABASE_MS);
    const database = await untilAborted(context.database, late).catch(() => null);
    const untried = database === null && late.aborted
      ? "; the database is slow, so sources added at /admin/sources were not tried"
      : "";
    const { current } = await readAllSources(context.config, database);
    if (current.length === 0) {
      return off(`none: import one with \`deno task import FILE-OR-URL\`${untried}`);
    }
    const trials = await tryInTime(
      current.flatMap((source): Trying[] => {
        const { name, announcements, headers: _, ...others } = source;
        const reading = { name, source, run: tryReading };
        if (!announcements) return [reading];
        const posts = { ...others, name, from: announcements };
        return [reading, {
          name: `announcements of ${name}`,
          source: posts,
          run: tryAnnouncements,
        }];
      }),
      context,
      inTime,
    );
    const wrong = trials.flatMap((trial) => "wrong" in trial ? trial.wrong : []);
    if (wrong.length > 0) return fail(wrong.join(" ") + untried);
    const read = trials.flatMap((trial) => "ok" in trial ? trial.ok : []);
    const last = await describeLast(current, context);
    return ok(
      `${countOf(current.length, "source")} can be read: ${read.join(", ")}${last}${untried}`,
    );
  },
};

/** What is tried, until the signal. */
interface Trying {
  name: string;
  source: ConfiguredSource;
  run(source: ConfiguredSource, context: CheckContext, signal: AbortSignal): Promise<Trial>;
}

/** Tries some at once, until the signal; those whose turn never came are one line. */
async function tryInTime(
  all: readonly Trying[],
  context: CheckContext,
  signal: AbortSignal,
): Promise<Trial[]> {
  const trials: Trial[] = [];
  const waiting = all.entries();
  const inTurn = async () => {
    for (const [place, { name, source, run }] of waiting) {
      if (signal.aborted) return;
      trials[place] = await untilAborted(run(source, context, signal), signal).then(
        (trial) => "ok" in trial ? { ok: `${name} (${trial.ok})` } : trial,
        (error) => {
          const reason = firstLineOf(error);
          const wrong = signal.aborted
            ? "no complete response in time. Try again later, or use smaller pages."
            : `${reason}. ${adviseOn(error, source, reason)}`.trimEnd();
          return { wrong: `${name}: ${wrong}` };
        },
      );
    }
  };
  await Promise.all(Array.from({ length: SOURCES_AT_ONCE }, inTurn));
  const late = all.filter((_, place) => trials[place] === undefined).map(({ name }) => name);
  const shown = [...late.slice(0, 3), ...late.length > 3 ? [`${late.length - 3} more`] : []];
  return [
    ...trials.filter((trial) => trial !== undefined),
    ...late.length > 0 ? [{ wrong: `Not checked in time: ${shown.join(", ")}.` }] : [],
  ];
}

async function tryReading(
  source: ConfiguredSource,
  { config }: CheckContext,
  signal: AbortSignal,
): Promise<Trial> {
  const { name, from } = source;
  const { kind, rowCount: items, problems } = await trySource(from, {
    ...await importOptions(config, source),
    asOf: isoDate(systemClock()),
    signal,
  });
  const [problem] = problems.kept;
  if (!problem) return { ok: [kind, countOf(items, "item")].join(", ") };
  const more = problems.total > 1 ? ` (and ${countOf(problems.total - 1, "more problem")})` : "";
  const advice = `\`deno task import ${JSON.stringify(name)} --dry-run\` shows how it is read.`;
  return { wrong: `${name}: ${describeProblem(problem)}${more}. ${advice}` };
}

async function tryAnnouncements(
  source: ConfiguredSource,
  { config }: CheckContext,
  signal: AbortSignal,
): Promise<Trial> {
  const read = await fetchPosts(source.from, {
    userAgent: config.SOURCE_USER_AGENT,
    allowsPrivate: mayBePrivate(source, config),
    signal,
    pausesMs: [],
  });
  return { ok: countOf(read?.posts.length ?? 0, "post") };
}

/** What to do about a source that cannot be read. */
function adviseOn(error: unknown, source: ConfiguredSource, reason: string): string {
  const { from } = source;
  const variables = listVariables(source).join(", ");
  const status = error instanceof FetchError && !error.mayPass ? error.status : null;
  if (status === 401 || status === 403 && variables) {
    if (/; check [A-Z_]+/.test(reason)) return "The token may be missing, expired or too narrow.";
    return variables
      ? `Set ${variables} to a token that may read it.`
      : 'Give it a token: "headers" of the source in ROADMAP_CONFIG, with env:NAME as the value.';
  }
  if (status === 403) return 'Set SOURCE_USER_AGENT, or give it a token by "headers".';
  if (status === 404 || status === 410) return "Check its address, or whether a login is needed.";
  if (/certificate/.test(reason)) return "Set DENO_CERT or DENO_TLS_CA_STORE.";
  // Why there is no connection says what to check.
  if (/: (?:check|try) /.test(reason)) return "";
  if (/sent nothing/.test(reason)) return "Try again later, or use smaller pages.";
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

const mail: Check = {
  name: "mail server",
  async run({ config, database }) {
    if (config.smtp === null) return off("SMTP_URL is not set: emails are written to the log");
    const { host, username, password } = new URL(config.smtp.url);
    const hasToken = username !== "" && password === "" && config.mailOauth !== null;
    const mailer = await openMailer(config, CHECK_TIMEOUT_MS);
    const error = await mailer.verify();
    mailer.close();
    if (error === null) {
      const held = await describePause(database) ?? await describeRefusing(database);
      if (held !== null) return fail(held);
      const login = hasToken ? "the access token" : "the user and password";
      const what = username === ""
        ? "answers. SMTP_URL names no user, so the first email shows whether it accepts them"
        : `accepts ${login}`;
      const advice = config.LINK_ACTION === "get" ? [SCANNED_LINKS] : [];
      return ok([`${host} ${what}`, ...advice].join(". "));
    }
    const said = reasonOf(error);
    const reason = said.includes(host) ? capitalise(said) : `${host}: ${said}`;
    return fail(`${reason}. ${adviseMail(error, { hasToken })}`);
  },
};

/** What to set where a mail server cannot be used. */
function adviseMail(error: unknown, { hasToken }: { hasToken: boolean }): string {
  const { code, responseCode } = error as { code?: string; responseCode?: number };
  if (code !== "EAUTH") {
    return responseCode === 504
      ? NAME_ADVICE
      : "Set SMTP_URL to a server that accepts emails from Roadcast";
  }
  return hasToken
    ? "Check MAIL_OAUTH_CLIENT_ID and its scope, or set a password in SMTP_URL"
    : "Check the user and password in SMTP_URL, or set MAIL_OAUTH_TOKEN_URL, " +
      "MAIL_OAUTH_CLIENT_ID and MAIL_OAUTH_CLIENT_SECRET where it takes access tokens only";
}

/** RFC 5321, section 4.1.1.1: a server may refuse who greets it with a name that it does not know. */
const NAME_ADVICE = "It wants the full name of the machine that greets it: set BASE_URL to the " +
  "address of the site, or add ?name=mail.example.com to SMTP_URL";

/** Why all emails wait, and what to set; null: they do not. */
async function describePause(database: CheckContext["database"]): Promise<string | null> {
  const opened = await database.catch(() => null);
  const pause = opened && await readPause(opened, new Date()).catch(() => null);
  if (!pause) return null;
  if (pause.kind === "busy") {
    return `The mail server asks to slow down, so all emails wait a little: ${pause.reason}. ` +
      "Set MAIL_RATE to the emails a minute that it accepts";
  }
  // At a login it is about the way to sign in.
  const advice = /\b504\b/.test(pause.reason) && !pause.reason.includes("EAUTH")
    ? NAME_ADVICE
    : "Set SMTP_URL to a server that accepts emails from Roadcast, and MAIL_FROM to an address " +
      "that it lets this service send as";
  return `Emails are not being sent: ${pause.reason}. ${advice}`;
}

const SCANNED_LINKS = "Some mail servers open every link to scan it, which confirms and " +
  "unsubscribes people: LINK_ACTION=confirm asks them first";

/** Whom a host has something against, and what to do; null where no host has. */
async function describeRefusing(database: CheckContext["database"]): Promise<string | null> {
  const opened = await database.catch(() => null);
  const [first, ...others] = (opened && await readRefusingHosts(opened).catch(() => null)) ?? [];
  if (!first) return null;
  const also = others.length > 0 ? ` So do ${others.map(({ host }) => host).join(", ")}.` : "";
  return `${first.host} rejects emails to all of its addresses (${
    countOf(first.mails, "email")
  } kept and retried for a day): ${first.reason}.${also} ` +
    "Ask the host or the blocklist that it names to accept your mail server";
}

const bounces: Check = {
  name: "bounce mailbox",
  async run({ config: { BOUNCE_MAILBOX: bounceMailbox, mailOauth } }) {
    if (bounceMailbox === null) {
      return off("BOUNCE_MAILBOX is not set: returned emails are not read");
    }
    const times = { silenceMs: CHECK_TIMEOUT_MS, maxMs: CHECK_TIMEOUT_MS };
    try {
      const settings = { ...bounceMailbox, tokens: mailOauth && new AccessTokens(mailOauth) };
      const { length } = await withBounceMailbox(settings, times, (mailbox) => mailbox.list());
      const { host, folder } = bounceMailbox;
      return ok(`${folder} at ${host}, ${countOf(length, "unread notification")}`);
    } catch (error) {
      return fail(`${firstLineOf(error)}. Set BOUNCE_MAILBOX to a mailbox that Roadcast can read`);
    }
  },
};

const embeddings: Check = {
  name: "embeddings",
  async run({ config: { embedding }, database }) {
    if (embedding === null) return off("OPENAI_API_KEY is not set: search is by words");
    // Its client library takes 20 MB.
    const { EmbeddingService } = await import("../search/embedding_service.ts");
    const { explainUnembedded: explain } = await import("../search/embed_items.ts");
    const service = new EmbeddingService(embedding);
    const limits = { timeout: CHECK_TIMEOUT_MS / 2, maxRetries: 0 };
    try {
      const [vector] = await service.embed(["Roadcast"], service, limits);
      if (!vector) throw service.zeroVector();
    } catch (error) {
      return fail(`${firstLineOf(error)}. See OPENAI_BASE_URL, OPENAI_API_KEY, EMBEDDING_MODEL`);
    }
    const opened = await database.catch(() => null);
    const set = opened && await findSet(opened, service).catch(() => null);
    const minSimilarity = describeMinSimilarity({
      set: embedding.minSimilarity,
      measured: set?.min_similarity ?? null,
    });
    const left = set && await explain(opened!, service, set, limits).catch(() => null);
    return ok(
      `${service.model} at ${service.origin}, ${service.dimensions} dimensions, ` +
        `minimum similarity ${minSimilarity}${left ? `; ${describeLeft(left)}` : ""}`,
    );
  },
};

/** Releases without a vector are found by their words alone. */
function describeLeft(
  { count, name, reason }: NonNullable<Awaited<ReturnType<typeof explainUnembedded>>>,
): string {
  const texts = count === 1 ? "1 text has no vector" : `${count} texts have no vector`;
  const first = count === 1 ? "" : "the first is ";
  return `${texts}: ${first}“${toLine(name)}”, ${reason ?? "which was not embedded yet"}`;
}

/** The checks of what other machines offer, in the order in which they are shown. */
export const SERVICE_CHECKS: readonly Check[] = [mail, bounces, embeddings, sources];

/** The checks of a running server; its port is in use, and its disk only the command looks at. */
export const SERVER_CHECKS: readonly Check[] = [
  ...SETTINGS_CHECKS,
  ...DATABASE_CHECKS,
  ...SERVICE_CHECKS,
  ...CLOCK_CHECKS,
];
