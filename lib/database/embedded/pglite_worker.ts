/**
 * The thread of the embedded database. PGlite blocks its thread while a statement runs; in the
 * server's own thread it would delay even responses that need no database.
 */
import { PGlite, types } from "@electric-sql/pglite";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import { vector } from "@electric-sql/pglite-pgvector";
import { type PlainError, toPlain } from "./plain_error.ts";
import { RANDOM_PAGE_COST } from "../planner.ts";
import { RestartingPGlite } from "./restarting_pglite.ts";

/**
 * Used buffers are never freed, and the files are in the page cache of the system anyway: searches
 * among 10,000 releases take 15 % longer than with 32 MB. PostgreSQL's default is 128 MB.
 */
const SHARED_BUFFERS = "8MB";

const START_PARAMETERS = [
  ...PGlite.defaultStartParams,
  ...["-c", `shared_buffers=${SHARED_BUFFERS}`],
  ...["-c", `random_page_cost=${RANDOM_PAGE_COST}`],
];

/** PGlite's own conversion of bytes to text and back takes seconds for a few megabytes. */
const BYTES_AS_HEX = {
  parsers: { [types.BYTEA]: (text: string) => Uint8Array.fromHex(text.slice("\\x".length)) },
  serializers: { [types.BYTEA]: (bytes: Uint8Array) => `\\x${bytes.toHex()}` },
};

/** A request to the thread, and its answer: a value or an error. */
export interface Call {
  id: number;
  method: keyof Methods;
  args: unknown[];
}
export interface Answer {
  id: number;
  value?: unknown;
  error?: PlainError;
}
/** A notification; without a payload some may have been missed. */
export interface Notice {
  channel: string;
  payload: string | null;
}

export type Methods = typeof METHODS;

let pglite: RestartingPGlite;

const METHODS = {
  /** Opens the database of a folder, or one in memory; `image` is an earlier dump. */
  async open(
    { folder, image }: { folder?: string; image?: Uint8Array<ArrayBuffer> },
  ) {
    pglite = await RestartingPGlite.open({
      dataDir: folder,
      loadDataDir: image && new Blob([image]),
      extensions: { pg_trgm, vector },
      startParams: START_PARAMETERS,
      ...BYTES_AS_HEX,
    });
  },
  async query(text: string, params: unknown[]): Promise<unknown[]> {
    return (await (await pglite.get()).query(text, params)).rows;
  },
  async script(text: string): Promise<void> {
    await (await pglite.get()).exec(text);
  },
  async listen(channel: string): Promise<void> {
    const tell = (payload: string | null) => post({ channel, payload } satisfies Notice);
    await pglite.prepare(async (started) => {
      await started.listen(channel, tell);
      tell(null);
    });
  },
  async dump(compression: "gzip" | "none"): Promise<Uint8Array<ArrayBuffer>> {
    return await (await (await pglite.get()).dumpDataDir(compression)).bytes();
  },
  async close(): Promise<void> {
    await pglite?.close();
  },
};

const thread = self as unknown as {
  postMessage(message: unknown): void;
  onmessage: (event: MessageEvent<Call>) => void;
};
const post = (message: Answer | Notice) => thread.postMessage(message);

thread.onmessage = async ({ data: { id, method, args } }) => {
  try {
    const call = METHODS[method] as (...args: unknown[]) => Promise<unknown>;
    post({ id, value: await call(...args) });
  } catch (error) {
    post({ id, error: toPlain(error) });
  }
};
