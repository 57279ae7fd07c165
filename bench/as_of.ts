import { type Connection, queryOne } from "../lib/database/database.ts";
import { sql } from "../lib/database/sql.ts";
import { percentile } from "./load/percentile.ts";
import { findFreePort, startServer } from "./servers/process.ts";
import { openScratch } from "./servers/scratch.ts";

/** How much longer a first page as of a day may take than one of today. */
const GOAL = 10;
const ROUNDS = 5;
const PATHS = ["/?", "/?view=board&", "/api/releases?"];

/** Measures the first pages as of a day since when most releases changed; true: the goal is reached. */
export async function benchAsOf(items: number, url: string): Promise<boolean> {
  console.error(`Making ${items} items …`);
  await using scratch = await openScratch(items, url);
  await splitImport(scratch.connection);
  const { day, changes } = await queryOne<{ day: string; changes: number }>(
    scratch.connection,
    sql`
      select min(as_of)::text as day, (select count(*)::int from changes) as changes
      from import_runs
    `,
  );
  console.log(`\n${items.toLocaleString("en")} items, ${changes.toLocaleString("en")} changes`);
  console.log("                         today, ms    then, ms    ratio");
  let isGood = true;
  for (const path of PATHS) {
    const today: number[] = [];
    const then: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      today.push(await timeFirst(path, scratch.settings.service));
      then.push(await timeFirst(`${path}as_of=${day}`, scratch.settings.service));
    }
    const medians = [percentile(today, 0.5), percentile(then, 0.5)] as const;
    const ratio = medians[1] / medians[0];
    const columns = [
      ...medians.map((time) => time.toFixed(0).padStart(12)),
      ratio.toFixed(1).padStart(9),
    ];
    console.log(path.padEnd(22) + columns.join(""));
    isGood &&= ratio <= GOAL;
  }
  return isGood;
}

/** What the import that changed an item left as it was. */
const REPLACED = sql`
  release_item_id, feature_name, release_type, product_id, product_name, product_names, tags,
  blog_title, blog_url, last_modified, active, source, tone, tone_by, created, text_id
`;

/** Leaves two changes of an item: an import half a year ago that added it, and one that changed it. */
async function splitImport(connection: Connection): Promise<void> {
  await connection.query(sql`update import_runs set as_of = current_date - 180`);
  const { run_id } = await queryOne<{ run_id: number }>(
    connection,
    sql`
      insert into import_runs (source, as_of, partial, finished_at)
      values ('generated', current_date, false, now())
      returning run_id
    `,
  );
  await connection.query(sql`
    delete from changes
    where kind = 'changed'
      and exists (
        select from changes as earlier
        where earlier.release_item_id = changes.release_item_id
          and earlier.kind = 'changed' and earlier.change_id < changes.change_id
      )
  `);
  await connection.query(sql`update changes set run_id = ${run_id} where kind = 'changed'`);
  await connection.query(sql`update change_entries set run_id = ${run_id}`);
  await connection.query(sql`
    insert into item_versions (${REPLACED}, release_status, release_date, feature_description, run_id)
    select ${REPLACED},
      case field when 'release_status' then old_value else release_status end,
      case field when 'release_date' then old_value::date else release_date end,
      case field when 'feature_description' then old_value else feature_description end,
      ${run_id}
    from changes
    join item_rows using (release_item_id)
    where kind = 'changed'
  `);
  await connection.script("analyze");
}

/** The time of a response of a server that has just started, in milliseconds. */
async function timeFirst(path: string, settings: Record<string, string>): Promise<number> {
  const port = findFreePort();
  await using _server = await startServer({ ...settings, PORT: String(port) });
  await (await fetch(`http://127.0.0.1:${port}/api`)).text();
  const started = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  await response.text();
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
  return performance.now() - started;
}
