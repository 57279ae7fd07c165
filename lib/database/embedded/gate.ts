import { SessionLost, type SingleSession } from "./single_session.ts";
import {
  concat,
  COPY_IN,
  makeError,
  makeWelcome,
  MessageReader,
  readQuery,
  readStartup,
  READY,
  renameStatement,
  REQUEST_CODES,
  splitMessages,
  type Startup,
  typeOf,
} from "./wire.ts";

/** A client that keeps a transaction open and is silent for this long is disconnected. */
const SILENCE_MS = 30_000;

/** When PostgreSQL has ended, its last answers are written within this time. */
const LOSS_MS = 1_000;

/** What ends a turn: Query, Sync, Flush, FunctionCall. */
const TURN_ENDS = "QSHF";
/** The messages of a client that copies rows into a table. */
const COPY_MESSAGES = "dcf";

/** Clients of the product leave no settings behind, as poolers demand. */
const OWN_NAME = "roadcast";

/** Ends what a client may leave in the session, beside its settings. */
const CLEAN =
  "reset session authorization; reset all; close all; discard temp; select pg_advisory_unlock_all()";

/** What a gate is told. */
interface GateOptions {
  readonly silenceMs?: number;
  /** PostgreSQL has ended, and everybody is disconnected. */
  onLost(reason: string): void;
}

/**
 * A PostgreSQL server in front of one session: it lends the session to one connection at a time,
 * from its first message until no transaction is open, in the order in which they ask.
 */
export class SessionGate {
  readonly #connections = new Map<number, Connection>();
  readonly #serving = new Set<Promise<string | null>>();
  readonly #waiting: { connection: Connection; settle(isTurn: boolean): void }[] = [];
  #holder: Connection | null = null;
  #lastKey = 0;
  #isLost = false;

  constructor(
    readonly session: SingleSession,
    private readonly reported: readonly (readonly [string, string])[],
    private readonly options: GateOptions,
  ) {}

  /** Serves a client until it leaves. */
  async serve(conn: Deno.Conn): Promise<void> {
    const key = ++this.#lastKey;
    const { silenceMs = SILENCE_MS } = this.options;
    const connection = new Connection(conn, this, { key, silenceMs });
    this.#connections.set(key, connection);
    const serving = connection.serve();
    this.#serving.add(serving);
    const loss = await serving;
    this.#serving.delete(serving);
    this.#connections.delete(key);
    if (loss !== null) await this.lose(loss);
  }

