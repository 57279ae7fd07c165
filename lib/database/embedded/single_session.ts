import { PGlite, type PGliteOptions } from "@electric-sql/pglite";
import { AnswerReader, concat, readFields, readTag, typeOf } from "./wire.ts";

/** The settings that a server reports to its clients. */
const REPORTED = `
  server_version server_encoding client_encoding DateStyle IntervalStyle TimeZone
  integer_datetimes standard_conforming_strings is_superuser session_authorization
  default_transaction_read_only in_hot_standby
`.trim().split(/\s+/);

/** PGlite blocks its thread, so an answer is kept until it is whole. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/** What PostgreSQL answered to some messages. */
export interface Answer {
  /** In pieces, as it came; null: it was too long to be kept. */
  readonly pieces: Uint8Array[] | null;
  /** Whether a transaction is open after them. */
  readonly isOpen: boolean;
  /** Whether everything up to the next Sync is ignored, because of an error. */
  readonly isSkipping: boolean;
  /** The types of its messages that are telling. */
  readonly types: ReadonlySet<string>;
  /** What was done, such as `LISTEN`. */
  readonly tags: ReadonlySet<string>;
}

/** PostgreSQL has ended: its memory may be in any state, so it must be started again. */
export class SessionLost extends Error {
  /** What it said before. */
  constructor(message: string, readonly answer: readonly Uint8Array[]) {
    super(message);
  }
}

/** The one session of a PGlite, in the bytes of PostgreSQL's protocol. */
export class SingleSession {
  private constructor(private readonly pglite: PGlite) {}

  static async open(options: PGliteOptions): Promise<SingleSession> {
    const pglite = new PGlite(options);
    try {
      await pglite.waitReady;
    } catch (error) {
      await closeFiles(pglite);
      throw error;
    }
    return new SingleSession(pglite);
  }

  /** The settings that are reported to clients. */
  async readReported(): Promise<[name: string, value: string][]> {
    const rows = await this.query<{ name: string; setting: string }>(
      `select name, setting from pg_settings where name in ('${REPORTED.join("', '")}')`,
    );
    return rows.map(({ name, setting }) => [name, setting]);
  }

  /**
   * Runs the messages of a client.
   *
   * @throws {SessionLost} after a panic or a trap of WebAssembly
   */
  async run(messages: readonly Uint8Array[]): Promise<Answer> {
    const pieces: Uint8Array[] = [];
    let length = 0;
    const seen = new Seen();
    let trap: unknown = null;
    try {
      await this.pglite.execProtocolRawStream(
        messages.length === 1 ? messages[0]! : concat(messages),
        {
          syncToFs: false,
          onRawData: (piece) => {
            seen.reader.read(piece);
            length += piece.length;
            if (length <= MAX_ANSWER_BYTES) pieces.push(piece.slice());
            else pieces.length = 0;
          },
        },
      );
    } catch (error) {
      trap = error;
    }
    const { status, end, types, tags } = seen;
    const isComplete = status !== null || typeOf(messages.at(-1)!) === "H" &&
        (length > 0 || messages.length === 1);
    if (trap === null && end === null && isComplete) {
      const isSkipping = status === null && types.has("E");
      const whole = length <= MAX_ANSWER_BYTES ? pieces : null;
      return { pieces: whole, isOpen: status !== "I", isSkipping, types, tags };
    }
    // Open files keep their disk space, even those that the next start deletes.
    await closeFiles(this.pglite);
    throw new SessionLost(
      end ?? (trap instanceof Error ? trap.message : "it stopped within a statement"),
      pieces,
    );
  }

  /** Runs a statement of our own. */
  async query<Row>(text: string, params: unknown[] = []): Promise<Row[]> {
    return (await this.pglite.query<Row>(text, params)).rows;
  }

  /** Runs statements of our own, one after the other. */
  async script(text: string): Promise<void> {
    await this.pglite.exec(text);
  }

  async close(): Promise<void> {
    await this.pglite.close();
  }
}

class Seen {
  status: string | null = null;
  /** How PostgreSQL ended, if it did. */
  end: string | null = null;
  readonly types = new Set<string>();
  readonly tags = new Set<string>();
  readonly reader = new AnswerReader((type, message) => this.#see(type, message));

  #see(type: string, message: Uint8Array): void {
    this.types.add(type);
    if (type === "Z") this.status = String.fromCharCode(message[5]!);
    else if (type === "C") this.tags.add(readTag(message));
    else if (type === "E") {
      const fields = readFields(message);
      // A failure while writing WAL is a panic; FATAL ends a session, and there is only one.
      if (["PANIC", "FATAL"].includes(fields.get("V")!)) this.end ??= fields.get("M")!;
    }
  }
}

async function closeFiles(pglite: PGlite): Promise<void> {
  await pglite.fs?.closeFs().catch(() => {});
}
