import type { Config } from "../config/config.ts";
import { readServerTime } from "../database/server_facts_sql.ts";
import { Assets } from "../http/assets/assets.ts";
import { isLoopback } from "../http/outgoing/checked_addresses.ts";
import { ConfiguredSources } from "../import/schedule/configured_sources.ts";
import { isAddress } from "../import/fetching/location.ts";
import { VERSION } from "../version.ts";
import { type Check, type CheckContext, fail, off, ok } from "./check.ts";

/** Dates in mails and the order of changes suffer from more. */
const MAX_SKEW_SECONDS = 30;
const ANSWER_MS = 5_000;

const settings: Check = {
  name: "settings",
  // deno-lint-ignore require-await
  async run({ config }) {
    const { BASE_URL, HOST, smtp, ADMIN_USER_HEADER } = config;
    const { hostname, protocol } = new URL(BASE_URL);
    if (smtp !== null && isLoopback(hostname)) {
      return fail(`Links in emails point to ${BASE_URL}. Set BASE_URL to the public address`);
    }
    const by = config.BACKGROUND_JOBS ? "" : ", background jobs run by schedulers only";
    const proxies = protocol === "https:" && config.TRUSTED_PROXIES === 0
      ? "; behind a proxy set TRUSTED_PROXIES, otherwise all clients count as one"
      : "";
    const operators = ADMIN_USER_HEADER !== null && !isOfThisMachine(HOST)
      ? `; HOST=${HOST} lets others than the proxy connect: ${ADMIN_USER_HEADER} counts only from this ` +
        "machine and ADMIN_PROXY"
      : "";
    return ok(
      `Roadcast ${VERSION}, "${config.SITE_NAME}" at ${BASE_URL}${by}${proxies}${operators}`,
    );
  },
};

/** Whether only this machine can connect to a host that is listened on. */
function isOfThisMachine(host: string): boolean {
  return host === "localhost" || /^127\.|^\[?::1\]?$/.test(host);
}

const pages: Check = {
  name: "pages",
  async run({ config }) {
    const { hasIslands } = await Assets.load(config);
    return hasIslands
      ? ok("their scripts are built")
      : fail("their scripts are not built. Run `deno task build`");
  },
};

const clock: Check = {
  name: "clock",
  async run(context) {
    const [ofDatabase, ofOther] = await Promise.all([
      readDatabaseClock(context),
      readRemoteClock(context),
    ]);
    const known = [ofDatabase, ofOther].filter((skew) => skew !== null);
    if (known.length === 0) return off("nothing to compare it with");
    const wrong = known.find(({ seconds }) => Math.abs(seconds) > MAX_SKEW_SECONDS);
    if (wrong) {
      const by = `${Math.abs(wrong.seconds)} s ${wrong.seconds > 0 ? "ahead of" : "behind"}`;
      return fail(`This clock is ${by} that of ${wrong.of}. Let NTP set both`);
    }
    return ok(`agrees with ${known.map(({ of }) => of).join(" and ")}`);
  },
};

interface Skew {
  /** Positive: this clock is ahead. */
  seconds: number;
  of: string;
}

/** The embedded database has the clock of this machine. */
async function readDatabaseClock({ config, database }: CheckContext): Promise<Skew | null> {
  if (config.DATABASE_URL === null) return null;
  const opened = await database.catch(() => null);
  if (opened === null) return null;
  return compare(await readServerTime(opened), "the database");
}

/** The first address at hand: any HTTP answer has its time (RFC 9110, section 6.6.1). */
async function readRemoteClock({ config }: CheckContext): Promise<Skew | null> {
  const address = await findAddress(config);
  if (address === null) return null;
  const { origin, host } = new URL(address);
  const signal = AbortSignal.timeout(ANSWER_MS);
  const headers = { "user-agent": config.SOURCE_USER_AGENT };
  const answer = await fetch(origin, { method: "HEAD", redirect: "manual", headers, signal })
    .catch(() => null);
  await answer?.body?.cancel();
  const date = Date.parse(answer?.headers.get("date") ?? "");
  return Number.isNaN(date) ? null : compare(date, host);
}

async function findAddress(config: Config): Promise<string | null> {
  const sources = await ConfiguredSources.read(config).catch(() => null);
  const source = sources?.current.find(({ from }) => isAddress(from));
  return source?.from ?? config.embedding?.baseUrl ?? null;
}

function compare(theirs: number, of: string): Skew {
  return { seconds: Math.round((Date.now() - theirs) / 1000), of };
}

/** The checks of the settings and the scripts, which are shown first, and of the clock. */
export const SETTINGS_CHECKS: readonly Check[] = [settings, pages];
export const CLOCK_CHECKS: readonly Check[] = [clock];
