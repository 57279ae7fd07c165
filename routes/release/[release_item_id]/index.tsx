import { Problem } from "../../../lib/http/responses/problem.ts";
import { readDateChanges, readHistory } from "../../../lib/roadmap/changes/history_sql.ts";
import { readSourceAmongSeveral } from "../../../lib/roadmap/filter/filter_options_sql.ts";
import { findRelease, RELEASE_PATH } from "../../../lib/roadmap/releases.ts";
import type { Item, ListedItem } from "../../../lib/roadmap/item.ts";
import { findOfSameProduct, findOfSimilarName } from "../../../lib/search/related_sql.ts";
import { HISTORY_LENGTH } from "../../../lib/ui/release_parts.tsx";
import { ReleasePage } from "../../../lib/ui/release_page.tsx";
import { pageContent } from "../../../lib/ui/render_page.tsx";
import { type Context, type ReadConfig, type ReadHandlers, today } from "../../route.ts";
import { said } from "../../../lib/text/said.ts";

const RELATED = 6;
const SUCCESSORS = 3;

export const config: ReadConfig = {
  cache: "data",
  errors: "page",
  summary: "One release, with its history and related releases",
};

export const handler: ReadHandlers = {
  GET: {
    read({ path }, context) {
      const id = readId(path);
      return {
        normalised: id,
        async build() {
          const { services, site: { variant } } = context;
          const { database } = services;
          const item = await findRelease(id, context);
          const [history, dates, related, successors, promises, source] = await Promise.all([
            readHistory(database, id, { variant, per: "modification", end: HISTORY_LENGTH }),
            readDateChanges(database, id),
            findRelated(item, context),
            hasSuccessor(item) ? findOfSimilarName(database, item, SUCCESSORS) : [],
            services.productPromises.read(item.product_name, today(services)),
            readSourceAmongSeveral(database, id),
          ]);
          const read = { item, history, dates, related, successors, promises, source };
          return pageContent(<ReleasePage {...read} today={today(services)} context={context} />);
        },
      };
    },
  },
};

/** The id in the address; a mistake in it is described in words for a person. */
function readId(path: Readonly<Record<string, string>>): string {
  const { success, data } = RELEASE_PATH.safeParse(path);
  if (success) return data.release_item_id;
  throw new Problem(
    400,
    said("problem.no_release_at", { path: `/release/${path.release_item_id}` }),
  );
}

/** Removed before it shipped, and not cancelled, as far as its last status shows. */
function hasSuccessor({ active, tone }: Item): boolean {
  return !active && tone !== "shipped" && tone !== "stopped";
}

/** By meaning if possible, otherwise of the same product. */
async function findRelated(
  item: Item,
  { services: { database, semantic }, site: { variant } }: Context,
): Promise<ListedItem[]> {
  const alike = variant.searchesByMeaning ? await semantic?.findSimilar(item, RELATED) ?? [] : [];
  return alike.length > 0 ? alike : await findOfSameProduct(database, item, RELATED);
}
