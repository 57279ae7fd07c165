import { Name } from "../../components/name.tsx";
import { OUTCOMES } from "../roadmap/as_of/comparison.ts";
import type { ComparedRelease, Comparison } from "../roadmap/as_of/comparison_sql.ts";
import { KINDS_IN_WORDS } from "../roadmap/changes/kinds.ts";
import type { Site } from "../roadmap/sites.ts";
import { cleanName } from "../text/clean_name.ts";
import { countOf } from "../text/count_of.ts";
import { formatPlanned } from "../text/dates.ts";
import { MovedDate } from "./changelog/entry_line.tsx";

/** What became of planned releases: a list for each outcome, what matters most first. */
export function OutcomeLists({ comparison: { counts, releases }, site }: {
  comparison: Comparison;
  site: Site;
}) {
  const listed = Map.groupBy(releases, ({ outcome }) => outcome);
  return (
    <>
      {OUTCOMES.filter((outcome) => listed.has(outcome)).map((outcome) => {
        const shown = listed.get(outcome)!;
        const total = counts[outcome]!;
        return (
          <section key={outcome} class="day" aria-labelledby={outcome}>
            <h2 id={outcome}>
              {outcome === "unchanged" ? "Unchanged" : KINDS_IN_WORDS[outcome].title}{" "}
              <span class="quiet">· {countOf(total, "release")}</span>
            </h2>
            <ul class="entries">
              {shown.map((release) => (
                <ReleaseLine key={release.release_item_id} release={release} site={site} />
              ))}
            </ul>
            {total > shown.length && (
              <p class="quiet">and {(total - shown.length).toLocaleString("en")} more</p>
            )}
          </section>
        );
      })}
    </>
  );
}

function ReleaseLine(
  { release, site: { path, variant } }: { release: ComparedRelease; site: Site },
) {
  const name = <Name text={cleanName(release.feature_name)} />;
  const show = (date: string | null) => date && formatPlanned(variant.formatDate(date));
  const from = show(release.date_before);
  const to = show(release.date_after);
  return (
    <li class="entry">
      <span class={`badge tone-${release.tone}`}>
        <Name text={release.release_status} />
      </span>
      <div>
        {release.active || variant.showsInactive
          ? <a href={`${path}/release/${release.release_item_id}`}>{name}</a>
          : name}{" "}
        <span class="quiet">
          · <Name text={release.product_name} />
        </span>
      </div>
      <p class="entry-date">{from === to ? to : <MovedDate from={from} to={to} />}</p>
    </li>
  );
}
