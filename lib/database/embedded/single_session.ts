import { PGlite, type PGliteOptions } from "@electric-sql/pglite";
import { concat, readFields, readTag, splitMessages, typeOf } from "./wire.ts";

/** The settings that a server reports to its clients. */
const REPORTED = [
  "server_version",
  "server_encoding",
  "client_encoding",
  "DateStyle",
  "IntervalStyle",
  "TimeZone",
  "integer_datetimes",
  "standard_conforming_strings",
  "is_superuser",
  "session_authorization",
  "default_transaction_read_only",
  "in_hot_standby",
];

/** What PostgreSQL answered to some messages. */
interface Answer {
  readonly bytes: Uint8Array;
  /** Whether a transaction is open after them. */
  readonly isOpen: boolean;
  /** Whether notifications are among them. */
  readonly notifies: boolean;
  /** Whether a channel is listened to from now on. */
  readonly listens: boolean;
}

/** PostgreSQL has ended: its memory may be in any state, so it must be started again. */
export class SessionLost extends Error {
  /** What it said before. */
  constructor(message: string, readonly answer: Uint8Array) {
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
    const chunks: Uint8Array[] = [];
    let trap: unknown = null;
    try {
      await this.pglite.execProtocolRawStream(
        messages.length === 1 ? messages[0]! : concat(messages),
        { syncToFs: false, onRawData: (chunk) => void chunks.push(chunk.slice()) },
      );
    } catch (error) {
      trap = error;
    }
    const bytes = chunks.length === 1 ? chunks[0]! : concat(chunks);
    const { status, end, ...seen } = summarise(bytes);
    const isComplete = status !== null || typeOf(messages.at(-1)!) === "H" &&
        (bytes.length > 0 || messages.length === 1);
    if (trap === null && end === null && isComplete) {
      return { bytes, isOpen: status !== "I", ...seen };
    }
    // Open files keep their disk space, even those that the next start deletes.
    await closeFiles(this.pglite);
    throw new SessionLost(
      end ?? (trap instanceof Error ? trap.message : "it stopped within a statement"),
      bytes,
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

/** What an answer holds: the last status of the transaction, and how PostgreSQL ended, if it did. */
function summarise(answer: Uint8Array) {
  let status: string | null = null;
  let end: string | null = null;
  let notifies = false;
  let listens = false;
  for (const { type, message } of splitMessages(answer)) {
    if (type === "Z") status = String.fromCharCode(message[5]!);
    else if (type === "A") notifies = true;
    else if (type === "C") listens ||= readTag(message) === "LISTEN";
    else if (type === "E") {
      const fields = readFields(message);
      // A failure while writing WAL is a panic; FATAL ends a session, and there is only one.
      if (["PANIC", "FATAL"].includes(fields.get("V")!)) end = fields.get("M")!;
    }
  }
  return { status, end, notifies, listens };
}

async function closeFiles(pglite: PGlite): Promise<void> {
  await pglite.fs?.closeFs().catch(() => {});
}
