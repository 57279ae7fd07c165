import { getLogger } from "@logtape/logtape";
import type { Config } from "../../config/config.ts";
import type { Database } from "../../database/database.ts";
import { addSchedule, doIfDue } from "../../database/leases.ts";
import { ExpectedError, firstLineOf } from "../../expected_error.ts";
import { explainConnection, rawReasonOf } from "../../http/outgoing/connection_reason.ts";
import { toLine } from "../../text/phrases.ts";
import { secretParameters, withoutSecrets } from "../../text/secrets.ts";
import { FEEDS } from "../../roadmap/feed_addresses.ts";
import { cacheTagOf } from "../../http/responses/representation.ts";
import { type Site, sitesOf } from "../../roadmap/sites.ts";
import { noteSeen, readUnseen, type Unseen } from "./notified_services_sql.ts";

const log = getLogger(["roadcast", "hubs"]);

const ANSWER_MS = 10_000;
/** After a failure the next attempts follow after these seconds, and then each after the last of them. */
const PAUSES = [30, 120, 600, 3_600, 4 * 3_600];
/** IndexNow takes no more addresses at once. */
const MAX_ADDRESSES = 10_000;
/** The pages that show every change. */
const CHANGING_PAGES = ["/", "/changelog"];

/** A service outside that wants to know which addresses have changed. */
interface NotifiedService {
  readonly name: string;
  /** Notifies it of these changes. @throws {ExpectedError} where it does not accept that */
  notify(changes: Unseen, signal: AbortSignal): Promise<void>;
}

/** The services that the settings name. */
export function notifiedServices(config: Config): NotifiedService[] {
  const { WEBSUB_HUB: hub, indexNow, CDN_PURGE_URL: purgeUrl } = config;
  const sites = sitesOf(config);
  return [
    ...hub ? [{ name: "websub", notify: hubOf(hub, sites) }] : [],
    ...indexNow
      ? [{ name: "indexnow", notify: notifySearchEngine.bind(null, indexNow, sites[0]!) }]
      : [],
    ...purgeUrl ? [{ name: "cdn", notify: purge.bind(null, purgeUrl, config) }] : [],
  ];
}

/** Notifies a service of what has changed since it was last notified, by one process over all; whether it did. */
export async function notifyService(
  database: Database,
  service: NotifiedService,
  signal: AbortSignal,
): Promise<boolean> {
  const most = MAX_ADDRESSES - CHANGING_PAGES.length;
  if (await readUnseen(database, service.name, { most }) === null) return false;
  await addSchedule(database, service.name);
  let isNotified = false;
  const once = { name: service.name, maxPause: PAUSES.at(-1)! };
  await doIfDue(database, once, async ({ failures, lost }) => {
    const unseen = await readUnseen(database, service.name, { most });
    if (unseen === null) return { seconds: 0, failures: 0 };
    const notifying = AbortSignal.any([signal, lost]);
    try {
      await service.notify(unseen, notifying);
    } catch (error) {
      if (notifying.aborted) return { seconds: 0, failures };
      logFailure(service, error as Error, failures);
      return { seconds: PAUSES[failures] ?? PAUSES.at(-1)!, failures: failures + 1 };
    }
    await noteSeen(database, service.name, unseen.until);
    isNotified = true;
    return { seconds: 0, failures: 0 };
  });
  return isNotified;
}

/** What fails again and again is two lines. */
function logFailure({ name }: NotifiedService, error: Error, failures: number): void {
  const said = { service: name, error: firstLineOf(error) };
  if (failures === 0) log.warn("Cannot notify {service} of changes, trying again: {error}", said);
  if (failures === PAUSES.length) {
    log.error("{service} was not notified of changes for hours, still trying: {error}", said);
  }
}

/** What was said is wrong, and would be the next time; other failures are about the service, */
class Refused extends ExpectedError {}
/** or about one of the things that it was notified of. */
class Broken extends ExpectedError {}
const REFUSED: ReadonlySet<number> = new Set([400, 404, 406, 410, 415, 422]);

