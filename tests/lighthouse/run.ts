/**
 * `deno task lighthouse`: runs Lighthouse on each page of a fresh start in a Chromium, as a slow
 * phone sees it, prints the scores, and fails below the limits. Further words go to Lighthouse:
 *
 *     deno task lighthouse --preset=desktop
 */
import { fileURLToPath } from "node:url";
import { startSampleServer } from "../support/browser.ts";

/** The least score of each category, of 100. */
const LEAST = { performance: 97, accessibility: 100, "best-practices": 100, seo: 100 };
/** The most layout shift. */
const MOST_SHIFT = 0.02;

const CLI = fileURLToPath(new URL("node_modules/lighthouse/cli/index.js", import.meta.url));

/** What is read of a report. */
interface Report {
  categories: Record<string, { score: number; auditRefs: { id: string; weight: number }[] }>;
  audits: Record<string, { title: string; score: number | null; numericValue?: number }>;
}

await using server = await startSampleServer();
const { port } = new URL(server.url);
const site = `http://localhost:${port}`;
const { data } = await (await fetch(`${site}/api/releases?page_size=1`)).json();
const paths = [
  "/",
  "/?view=board",
  `/release/${data[0].release_item_id}`,
  "/changelog",
  "/insights",
  "/compare",
  "/subscribe",
  "/api",
];

const names = Object.keys(LEAST) as (keyof typeof LEAST)[];
console.log(["page".padEnd(20), ...names, "layout shift"].join("  "));
let isGood = true;
for (const path of paths) {
  const { categories, audits } = await measure(site + path);
  const shift = audits["cumulative-layout-shift"]!.numericValue!;
  const scores = names.map((name) => Math.round(categories[name]!.score * 100));
  const page = path.startsWith("/release/") ? "/release/<id>" : path;
  const cells = scores.map((score, place) => String(score).padStart(names[place]!.length));
  console.log([page.padEnd(20), ...cells, shift.toFixed(3).padStart(12)].join("  "));
  // The robots.txt keeps crawlers away from addresses with a question.
  const asked = names.filter((name) => name !== "seo" || !path.includes("?"));
  for (const name of asked.filter((name) => scores[names.indexOf(name)]! < LEAST[name])) {
    isGood = false;
    for (const { id, weight } of categories[name]!.auditRefs) {
      const { title, score } = audits[id]!;
      if (weight > 0 && score !== null && score < 1) console.log(`  ${name}: ${id}: ${title}`);
    }
  }
  if (shift > MOST_SHIFT) isGood = false;
}
if (!isGood) {
  console.error(`Below the limits: ${JSON.stringify(LEAST)}, a layout shift of ${MOST_SHIFT}`);
  Deno.exitCode = 1;
}

/** Runs Lighthouse on a page; nothing is sent anywhere. */
async function measure(address: string): Promise<Report> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--allow-all", CLI, address, "--quiet", "--output=json"],
      `--only-categories=${Object.keys(LEAST).join(",")}`,
      "--chrome-flags=--headless=new --no-sandbox --disable-gpu",
      "--no-enable-error-reporting",
      ...Deno.args,
    ],
    env: { CHROME_PATH: Deno.env.get("CHROMIUM") || "/usr/bin/chromium" },
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}
