/**
 * Replays captured snapshots of a real roadmap and compares what the service then answers with
 * what the real server answered on the last day:
 *
 *     deno run -A tools/compare_captures.ts FOLDER
 * FOLDER holds `snapshots/YYYY-MM-DD.json`, `latest.json` and `captured-*.json`. A difference
 * without an explanation fails the comparison.
 */
import { join } from "node:path";
import { openInMemory } from "../lib/database/embedded.ts";
import { migrate, readMigrations } from "../lib/database/migrate.ts";
import { readConfig } from "../lib/config.ts";
import { importLocation } from "../lib/import/import_snapshot.ts";
import { createApp } from "../routes/mod.ts";
import { startService } from "../composition_root.ts";
import {
  explainOwnWords,
  explainWords,
  FIELD_LABELS,
  FIRST_OF_TWO,
  FIRST_OF_TWO_WORDS,
  LABELS,
  LATER_SNAPSHOT,
  matchesLabel,
} from "./captured_words.ts";
import { Tally } from "./tally.ts";

// deno-lint-ignore no-explicit-any
type Json = any;

const folder = Deno.args[0];
if (!folder) throw new Error("Usage: deno run -A tools/compare_captures.ts FOLDER");
const readJson = async (name: string): Promise<Json> =>
  JSON.parse(await Deno.readTextFile(join(folder, name)));

const { days, ask, close } = await replay();
const known = new Map<string, Json>((await readJson("latest.json")).data.map(
  (item: Json) => [item.release_item_id.toLowerCase(), item],
));
/** The real server's own answers for some of the items: a witness beside the snapshots. */
const served = new Map<string, Json>((await readJson("captured-releases-2026-07-20.json")).data.map(
  (item: Json) => [item.release_item_id.toLowerCase(), item],
));
const tallies = [await compareOptions(), await compareReleases(), await compareChangelog()];
await close();
Deno.exitCode = tallies.some(({ unexplained }) => unexplained > 0) ? 1 : 0;

/** Imports every snapshot as of its day, and then the latest one. */
async function replay() {
  const database = await openInMemory();
  await migrate(database, await readMigrations());
  const names = [...Deno.readDirSync(join(folder!, "snapshots"))].map(({ name }) => name).sort();
  const days = names.map((name) => name.slice(0, 10));
  const snapshots = names.map((name, index) => [`snapshots/${name}`, days[index]!]);
  for (const [name, asOf] of [...snapshots, ["latest.json", days.at(-1)!]]) {
    const { added, changed, removed, restored, unchanged } = await importLocation(
      database,
      join(folder!, name!),
      { asOf: asOf! },
    );
    console.log(
      `${name} as of ${asOf}: ${added} added, ${changed} changed, ${removed} removed, ` +
        `${restored} restored, ${unchanged} unchanged`,
    );
  }
  const noon = new Date(`${days.at(-1)}T12:00:00Z`);
  const services = await startService(database, readConfig({}), () => noon);
  const app = createApp(services);
  return {
    days,
    async ask(path: string): Promise<Json> {
      const response = await app(new Request(`http://localhost:8000${path}`));
      return await response.json();
    },
    async close() {
      services.stop();
      await database.close();
    },
  };
}

/** The distinct values; the captured ones are of all 1,064 items, ours of those in the snapshots. */
async function compareOptions(): Promise<Tally> {
  const tally = new Tally();
  const [ours, theirs] = [
    await ask("/api/filter-options"),
    await readJson("captured-filter-options.json"),
  ];
  for (const list of Object.keys(theirs)) {
    for (const value of new Set([...ours[list], ...theirs[list]])) {
      const isOurs = ours[list].includes(value);
      const isTheirs = theirs[list].includes(value);
      const hasItem = [...known.values()].some((item) => Object.values(item).includes(value));
      if (isOurs && isTheirs) tally.note("equal value", value);
      else if (isTheirs && !hasItem) {
        tally.note("value of theirs that no item of the snapshots has (caveat 1)", value);
      } else tally.note(`UNEXPLAINED value in ${list}`, value);
    }
    const order = JSON.stringify(
      theirs[list].filter((value: string) => ours[list].includes(value)),
    );
    const same = order === JSON.stringify(ours[list].filter((v: string) =>
      theirs[list].includes(v)
    ));
    tally.note(same ? "equal order of a list" : "UNEXPLAINED order of a list", list);
  }
  tally.print("/api/filter-options");
  return tally;
}