  /** Disconnects everybody; what they have not committed is rolled back. */
  async close(): Promise<void> {
    for (const connection of this.#connections.values()) connection.leave();
    for (const { settle } of this.#waiting.splice(0)) settle(false);
    await Promise.all(this.#serving);
  }

  welcome(connection: Connection): Uint8Array {
    return makeWelcome(this.reported, connection);
  }

  /** Waits for the session; false: it was cancelled meanwhile. */
  take(connection: Connection): Promise<boolean> {
    if (this.#isLost) return Promise.resolve(false);
    if (this.#holder === null) {
      this.#holder = connection;
      return Promise.resolve(true);
    }
    return new Promise((settle) => this.#waiting.push({ connection, settle }));
  }

  release(): void {
    const next = this.#waiting.shift();
    this.#holder = next?.connection ?? null;
    next?.settle(true);
  }

  /** A statement that runs cannot be cancelled: it occupies this thread. One that waits can. */
  cancel({ key, secret }: Startup): void {
    if (this.#connections.get(key)?.secret !== secret) return;
    const index = this.#waiting.findIndex(({ connection }) => connection.key === key);
    if (index >= 0) this.#waiting.splice(index, 1)[0]!.settle(false);
  }

  /** Passes notifications to all connections that listen. */
  notify(notifications: readonly Uint8Array[]): void {
    if (notifications.length === 0) return;
    const bytes = concat(notifications);
    for (const connection of this.#connections.values()) {
      if (connection.listens) void connection.write(bytes).catch(() => {});
    }
  }

  /** Ends everything: the next PostgreSQL recovers what was committed. */
  async lose(reason: string): Promise<void> {
    if (this.#isLost) return;
    this.#isLost = true;
    const late = new Promise((end) => setTimeout(end, LOSS_MS));
    const written = [...this.#connections.values()].map((connection) => connection.written);
    await Promise.race([Promise.all(written), late]);
    await Promise.race([this.close(), late]);
    this.options.onLost(reason);
  }
}

/** A client, which has the session in its turns. */
class Connection {
  readonly key: number;
  readonly secret = crypto.getRandomValues(new Int32Array(1))[0]!;
  listens = false;
  /** Settled when everything is written. */
  written: Promise<unknown> = Promise.resolve();
  readonly #reader = new MessageReader();
  /** The messages of its turn. */
  #messages: Uint8Array[] = [];
  #isCopying = false;
  /** After an error everything up to the next Sync is ignored. */
  #isSkipping = false;
  #hasTurn = false;
  #isOwn = false;
  /** The settings of a client of others, which it finds again in its next turn. */
  #settings: { name: string; setting: string }[] = [];
  /** Its prepared statements, by the names that they have in the session. */
  readonly #statements = new Set<string>();
  #silence: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly conn: Deno.Conn,
    private readonly gate: SessionGate,
    private readonly options: { key: number; silenceMs: number },
  ) {
    this.key = options.key;
  }

  /** Serves the client until it leaves; returns why PostgreSQL has ended, if it did. */
  async serve(): Promise<string | null> {
    try {
      for await (const chunk of this.conn.readable) {
        for (const message of this.#reader.read(chunk)) await this.#receive(message);
      }
    } catch (error) {
      if (error instanceof SessionLost) {
        await this.write(error.answer).catch(() => {});
        return error.message;
      }
      // Otherwise it has disconnected: the command has ended, or was killed.
    } finally {
      this.leave();
    }
    return await this.#giveBack().then(() => null, String);
  }

  leave(): void {
    clearTimeout(this.#silence);
    try {
      this.conn.close();
    } catch {
      // It is closed already.
    }
  }

  /** Writes after what was written before. */
  write(bytes: Uint8Array): Promise<void> {
    const writing = this.written.then(() => this.#writeNow(bytes));
    this.written = writing.catch(() => {});
    return writing;
  }

  async #writeNow(bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.length;) done += await this.conn.write(bytes.subarray(done));
  }

  async #receive(message: Uint8Array): Promise<void> {
    if (!this.#reader.isStarted) return await this.#start(readStartup(message));
    const type = typeOf(message);
    if (type === "X") return this.leave();
    if (this.#isSkipping) {
      if (type !== "S") return;
      this.#isSkipping = false;
      return await this.write(READY);
    }
    if (this.#isCopying) {
      if (!COPY_MESSAGES.includes(type)) return; // as PostgreSQL does
      this.#messages.push(message);
      if (type === "d") return;
      this.#isCopying = false;
      return await this.#run();
    }
    if (COPY_MESSAGES.includes(type)) return; // of a copy that has ended
    this.#messages.push(this.#rename(message));
    if (type === "Q" && copiesIn(readQuery(message))) {
      // PGlite reads no further message while it runs one: all of them are collected first.
      this.#isCopying = true;
      return await this.write(COPY_IN);
    }
    if (TURN_ENDS.includes(type)) await this.#run();
  }

  async #start(startup: Startup): Promise<void> {
    const { code, parameters } = startup;
    if (code === REQUEST_CODES.ssl || code === REQUEST_CODES.gssEncryption) {
      return await this.write(new TextEncoder().encode("N"));
    }
    if (code === REQUEST_CODES.cancel) {
      this.gate.cancel(startup);
      return this.leave();
    }
    if (code >> 16 !== 3) {
      await this.write(
        makeError("FATAL", "0A000", "this version of the protocol is not supported"),
      );
      return this.leave();
    }
    this.#reader.isStarted = true;
    this.#isOwn = parameters.get("application_name") === OWN_NAME;
    await this.write(this.gate.welcome(this));
  }

  /** Two clients may give their statements the same names. */
  #rename(message: Uint8Array): Uint8Array {
    return renameStatement(message, (name) => {
      const own = `${this.key}:${name}`;
      this.#statements.add(own);
      return own;
    });
  }

  async #run(): Promise<void> {
    clearTimeout(this.#silence);
    const messages = this.#messages;
    this.#messages = [];
    if (!this.#hasTurn && !await this.gate.take(this)) return await this.#refuse(messages);
    if (!this.#hasTurn) {
      this.#hasTurn = true;
      await this.#enter();
    }
    const copies = COPY_MESSAGES.includes(typeOf(messages.at(-1)!));
    const answer = await this.gate.session.run(messages);
    if (answer.listens) this.listens = true;
    const bytes = answer.notifies || copies ? this.#passOn(answer.bytes, copies) : answer.bytes;
    if (answer.isOpen) this.#silence = setTimeout(() => this.leave(), this.options.silenceMs);
    else await this.#endTurn();
    await this.write(bytes);
  }

  /** The answer for this client; notifications go to all that listen. */
  #passOn(answer: Uint8Array, copies: boolean): Uint8Array {
    const messages = [...splitMessages(answer)];
    this.gate.notify(messages.filter(({ type }) => type === "A").map(({ message }) => message));
    // The client was asked for its rows already.
    const kept = messages.filter(({ type }) => type !== "A" && !(type === "G" && copies));
    return concat(kept.map(({ message }) => message));
  }

  /** Answers what was cancelled before its turn. */
  async #refuse(messages: readonly Uint8Array[]): Promise<void> {
    const error = makeError("ERROR", "57014", "canceling statement due to user request");
    const isWhole = typeOf(messages.at(-1)!) !== "H";
    this.#isSkipping = !isWhole;
    await this.write(isWhole ? concat([error, READY]) : error);
  }

  async #enter(): Promise<void> {
    for (const { name, setting } of this.#settings) {
      await this.gate.session.query("select set_config($1, $2, false)", [name, setting]);
    }
  }

  async #endTurn(): Promise<void> {
    if (!this.#isOwn) await this.#clean();
    this.#hasTurn = false;
    this.gate.release();
  }

  /** Takes what a client of others left out of the session. */
  async #clean(): Promise<void> {
    const { session } = this.gate;
    this.#settings = await session.query(
      "select name, setting from pg_settings where source = 'session'",
    );
    const prepared = await session.query<{ name: string }>(
      "select quote_ident(name) as name from pg_prepared_statements where from_sql",
    );
    await session.script([...prepared.map(({ name }) => `deallocate ${name}`), CLEAN].join("; "));
  }

  /** Rolls back what it did not commit, and forgets its statements. */
  async #giveBack(): Promise<void> {
    if (this.#hasTurn) {
      // Without a transaction this is only a warning.
      await this.gate.session.script("rollback");
      await this.#endTurn();
    }
    if (this.#statements.size === 0 || !await this.gate.take(this)) return;
    for (const { name } of await this.#listStatements()) {
      await this.gate.session.script(`deallocate ${name}`);
    }
    this.gate.release();
  }

  #listStatements(): Promise<{ name: string }[]> {
    return this.gate.session.query(
      "select quote_ident(name) as name from pg_prepared_statements where name like $1",
      [`${this.key}:%`],
    );
  }
}

/** Whether a statement is `copy … from stdin`, after blanks and comments. */
function copiesIn(text: string): boolean {
  let rest = text.trimStart();
  for (let comment; (comment = /^(?:--|\/\*)/.exec(rest)); rest = rest.trimStart()) {
    const mark = comment[0] === "--" ? "\n" : "*/";
    const end = rest.indexOf(mark, 2);
    if (end < 0) return false;
    rest = rest.slice(end + mark.length);
  }
  const [statement] = rest.split(";", 1);
  return /^copy\s/i.test(rest) && /\sfrom\s+stdin\b/i.test(statement!);
}
