import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { loadSample } from "../../lib/import/sample/sample.ts";
import { startApp, TODAY } from "../support/app.ts";
import { readPage } from "../support/pages.ts";
import { slowOnOne } from "../support/slow.ts";

/** Inline elements, including those of SVG, which without styles have no space between them. */
const INLINE =
  /<\/?(?:a|abbr|b|bdi|circle|del|em|g|i|ins|label|line|path|rect|small|span|strong|svg|text|time|title)\b[^>]*>/g;

/** Elements that occur within words. */
const WITHIN_WORDS = /<\/?(?:code|mark|wbr)\b[^>]*>/g;

/** The places where the text of one element runs into that of the next. */
function findGlued(html: string): string[] {
  const body = html.slice(html.indexOf("<body>")).replace(/<(script|style)\b.*?<\/\1>/gs, "\n")
    .replace(WITHIN_WORDS, "").replace(INLINE, "¦").replace(/<[^>]*>/g, "\n");
  const found = body.matchAll(/[^\n¦]{0,30}[^\s¦]¦+(?=[\p{L}\p{N}])[^\n¦]{0,30}/gu);
  return [...found].map(([glued]) => glued).filter((glued) => !/[(“‘"']¦/.test(glued));
}

slowOnOne("The text of a page does not run together without styles", async (database) => {
  await loadSample(database, TODAY);
  await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
  const { data } = await app.json("/api/releases?page_size=20&include_inactive=true");
  const releases = data.map(({ release_item_id: id }: { release_item_id: string }) =>
    `/release/${id}`
  );
  const found: string[] = [];
  const paths = ["/", "/?view=board", ...releases, "/changelog"];
  for (
    const path of [...paths, "/insights", "/compare", "/subscribe", "/api", "/b/?q=a", "/nothing"]
  ) {
    const html = await readPage(app, path, path === "/nothing" ? 404 : 200);
    for (const glued of new Set(findGlued(html))) {
      found.push(`${path}: ${glued}`);
    }
  }
  assertEquals(found, []);
  assert(findGlued("<body><p><span>Shipped</span><span>Q2 2026</span>").length === 1);
});
