import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { readConfig } from "../lib/config/config.ts";
import { openDatabase } from "../lib/database/open_database.ts";
import { startService } from "../lib/service/start_service.ts";
import { chooseMinSimilarity } from "../lib/search/semantic_search.ts";
import { decodeEntities } from "../lib/text/plain_text.ts";
import { findFreePort, runCommand, startServer } from "./servers/process.ts";
import { type Found, judge, placeOf, type Question, type Score } from "./relevance/judge.ts";
import { readJson, readReleases, type Release } from "./relevance/releases.ts";
import { MODEL, startModel } from "./relevance/start_model.ts";
import { createDatabase } from "./servers/scratch.ts";
import { writeSnapshot } from "./data/snapshot_rows.ts";

/** Hit@5 of what has an answer. */
const GOALS = { words: 0.75, meaning: null, both: 0.85 } as const;
type Mode = keyof typeof GOALS;
const MODES = Object.keys(GOALS) as Mode[];
type Results = Record<Mode, ReadonlyMap<string, Found>>;

/**
 * Runs judged questions against search by words, by meaning and by both, and types the name of each
 * release; true: all goals reached.
 */
export async function benchRelevance(
  { isHeldOut, url }: { isHeldOut: boolean; url: string | null },
): Promise<boolean> {
  const folder = new URL("./", import.meta.url);
  const installing = new Deno.Command("deno", {
    args: ["install", "--frozen", "--quiet"],
    cwd: folder,
  });
  if (!(await installing.spawn().status).success) return false;
  const file = isHeldOut ? "./held_out.json" : "./questions.json";
  const questions = await readJson<Question[]>(file);
  const releases = await readReleases();
  const names = uniqueNames(releases);
  const texts = [...questions.map(({ q }) => q), ...names.map(({ q }) => q)];
  const results = await runAll(releases, texts, url);
  const which = isHeldOut ? "held-out questions" : "questions";
  console.log(`${questions.length} ${which} about ${releases.length} releases, ${MODEL.name}\n`);
  printScores(questions, results);
  // Those held out stay unknown to whoever tunes the search.
  if (!isHeldOut) printMisses(questions, results);
  const firsts = (["words", "both"] as const).map((mode) => {
    const count = names.filter((name) => placeOf(name, results[mode].get(name.q)!) === 1).length;
    console.log(`Names that find their release first, by ${mode}: ${count} of ${names.length}`);
    return count === names.length;
  });
  return firsts.every(Boolean) &&
    MODES.every((mode) =>
      GOALS[mode] === null || judge(questions, results[mode]).hit5 >= GOALS[mode]
    );
}

/** The names that only one release has, as questions. */
function uniqueNames(releases: readonly Release[]): Question[] {
  const byName = Map.groupBy(releases, ({ feature_name }) => feature_name.trim().toLowerCase());
  return [...byName.values()].filter((group) => group.length === 1).map(([release]) => ({
    class: "name",
    q: decodeEntities(release!.feature_name),
    answers: [release!.release_item_id],
  }));
}

