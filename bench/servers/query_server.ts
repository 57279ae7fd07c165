/**
 * The baseline of uncached pages: a handler that queries the page and its count and sends them as
 * JSON. Prints its port.
 */
import { openDatabase } from "../../lib/database/open_database.ts";
import { readPage } from "./page_query.ts";

const { DATABASE_URL, DATA_DIR } = Deno.env.toObject();
const database = await openDatabase({ DATABASE_URL: DATABASE_URL || null, DATA_DIR: DATA_DIR! });
const server = Deno.serve(
  { port: 0, hostname: "127.0.0.1", onListen: () => {} },
  async ({ url }) => Response.json(await readPage(database, new URL(url).searchParams)),
);
console.log(server.addr.port);
