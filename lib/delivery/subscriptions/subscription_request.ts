import { getLogger } from "@logtape/logtape";
import { z } from "zod";
import type { Config } from "../../config/config.ts";
import type { Database } from "../../database/database.ts";
import { onlyChoice, parseShape } from "../../http/requests/parameters.ts";
import type { Site } from "../../roadmap/sites.ts";
import { parseEmailAddress } from "./email_address.ts";
import { Problem } from "../../http/responses/problem.ts";
import { CADENCES } from "../../text/cadence.ts";
import { CHOSEN, VALUE } from "../../roadmap/filter/chosen_filter.ts";
import type { ChangesFilter } from "../../roadmap/filter/filter.ts";
import {
  choosesReleases,
  filterOf,
  PREFERENCE_LISTS,
  type Scope,
} from "../../roadmap/filter/preference_lists.ts";
import {
  acceptLinkRequest,
  acceptRequest,
  type RequestedPreferences,
} from "./subscription_requests_sql.ts";
import { findUnknown, findUnknownReleases, type UnknownValues } from "./unknown_values_sql.ts";
import { MAX_VALUES, UUID } from "../../text/values.ts";
import { englishOf, reason, said } from "../../text/said.ts";

const log = getLogger(["roadcast", "mail"]);

const EMAIL = z.string("must be text").transform((text, context) => {
  const { address, reason: refusal } = parseEmailAddress(text);
  if (address !== undefined) return address;
  context.addIssue(refusal);
  return z.NEVER;
});

const TEXT_OR_LIST = z.union([VALUE, z.array(VALUE)], "must be a string or a list of strings")
  .nullish().transform((values) => [values ?? []].flat());

const RELEASES = z.array(
  z.string().regex(UUID, reason("reason.uuid")).toLowerCase(),
  "must be a list of UUIDs",
)
  .max(MAX_VALUES, reason("reason.values", { count: MAX_VALUES }))
  .transform((values) => [...new Set(values)])
  .nullish().transform((values) => values ?? []);

const CADENCE = z.enum(CADENCES, reason("reason.one_of", { values: CADENCES.join(", ") }))
  .nullish().transform((cadence) => cadence ?? null);

const FLAG = z.boolean("must be true or false").nullish().transform((flag) => flag ?? null);

const LISTS = z.object({
  products: CHOSEN.product_name,
  types: CHOSEN.release_type,
  statuses: CHOSEN.release_status,
  tags: CHOSEN.tag,
  sources: CHOSEN.source.describe("Releases that come from these sources"),
  searches: CHOSEN.q.describe("Releases that have every word of one of these searches"),
  due: CHOSEN.due.describe("Releases that are due in one of these periods"),
  date_name: CHOSEN.date_name.describe("The named date that stands for the release date"),
});

/** What a person can choose; an absent list is an empty one. */
export const PREFERENCES = LISTS.extend({
  releases: RELEASES,
  kinds: CHOSEN.kind.describe("Only changes of these kinds"),
  cadence: CADENCE,
  upcoming: FLAG.describe("Digests list what is planned for the next 30 days, and what is overdue"),
  reminders: FLAG.describe("Watched releases remind 30, 7 and 1 day before their planned day"),
});

/** Interface specification, 2.8: a request to subscribe; its lists may be named as filters are. */
export const SUBSCRIPTION = z.object(
  {
    email: EMAIL,
    ...PREFERENCES.shape,
    product_name: TEXT_OR_LIST.describe("As `products`"),
    release_type: TEXT_OR_LIST.describe("As `types`"),
    release_status: TEXT_OR_LIST.describe("As `statuses`"),
    tag: TEXT_OR_LIST.describe("As `tags`"),
    source: TEXT_OR_LIST.describe("As `sources`"),
    q: TEXT_OR_LIST.describe("As `searches`"),
    match: onlyChoice(["words"]).describe("A search is by words in any case"),
    kind: CHOSEN.kind.describe("As `kinds`"),
  },
  "must be an object with an email",
);

/** A request that is about an address and nothing else. */
export const ONLY_EMAIL = z.object({ email: EMAIL }, "must be an object with an email");

/** The answer to every valid address, so that it does not reveal who has subscribed. */
const ACCEPTED = {
  status: "accepted",
  message: "If this address is not subscribed yet, an email with a link is on its way: " +
    "the subscription begins when the link is opened. If it is and you asked for something else, " +
    "an email links to its preferences.",
} as const;

