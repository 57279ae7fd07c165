import { CopyForEmail, CopyLink } from "../../components/copy_buttons.tsx";
import { Name } from "../../components/name.tsx";
import { filterQuery } from "../../components/search/search_query.ts";
import type { History } from "../roadmap/changes/history_sql.ts";
import { CALENDAR_PATH, webcalAddress } from "../roadmap/feed_addresses.ts";
import type { FilterValues } from "../roadmap/filter/filter_values.ts";
import type { Item } from "../roadmap/item.ts";
import type { Site } from "../roadmap/sites.ts";
import type { Variant } from "../roadmap/variant.ts";
import { foreign } from "../text/foreign.ts";
import { toLine } from "../text/phrases.ts";
import { cleanName } from "../text/plain_text.ts";
import type { PageContext } from "./brand.tsx";
import { ChangeList, MAX_DIFFS } from "./change_list.tsx";
import { EmailForm } from "./email_form.tsx";
import { rich, say } from "../text/messages.ts";

interface ReleaseLinkProps {
  release: { release_item_id: string; feature_name: string; language?: string | null };
  /** Of the site. */
  path: string;
  class?: string;
}

/** The name of a release, which leads to its page. */
export function ReleaseLink(
  { release: { release_item_id, feature_name, language }, path, ...more }: ReleaseLinkProps,
) {
  return (
    <a {...more} href={`${path}/release/${release_item_id}`}>
      <Name text={cleanName(feature_name)} {...foreign(language)} />
    </a>
  );
}

/** A list of the names of releases. */
export function ReleaseLinks({ releases, path }: {
  releases: readonly ReleaseLinkProps["release"][];
  path: string;
}) {
  return (
    <ul>
      {releases.map((release) => (
        <li key={release.release_item_id}>
          <ReleaseLink release={release} path={path} />
        </li>
      ))}
    </ul>
  );
}

/** What the date of a release is. */
export function labelOf({ active, tone }: Item): string {
  if (tone === "shipped") return say("kind.shipped");
  return active && tone !== "stopped" ? say("release.expected") : say("release.was_planned");
}

/** The day on which a release that has shipped was last seen to ship, if it was. */
export function shippedOn(
  { tone }: Item,
  { changes }: History,
  { datePrecision }: Variant,
): string | undefined {
  if (tone !== "shipped") return undefined;
  return changes.find(({ kinds }) => kinds[datePrecision].includes("shipped"))?.day;
}

/** Whether a release should have shipped by now. */
export function isOverdue({ active, tone, release_date }: Item, today: string): boolean {
  const isOpen = active && (tone === "planned" || tone === "in_progress");
  return isOpen && release_date !== null && release_date < today;
}

/** The most history on a page, in imports that changed something. */
export const HISTORY_LENGTH = 100;

/** What became of a release, the newest first. */
export function HistorySection({ item, history: { changes, total }, site: { variant, path } }: {
  item: Item;
  history: History;
  site: Site;
}) {
  const runs = [...Map.groupBy(changes, ({ run_id }) => run_id).values()];
  const ids = nameByDay(runs.map(([change]) => change!.day));
  return (
    <section class="history" aria-labelledby="history-heading">
      <h2 id="history-heading">{say("release.history")}</h2>
      <ol>
        {runs.map((changes, place) => (
          <ChangeList
            key={changes[0]!.run_id}
            variant={variant}
            changes={changes}
            day={changes[0]!.day}
            id={ids[place]!}
            showsDiff={place < MAX_DIFFS}
          />
        ))}
      </ol>
      {total > HISTORY_LENGTH && (
        <p class="notice">
          {say("history.last", { shown: HISTORY_LENGTH, total })}{" "}
          <a href={`${path}/api/releases/history/${item.release_item_id}`}>
            {say("release.full_history_json")}
          </a>
        </p>
      )}
    </section>
  );
}

/** A name for each entry, the newest first: its day, and a number from the second of a day on. */
function nameByDay(days: readonly string[]): string[] {
  const counts = new Map<string, number>();
  return days.toReversed().map((day) => {
    const count = (counts.get(day) ?? 0) + 1;
    counts.set(day, count);
    return count === 1 ? day : `${day}-${count}`;
  }).toReversed();
}

/** Asks to be emailed of changes to this release; beside it other ways to follow its product. */
export function WatchCard({ item, followed, context }: {
  item: Item;
  /** The product of the release. */
  followed: FilterValues;
  context: PageContext;
}) {
  const { site } = context;
  const query = filterQuery(followed);
  const { heading, hint } = watchWords(item);
  return (
    <section class="card watch" aria-labelledby="watch-heading">
      <h2 id="watch-heading">{heading}</h2>
      <EmailForm
        lists={{ releases: [item.release_item_id] }}
        cadence="immediate"
        button={say("release.watch_this_release")}
        hint={hint}
        context={context}
      />
      <p class="hint">
        {rich("watch.product", {
          product: (
            <a href={`${site.path}/subscribe${query}`}>
              <Name text={toLine(item.product_name)} />
            </a>
          ),
          rss: <a href={`${site.path}/rss.xml${query}`}>{say("release.rss")}</a>,
          calendar: (
            <a href={webcalAddress(site.url + CALENDAR_PATH + query)}>{say("share.calendar")}</a>
          ),
        })}
      </p>
      <p class="copies">
        <CopyLink address={`${site.url}/release/${item.release_item_id}`} />{" "}
        <CopyForEmail address={`${site.path}/copy?release_item_id=${item.release_item_id}`} />
      </p>
    </section>
  );
}

/** What can still happen to a release. */
function watchWords({ active, tone }: Item): { heading: string; hint: string } {
  if (!active) return { heading: say("watch.comes_back"), hint: say("watch.one") };
  if (tone === "shipped" || tone === "stopped") {
    return { heading: say("watch.changes"), hint: say("watch.one") };
  }
  return {
    heading: say("watch.moves"),
    hint: say("watch.one_and_reminders"),
  };
}
