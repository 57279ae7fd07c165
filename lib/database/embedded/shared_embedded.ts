import { DatabaseAway, type EmbeddedDatabase } from "../database.ts";
import { openEmbedded } from "./embedded.ts";
import { DatabaseInUse } from "./folder_lock.ts";
import type { Frames } from "./frames.ts";
import { toError } from "./plain_error.ts";
import { Pool } from "../pool.ts";
import { connectToFolder } from "./server_socket.ts";
import { connectionOf, runTransaction, type Session } from "./session.ts";
import type { MethodCall, Reply } from "./shared_session.ts";

/**
 * Opens the embedded database of a folder, through the server if one has it open.
 *
 * @throws {DatabaseInUse} if another process that is not a server has it open
 */
export async function openEmbeddedOrShared(folder: string): Promise<EmbeddedDatabase> {
  try {
    return await openEmbedded(folder);
  } catch (error) {
    if (!(error instanceof DatabaseInUse)) throw error;
    const frames = await connectToFolder(folder);
    if (frames === null) throw error;
    return sharedDatabase(new RemoteSession(frames, folder));
  }
}

/** The session of a server, seen from another process. */
class RemoteSession implements Session {
  /** The server answers one call after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly frames: Frames, private readonly folder: string) {}

  // deno-lint-ignore no-explicit-any
  call(method: MethodCall["method"], ...args: unknown[]): Promise<any> {
    const answer = this.#last.then(() => this.#ask(method, args));
    this.#last = answer.catch(() => {});
    return answer;
  }

  async #ask(method: MethodCall["method"], args: unknown[]): Promise<unknown> {
    const reply = await this.frames.write({ method, args } satisfies MethodCall)
      .then(() => this.frames.read(), () => null);
    if (reply === null) {
      throw new DatabaseAway(
        `The server that had the database in ${this.folder} open stopped or closed this connection`,
      );
    }
    const { value, error } = reply.value as Reply;
    if (error) throw toError(error);
    return value;
  }

  query(text: string, params: unknown[]): Promise<unknown[]> {
    return this.call("query", text, params);
  }

  script(text: string): Promise<void> {
    return this.call("script", text);
  }

  close(): void {
    this.frames.close();
  }
}

/** Commands have no clients that could disconnect, so nothing is cancelled. */
function sharedDatabase(session: RemoteSession): EmbeddedDatabase {
  const turns = new Pool([session], Infinity);
  const connection = connectionOf(session);
  async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    await turns.take();
    return await work().finally(() => turns.give(session));
  }
  const hold = <Result>(work: () => Promise<Result>) =>
    inTurn(async () => {
      await session.call("hold");
      // If that fails, the connection has ended, and the server has released the database.
      return await work().finally(() => session.call("release").catch(() => {}));
    });
  return {
    kind: "embedded",
    query: (statement) => inTurn(() => connection.query(statement)),
    script: (text) => inTurn(() => connection.script(text)),
    transaction: (work) => hold(() => runTransaction(connection, work)),
    inspect: (read) => hold(() => read(connection)),
    // A command reads what it needs, and ends before that is out of date.
    listen: (_channel, _onMessage, onDoubt) => Promise.resolve(onDoubt()),
    async dump(read) {
      const { known, bytes } = await hold(async () => ({
        known: await read(connection),
        bytes: await session.call("dump") as number,
      }));
      const pieces: Uint8Array<ArrayBuffer>[] = [];
      for (let start = 0; start < bytes; start += pieces.at(-1)!.length) {
        pieces.push(await inTurn(() => session.call("dumpPiece", start)));
      }
      return { known, image: new Blob(pieces) };
    },
    async exclusively(name, work) {
      if (!await inTurn(() => session.call("takeName", name))) return null;
      return await work().finally(() =>
        inTurn(() => session.call("dropName", name)).catch(() => {})
      );
    },
    close: () => inTurn(() => Promise.resolve(session.close())),
  };
}