/** Every item of the captured first page against the same item of ours. */
async function compareReleases(): Promise<Tally> {
  const tally = new Tally();
  const ours = new Map<string, Json>();
  const places: string[] = [];
  let next: string | null = "/api/releases?page_size=100&sort=last_modified";
  while (next) {
    const page: Json = await ask(next);
    for (const item of page.data) ours.set(item.release_item_id, item);
    places.push(...page.data.map((item: Json) => item.release_item_id));
    next = page.links.next;
  }
  tally.note(
    ours.size === places.length && ours.size === known.size
      ? "walk of links.next that yields every item once"
      : "UNEXPLAINED walk",
    `${places.length} of ${known.size}`,
  );
  const { data } = await readJson("captured-releases-2026-07-20.json");
  for (const theirs of data as Json[]) {
    const id = theirs.release_item_id.toLowerCase();
    const item = ours.get(id);
    if (!item) {
      tally.note(known.has(id) ? "UNEXPLAINED missing item" : "item in no snapshot (caveat 1)", id);
      continue;
    }
    const fields = new Set([...Object.keys(item), ...Object.keys(theirs)]);
    const different = [...fields].filter((field) => item[field] !== theirs[field]);
    if (different.length === 0) tally.note("equal item", id);
    for (const field of different) {
      const both = `${id} ${field}: ${JSON.stringify(item[field])} / ${
        JSON.stringify(theirs[field])
      }`;
      tally.note(explainField(field, item, theirs), both);
    }
  }
  const theirOrder: string[] = data.map((item: Json) => item.release_item_id.toLowerCase());
  const ourOrder = places.filter((id) => theirOrder.includes(id));
  const byDay = (order: string[]) => order.map((id) => ours.get(id)?.last_modified).join();
  tally.note(
    byDay(ourOrder) === byDay(theirOrder.filter((id) => ours.has(id)))
      ? "equal order of days"
      : "UNEXPLAINED order of days",
    "first page",
  );
  const moved = ourOrder.filter((id, place) => theirOrder[place] !== id);
  for (const id of moved) {
    tally.note(
      "place inside a day: our order is total, by release_date and id; theirs is not given",
      id,
    );
  }
  tally.print("/api/releases");
  return tally;
}

function explainField(field: string, ours: Json, theirs: Json): string {
  const snapshot = known.get(theirs.release_item_id.toLowerCase());
  if (ours[field] === null && theirs[field] === "") {
    return `empty ${field} of theirs is null with us: an empty text says as much as none`;
  }
  if (field === "last_modified" && ours[field] > theirs[field] && days.includes(ours[field])) {
    return "last_modified of ours is the as-of day: a field changed that theirs changed silently";
  }
  if (snapshot && snapshot[field] !== theirs[field]) {
    return `${field} is what the snapshot says (caveat 2)`;
  }
  return `UNEXPLAINED ${field}`;
}

