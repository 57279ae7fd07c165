import { ok as assert } from "node:assert/strict";
import type { Database } from "../../lib/database/database.ts";
import { readDataVersion } from "../../lib/database/data_version.ts";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { slowOnDatabases } from "../support/slow.ts";

const ID = makeItem(1).release_item_id;

/** Pages and answers that take several statements. */
const ADDRESSES = [
  "/",
  "/?view=board&release_status=Open+A&release_status=Open+B",
  "/?q=texts",
  "/?q=texst+a",
  `/release/${ID}`,
  "/changelog",
  "/insights",
  "/compare?from=2026-07-14",
  "/search.json?q=texts",
  "/api/releases?q=texts&match=words",
  "/api/releases?page_size=2",
  `/api/releases?release_item_id=${ID}`,
  "/api/changes",
  "/api/changelog?days=30",
  "/rss.xml?q=texts",
  "/feed.json",
  "/calendar.ics",
];

slowOnDatabases(
  "An answer is of the state before an import or after, never of both",
  async (raw) => {
    let state = "A";
    const importNext = async () => {
      state = state === "A" ? "B" : "A";
      const items = [1, 2, 3].map((number) =>
        makeItem(number, {
          feature_name: `Texts ${state} ${number}`,
          feature_description: `Of texts ${state}`,
          release_status: `Open ${state}`,
          product_name: `Product ${state}`,
          release_date: state === "A" ? "Q3 2026" : "Q4 2026",
        })
      );
      await importItems(raw, items, { announce: true, allowMassRemoval: true });
    };
    await importNext();
    // It hears of an import when the test says so, and until then has to look.
    const watched = watch(raw);
    await using app = await startApp(watched.database);
    // As a service answers that has kept nothing.
    const afresh = async (address: string) => {
      await using other = await startApp(raw);
      return await read(other, address);
    };
    for (const address of ADDRESSES) {
      for (let place = 1; place < 40; place++) {
        await watched.tellVersion();
        const before = await afresh(address);
        const isOver = watched.atStatement(place, importNext);
        const answer = await read(app, address);
        if (!isOver()) break;
        const after = await afresh(address);
        assert(
          answer === after || answer === before,
          `${address} with an import before statement ${place}:\n${answer}\nis neither\n${before}\nnor\n${after}`,
        );
      }
    }
  },
);

async function read(app: { fetch(path: string): Promise<Response> }, address: string) {
  return await (await app.fetch(address)).text();
}

/** A database that does something between two statements. */
function watch(raw: Database) {
  let left = Infinity;
  let hear = (_version: string) => {};
  let work = () => Promise.resolve();
  const wait = async () => {
    left--;
    if (left === 0) await work();
  };
  const database: Database = {
    ...raw,
    async query(statement, caller) {
      await wait();
      return await raw.query(statement, caller);
    },
    listen(_channel, onMessage) {
      hear = onMessage;
      return Promise.resolve();
    },
  };
  return {
    database,
    tellVersion: async () => hear(String(await readDataVersion(raw))),
    /** Whether it came to that statement is answered by what this returns. */
    atStatement(place: number, doThis: () => Promise<void>) {
      left = place;
      work = doThis;
      return () => left <= 0;
    },
  };
}