/**
 * WebSub (W3C) leaves it open how a hub is notified; this is what the hubs there are take. One that
 * refuses some feeds, such as those that are no XML, or breaks over one, is notified of the others; one
 * that fails in between is not notified twice of the same.
 */
function hubOf(hub: string, sites: readonly Site[]): NotifiedService["notify"] {
  const feeds = sites.flatMap(({ url }) =>
    ["/rss", ...FEEDS.map(({ path }) => path)].map((path) => url + path)
  );
  const said = new Set<string>();
  let done = { until: "", feeds: new Set<string>() };
  return async ({ until }, signal) => {
    if (done.until !== until) done = { until, feeds: new Set() };
    const refused = new Map<string, Refused>();
    let broken: Broken | null = null;
    for (const feed of feeds.filter((feed) => !done.feeds.has(feed))) {
      const body = new URLSearchParams({
        "hub.mode": "publish",
        "hub.url": feed,
        "hub.topic": feed,
      });
      try {
        await post(hub, { body, signal });
        done.feeds.add(feed);
      } catch (error) {
        if (error instanceof Refused) refused.set(feed, error);
        else if (error instanceof Broken) broken = error;
        else throw error;
      }
    }
    if (broken !== null) throw broken;
    for (const [feed, error] of refused) {
      if (done.feeds.size === 0) throw error;
      if (said.has(feed)) continue;
      said.add(feed);
      log.warn("The hub does not take {feed}: {error}", { feed, error: error.message });
    }
  };
}

/**
 * Asks a CDN to forget what has the tag of the site. Cloudflare reads `tags` and bunny.net `CacheTag`;
 * to Fastly the address says it.
 */
async function purge(
  url: string,
  config: Pick<Config, "CDN_PURGE_HEADER" | "BASE_URL">,
  _changes: Unseen,
  signal: AbortSignal,
): Promise<void> {
  const tag = cacheTagOf(config);
  const header = config.CDN_PURGE_HEADER;
  const [name = "", ...rest] = header?.split(":") ?? [];
  const value = header === null ? undefined : rest.join(":").trimStart();
  await post(url, {
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      ...value !== undefined && { [name]: value },
    },
    body: JSON.stringify({ tags: [tag], CacheTag: tag }),
    signal,
  }, value === undefined ? [] : [value]);
}

/** IndexNow (indexnow.org), "Submitting set of URLs". */
async function notifySearchEngine(
  { key, url }: { key: string; url: string },
  site: Site,
  { releases }: Unseen,
  signal: AbortSignal,
): Promise<void> {
  const addresses = [
    ...CHANGING_PAGES.map((path) => site.url + path),
    ...releases.map((id) => `${site.url}/release/${id}`),
  ];
  await post(url, {
    headers: { "Content-Type": "application/json; charset=utf-8" },
    body: JSON.stringify({
      host: new URL(site.url).host,
      key,
      keyLocation: `${site.url}/${key}.txt`,
      urlList: addresses,
    }),
    signal,
  });
}

async function post(
  address: string,
  { signal, ...message }: { body: BodyInit; headers?: HeadersInit; signal: AbortSignal },
  sent: readonly string[] = [],
): Promise<void> {
  const { host } = new URL(address);
  const timeLimit = AbortSignal.timeout(ANSWER_MS);
  let response: Response;
  try {
    response = await fetch(address, {
      method: "POST",
      redirect: "manual",
      signal: AbortSignal.any([signal, timeLimit]),
      ...message,
    });
  } catch (error) {
    const reason = timeLimit.aborted
      ? `${host} did not answer within ${ANSWER_MS / 1000} s`
      : explainConnection(error, host) ?? `${host} cannot be reached: ${rawReasonOf(error)}`;
    throw new ExpectedError(reason);
  }
  await response.body?.cancel();
  if (!response.ok) {
    const secrets = [...secretParameters(new URL(address).searchParams), ...sent];
    const said = toLine(withoutSecrets(response.statusText, secrets)).slice(0, 60);
    const reason = `${host} responded ${response.status} ${said}`.trim();
    if (REFUSED.has(response.status)) throw new Refused(reason);
    throw response.status >= 500 ? new Broken(reason) : new ExpectedError(reason);
  }
}
