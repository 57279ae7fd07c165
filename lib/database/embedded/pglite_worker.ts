/**
 * The thread of the embedded database: a PostgreSQL server on a socket. PGlite blocks its thread
 * while a statement runs; in the server's own thread it would delay even responses that need no
 * database.
 */
import { PGlite } from "@electric-sql/pglite";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import { vector } from "@electric-sql/pglite-pgvector";
import { RANDOM_PAGE_COST } from "../planner.ts";
import { SessionGate } from "./gate.ts";
import { SingleSession } from "./single_session.ts";
import type { SocketAddress } from "./socket_place.ts";

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

/** What the thread opens, and where it listens. */
export interface OpenOptions extends SocketAddress {
  /** The folder of the database; absent: it is in memory. */
  readonly folder?: string;
  /** An earlier dump, as a tar archive. */
  readonly image?: Uint8Array<ArrayBuffer>;
  readonly silenceMs?: number;
}

export type Request = { open: OpenOptions } | { close: true };

/** An error for transfer between threads, which loses its class and own properties. */
interface PlainError {
  name: string;
  message: string;
  code?: string;
  errno?: number;
}

/** What the thread says: a request is done, or has failed, or PostgreSQL has ended. */
export type WorkerNotice = { done: true } | { error: PlainError } | { end: string };

let stop = async () => {};
let lose: ((reason: string) => Promise<void>) | null = null;

async function open({ path, user, folder, image, silenceMs }: OpenOptions): Promise<void> {
  // Clients that connect from here on wait until it is open.
  const listener = Deno.listen({ transport: "unix", path });
  await Deno.chmod(path, 0o600);
  const session = await SingleSession.open({
    dataDir: folder,
    loadDataDir: image && new Blob([image]),
    extensions: { pg_trgm, vector },
    startParams: START_PARAMETERS,
  });
  const onLost = (end: string) => post({ end });
  const gate = new SessionGate(session, { ownUser: user, silenceMs, onLost });
  const accepting = (async () => {
    for await (const conn of listener) void gate.serve(conn);
  })();
  lose = (reason) => gate.lose(reason);
  stop = async () => {
    listener.close();
    await accepting;
    await gate.close();
    await session.close();
  };
}

const thread = self as unknown as {
  postMessage(message: WorkerNotice): void;
  onmessage: (event: MessageEvent<Request>) => void;
};
/** Sockets stay open when a thread ends with an error, and their clients would wait for ever. */
self.addEventListener("unhandledrejection", (event) => {
  if (lose === null) return;
  event.preventDefault();
  void lose(String(event.reason));
});

const post = (notice: WorkerNotice) => thread.postMessage(notice);

thread.onmessage = async ({ data }) => {
  const opening = "open" in data ? data.open : null;
  try {
    await (opening ? open(opening) : stop());
    post({ done: true });
  } catch (error) {
    const { name, message, code, errno } = error as PlainError;
    post({ error: { name, message, code, errno } });
  }
};