/** Asks servers by words and by both, and then compares the vectors alone. */
async function runAll(
  releases: readonly Release[],
  texts: readonly string[],
  url: string | null,
): Promise<Results> {
  await using created = url === null ? null : await createDatabase(url);
  const folder = await Deno.makeTempDir({ prefix: "roadcast-bench-" });
  try {
    const snapshot = join(folder, "snapshot.ndjson");
    await writeSnapshot(snapshot, releases);
    const settings = {
      DATABASE_URL: created?.url ?? "",
      DATA_DIR: join(folder, "data"),
      ROADMAP_SOURCE: snapshot,
    };
    await using model = await startModel();
    const semantic = {
      ...settings,
      OPENAI_BASE_URL: model.url,
      EMBEDDING_MODEL: MODEL.name,
      EMBEDDING_DIMENSIONS: String(MODEL.dimensions),
      SEMANTIC_MIN_SIMILARITY: Deno.env.get("SEMANTIC_MIN_SIMILARITY") ?? "",
      QUESTION_LIMIT: "1000000",
      QUESTION_BUDGET: "1000000",
    };
    const words = await askServer(settings, texts, { mode: "words" });
    await runCommand(["embed"], semantic);
    const both = await askServer(semantic, texts, { mode: "semantic" });
    return { words, meaning: await compareVectors(semantic, texts), both };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function askServer(
  settings: Record<string, string>,
  texts: readonly string[],
  { mode }: { mode: "words" | "semantic" },
): Promise<Map<string, Found>> {
  const port = findFreePort();
  await using _server = await startServer({ ...settings, PORT: String(port) });
  const origin = `http://127.0.0.1:${port}`;
  const isReady = () => fetch(`${origin}/ready`).then(({ ok }) => ok, () => false);
  while (!await isReady()) await delay(100);
  const found = new Map<string, Found>();
  const modes = new Set<string | null>();
  for (const q of texts) {
    const query = new URLSearchParams({ q });
    const response = await fetch(`${origin}/search.json?${query}`);
    if (!response.ok) throw new Error(`${query} was answered ${response.status}`);
    const { items, total, mode } = await response.json();
    found.set(q, { ids: items.map(({ release_item_id }: Release) => release_item_id), total });
    modes.add(mode);
  }
  // Ids, and dates alone, are found without an embedding service.
  if (!modes.has(mode)) throw new Error(`No question went by ${mode}, only by ${[...modes]}`);
  return found;
}

/** Search by meaning alone, which no request asks for. */
async function compareVectors(
  settings: Record<string, string>,
  texts: readonly string[],
): Promise<Map<string, Found>> {
  const config = readConfig(settings);
  const database = await openDatabase(config);
  const service = await startService(database, config);
  try {
    const found = new Map<string, Found>();
    for (const q of texts) {
      const measured = (await service.semantic!.measure({ q, include_inactive: false }))!;
      const minSimilarity = chooseMinSimilarity(measured.minSimilarities);
      const near = measured.near.filter(({ similarity }) => similarity >= minSimilarity);
      found.set(q, {
        ids: near.slice(0, 50).map(({ release_item_id }) => release_item_id),
        total: near.length,
      });
    }
    return found;
  } finally {
    await service.stop();
    await database.close();
  }
}

function printScores(questions: readonly Question[], results: Results): void {
  const columns = MODES.map((mode) => `${mode} hit@1  hit@5   MRR`.padStart(26));
  console.log(["class".padEnd(12), "questions", ...columns].join(" "));
  const groups = Map.groupBy(questions, (question) => question.class);
  const answerable = questions.filter(({ answers }) => answers.length > 0);
  for (const [name, group] of [...groups, ["answerable", answerable]] as const) {
    const scores = MODES.map((mode) => showScore(judge(group, results[mode])));
    console.log([name.padEnd(12), String(group.length).padStart(9), ...scores].join(" "));
  }
}

function showScore({ answerable, hit1, hit5, mrr, silent, nonsense }: Score): string {
  const text = answerable === 0
    ? `${silent} of ${nonsense} found nothing`
    : [hit1, hit5, mrr].map((share) => share.toFixed(2)).join("   ");
  return text.padStart(26);
}

/** Names the questions with no answer among the first five, and the nonsense that found something. */
function printMisses(questions: readonly Question[], results: Results): void {
  for (const mode of MODES) {
    console.log(`\nMissed by ${mode}:`);
    for (const question of questions) {
      const found = results[mode].get(question.q)!;
      const place = placeOf(question, found);
      const isGood = question.answers.length === 0 ? found.total === 0 : (place ?? 9) <= 5;
      if (isGood) continue;
      console.log(
        `${question.class.padEnd(12)} ${question.q.padEnd(44)} at ${
          place ?? "-"
        } of ${found.total}`,
      );
    }
  }
  console.log();
}