/** Every entry of the captured changelog against ours of the same item. */
async function compareChangelog(): Promise<Tally> {
  const tally = new Tally();
  const entriesOf = (changelog: Json): Map<string, Json> =>
    new Map(
      changelog.days.flatMap(({ items }: Json) =>
        items.map((item: Json) => [item.release_item_id.toLowerCase(), item])
      ),
    );
  const ours = entriesOf(await ask("/api/changelog?days=30"));
  const theirs = entriesOf(await readJson("captured-changelog-2026-07-20.json"));
  for (const [id, entry] of theirs) {
    const own = ours.get(id);
    if (!own) {
      tally.note(
        !known.has(id)
          ? "entry of theirs for an item that no last snapshot holds: removed before the window or never captured (caveats 1, 3)"
          : "UNEXPLAINED entry of theirs only",
        `${id} ${entry.last_modified} ${JSON.stringify(entry.changed_columns).slice(0, 120)}`,
      );
      continue;
    }
    if (own.last_modified !== entry.last_modified) {
      tally.note(explainDay(own, entry), `${id} ${own.last_modified} / ${entry.last_modified}`);
      continue;
    }
    tally.note("entry under the same day", id);
    const late: string[] = [];
    for (
      const field of [
        "feature_name",
        "product_name",
        "release_type",
        "release_status",
        "release_date",
        "active",
      ]
    ) {
      if (own[field] !== entry[field]) {
        const witness = served.get(id);
        const isLater = witness === undefined || witness[field] === own[field];
        const kind = witness ? FIRST_OF_TWO : LATER_SNAPSHOT;
        tally.note(
          isLater ? kind : `UNEXPLAINED ${field}`,
          `${id} ${own[field]} / ${entry[field]}`,
        );
        if (isLater) late.push(FIELD_LABELS[field]!);
      }
    }
    const words: string[] = own.changed_columns.filter((words: string) => {
      const isLate = late.some((label) => words.startsWith(`${label} `)) &&
        !entry.changed_columns.some((their: string) => matchesLabel(their, words));
      if (isLate) tally.note(FIRST_OF_TWO_WORDS, words);
      return !isLate;
    });
    compareWords(tally, id, words, entry.changed_columns);
  }
  for (const [id, own] of ours) {
    if (theirs.has(id)) continue;
    tally.note(
      explainOwnEntry(own),
      `${id} ${own.last_modified} ${JSON.stringify(own.changed_columns).slice(0, 150)}`,
    );
  }
  tally.print("/api/changelog?days=30");
  return tally;
}

function explainDay(own: Json, entry: Json): string {
  if (own.last_modified > entry.last_modified && days.includes(own.last_modified)) {
    return own.changed_columns[0] === "Removed from Roadmap" && !entry.active
      ? "removed on the as-of day of the first snapshot without it"
      : "a field changed without its last_modified: our entry stands under the as-of day";
  }
  return "UNEXPLAINED day";
}

function explainOwnEntry(own: Json): string {
  const words: string[] = own.changed_columns;
  if (words.includes("Removed from Roadmap")) {
    return "entry of ours only: removed, since a snapshot misses it (caveats 1, 3)";
  }
  if (words.includes("Roadmap Item Added")) {
    return "entry of ours only: entered the captured window (caveat 1)";
  }
  if (words.includes("Restored to Roadmap")) {
    return "entry of ours only: back in a snapshot after it was missing (caveats 1, 3)";
  }
  if (days.includes(own.last_modified)) {
    return "entry of ours only: a field changed without its last_modified, so the as-of day counts";
  }
  return "UNEXPLAINED entry of ours only";
}

function compareWords(tally: Tally, id: string, ours: string[], theirs: string[]): void {
  const left = new Set(ours);
  for (const words of theirs) {
    if (left.delete(words)) {
      tally.note("equal description", words);
      continue;
    }
    const label = LABELS.find(([pattern]) => pattern.test(words));
    const same = label && [...left].find((own) => own.startsWith(label[1]));
    if (same) {
      left.delete(same);
      tally.note(
        `"${words.split(" ").slice(0, label[0].source.includes("$") ? 3 : 1).join(" ")}" is "${
          label[1].trim()
        }" with us (decisions: the field's name in words)`,
        words,
      );
    } else tally.note(explainWords(words, ours), `${id} ${words} / ${JSON.stringify(ours)}`);
  }
  for (const own of left) {
    tally.note(
      explainOwnWords(own, theirs),
      `${id} ${own.slice(0, 100)} / ${JSON.stringify(theirs)}`,
    );
  }
}
