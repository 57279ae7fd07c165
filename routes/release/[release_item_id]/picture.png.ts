import { parseParameters } from "../../../lib/http/requests/parameters.ts";
import { Problem } from "../../../lib/http/responses/problem.ts";
import { drawRelease } from "../../../lib/pictures/release_picture.ts";
import { readDateChanges, readHistory } from "../../../lib/roadmap/changes/history_sql.ts";
import { findRelease, RELEASE_PATH } from "../../../lib/roadmap/releases.ts";
import type { Item } from "../../../lib/roadmap/item.ts";
import type { Context, ReadConfig, ReadHandlers } from "../../route.ts";

export const config: ReadConfig = {
  cache: "data",
  errors: "json",
  summary: "The moves of a release as a picture for previews of links",
};

export const handler: ReadHandlers = {
  GET: {
    read({ path }, context) {
      const { release_item_id: id } = parseParameters(RELEASE_PATH, path);
      return {
        normalised: id,
        async build() {
          const item = await findRelease(id, context);
          const png = await context.services.pictures.render(() => draw(item, context));
          return { contentType: "image/png", body: png ?? readPreview(context) };
        },
      };
    },
  },
};

async function draw(item: Item, context: Context): Promise<string | null> {
  const { services: { database }, site: { variant } } = context;
  const { release_item_id: id } = item;
  const [{ first_seen: firstSeen }, dates] = await Promise.all([
    readHistory(database, id, { variant, per: "modification", end: 1 }),
    readDateChanges(database, id),
  ]);
  return drawRelease({ item, dates: dates.release, firstSeen }, context)?.svg ?? null;
}

/** The picture of the site, in place of one with boxes for letters. */
function readPreview({ services: { assets } }: Context) {
  const { preview } = assets.signs;
  if (preview === null) {
    throw new Problem(404, "There is no picture of this release: its letters cannot be drawn");
  }
  return assets.read(preview).body;
}