/** What a request is answered with. */
type Acceptance = typeof ACCEPTED & {
  unknown?: UnknownValues;
  /** The names of fields that mean nothing. */
  ignored?: string[];
};

/** What takes a request. */
interface RequestContext {
  readonly site: Site;
  readonly services: {
    readonly config: Pick<Config, "VERIFICATION_LIMIT">;
    readonly database: Database;
    readonly clock: () => Date;
  };
}

/**
 * Takes a request to subscribe, from a script or a form. What happens then depends on what is known
 * of the address, and the answer does not reveal it; it only says which values no release has now,
 * as they may be misspelt.
 *
 * @throws {Problem} 400 that names the field
 */
export async function requestSubscription(
  given: unknown,
  context: RequestContext,
): Promise<Acceptance> {
  const requested = parseShape(SUBSCRIPTION, given);
  const merged = Object.entries(PREFERENCE_LISTS).map(([name, { parameter }]) => [
    name,
    [name, parameter].filter((one, place, both) => both.indexOf(one) === place)
      .flatMap((one) => requested[one as keyof typeof requested]),
  ]);
  const lists = parseShape(LISTS, Object.fromEntries(merged));
  const { services } = context;
  await refuseUnknownReleases(services.database, requested.releases);
  const unknown = await findUnknown(services.database, lists);
  const { email, releases, cadence, upcoming, reminders } = requested;
  const filter = filterOf({ ...lists, kinds: [...requested.kinds, ...requested.kind] });
  const preferences = { scope: scopeOf(filter, releases), filter, releases };
  await takeFrom(email, { ...preferences, cadence, upcoming, reminders }, context);
  const ignored = Object.keys(given as object)
    .filter((name) => !Object.hasOwn(SUBSCRIPTION.shape, name));
  return { ...ACCEPTED, ...unknown && { unknown }, ...ignored.length > 0 && { ignored } };
}

/** What is covered by a request that does not say so. */
export function scopeOf(filter: ChangesFilter, releases: readonly string[]): Scope {
  if (choosesReleases(filter)) return "chosen";
  if (releases.length > 0) return "watched";
  return Object.keys(filter).length > 0 ? "chosen" : "all";
}

async function refuseUnknownReleases(database: Database, releases: string[]): Promise<void> {
  const [id] = await findUnknownReleases(database, releases);
  if (id === undefined) return;
  const unknown = said("reason.unknown_release", { id });
  const text = englishOf(unknown);
  throw new Problem(400, `"releases" ${text}`, {
    errors: [{ name: "releases", reason: text, said: unknown }],
  });
}

/** Takes a request for a new link: the preferences that are stored for the address stay. */
export async function requestNewLink(given: unknown, context: RequestContext): Promise<void> {
  const { email } = parseShape(ONLY_EMAIL, given);
  await takeFrom(email, null, context);
}

/** The answer to every valid address, so that it does not reveal who has subscribed. */
const LINK_ACCEPTED = {
  status: "accepted",
  message: "If this address is subscribed, an email with a link to its preferences is on its way.",
} as const;

/**
 * Takes a request for the link to the preferences of an address, from a script or a form.
 *
 * @throws {Problem} 400 where there is no valid address
 */
export async function requestPreferencesLink(
  given: unknown,
  { services: { config, database, clock } }: Pick<RequestContext, "services">,
): Promise<typeof LINK_ACCEPTED> {
  const { email } = parseShape(ONLY_EMAIL, given);
  const mailsAnHour = config.VERIFICATION_LIMIT;
  await acceptLinkRequest(database, { email, mailsAnHour, now: clock() });
  return LINK_ACCEPTED;
}

async function takeFrom(
  email: string,
  preferences: RequestedPreferences | null,
  { site, services }: RequestContext,
): Promise<void> {
  const mailsAnHour = services.config.VERIFICATION_LIMIT;
  const { isLastOfHour } = await acceptRequest(services.database, {
    email,
    preferences,
    variant: site.variant.name,
    mailsAnHour,
    now: services.clock(),
  });
  if (isLastOfHour) {
    log.warn("VERIFICATION_LIMIT reached: {mailsAnHour} verification emails within an hour", {
      mailsAnHour,
    });
  }
}
