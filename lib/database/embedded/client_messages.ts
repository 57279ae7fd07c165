import { copiesIn, splitStatements } from "./sql_statements.ts";
import {
  makeCopyFail,
  MessageReader,
  ProtocolViolation,
  readQuery,
  readStartup,
  REQUEST_CODES,
  type Startup,
  typeOf,
} from "./wire.ts";

/** What a client asks for by its messages. */
export type ClientRequest =
  | { readonly asks: "encryption" }
  | { readonly asks: "cancel" | "start"; readonly startup: Startup }
  /** To be asked for the rows that it copies in. */
  | { readonly asks: "rows" }
  /** To have messages run, which copy in rows for which it has been asked so many times. */
  | { readonly asks: "run"; readonly messages: readonly Uint8Array[]; readonly copies: number }
  | { readonly asks: "end" };

/** What ends a batch of messages: Query, Sync, Flush, FunctionCall. */
const BATCH_ENDS = "QSHF";
/** The messages of a client that copies rows into a table. */
const COPY_MESSAGES = "dcf";

/** More rows than this would not fit into the memory of the embedded database. */
const MAX_COPY_BYTES = 256 * 1024 * 1024;

/**
 * PostgreSQL ignores it, unless a copy reads it that the gate has not collected rows for: PGlite
 * cannot wait for them.
 */
const NO_ROWS = makeCopyFail("its rows were not collected");

/** Makes requests of what one client sends, in PostgreSQL's protocol. */
export class ClientMessages {
  readonly #reader = new MessageReader();
  /** What is run together. */
  #batch: Uint8Array[] = [];
  #isSkipping = false;
  /** A statement may copy rows in by the extended protocol. */
  #mayCopy = false;
  #copy: { asked: number; left: number; bytes: number } | null = null;

  /**
   * Reads what has arrived. Requests are read one after the other, since an answer may change what
   * the next messages mean.
   *
   * @throws {ProtocolViolation} as soon as it is none of PostgreSQL's protocol
   */
  *read(chunk: Uint8Array): Generator<ClientRequest> {
    for (const message of this.#reader.read(chunk)) {
      if (!this.#reader.isStarted) yield this.#start(readStartup(message));
      else if (this.#copy !== null) yield* this.#copyIn(message, this.#copy);
      else yield* this.#collect(message);
    }
  }

  /** Ignores everything up to the next Sync, as PostgreSQL does after an error. */
  skipToSync(): void {
    this.#isSkipping = true;
  }

  #start(startup: Startup): ClientRequest {
    const { code } = startup;
    if (code === REQUEST_CODES.ssl || code === REQUEST_CODES.gssEncryption) {
      return { asks: "encryption" };
    }
    if (code === REQUEST_CODES.cancel) return { asks: "cancel", startup };
    if (code >> 16 !== 3) {
      throw new ProtocolViolation("this version of the protocol is not supported", "0A000");
    }
    this.#reader.isStarted = true;
    return { asks: "start", startup };
  }

  *#collect(message: Uint8Array): Generator<ClientRequest> {
    const type = typeOf(message);
    if (type === "X") return yield { asks: "end" };
    if (COPY_MESSAGES.includes(type)) return; // of a copy that has ended
    if (this.#isSkipping && type !== "S") return;
    this.#isSkipping = false;
    this.#batch.push(message);
    if (type === "P") this.#mayCopy ||= mentionsCopy(message);
    if (type === "E" && this.#mayCopy) this.#batch.push(NO_ROWS);
    if (type === "Q" && mentionsCopy(message)) {
      const copies = splitStatements(readQuery(message)).filter(copiesIn).length;
      if (copies > 0) {
        // PGlite reads no further message while it runs one: all rows are collected first.
        this.#copy = { asked: copies, left: copies, bytes: 0 };
        return yield { asks: "rows" };
      }
      this.#batch.push(NO_ROWS);
    }
    if (BATCH_ENDS.includes(type)) yield this.#run(0);
  }

  *#copyIn(
    message: Uint8Array,
    copy: { asked: number; left: number; bytes: number },
  ): Generator<ClientRequest> {
    const type = typeOf(message);
    if (type === "X") return yield { asks: "end" };
    if (type === "S" || type === "H") return; // as PostgreSQL does
    if (!COPY_MESSAGES.includes(type)) {
      throw new ProtocolViolation(`unexpected message type "${type}" while rows are copied in`);
    }
    copy.bytes += message.length;
    if (copy.bytes <= MAX_COPY_BYTES) this.#batch.push(message);
    else this.#batch = this.#batch.filter((earlier) => !COPY_MESSAGES.includes(typeOf(earlier)));
    if (type === "d") return;
    if (type === "c" && --copy.left > 0) return yield { asks: "rows" };
    if (copy.bytes > MAX_COPY_BYTES) {
      this.#batch.push(makeCopyFail(`more than ${MAX_COPY_BYTES} bytes of rows in one query`));
    }
    this.#batch.push(NO_ROWS);
    this.#copy = null;
    yield this.#run(copy.asked - copy.left + (type === "f" ? 1 : 0));
  }

  #run(copies: number): ClientRequest {
    const messages = this.#batch;
    this.#batch = [];
    return { asks: "run", messages, copies };
  }
}

/** Whether a Query or a Parse may copy: nearly none does, and looking closely takes longer. */
function mentionsCopy(message: Uint8Array): boolean {
  return /copy/i.test(new TextDecoder("latin1").decode(message));
}
