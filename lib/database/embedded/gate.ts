import { ClientMessages, type ClientRequest } from "./client_messages.ts";
import { ClientSession } from "./client_session.ts";
import { SessionQueue } from "./session_queue.ts";
import { SessionLost, type SingleSession } from "./single_session.ts";
import { REQUESTS_NAME } from "./socket_place.ts";
import {
  concat,
  COPY_IN,
  makeError,
  makeWelcome,
  ProtocolViolation,
  READY,
  splitMessages,
  type Startup,
  typeOf,
  withSender,
} from "./wire.ts";

/** A client that keeps a transaction open and is silent for this long is disconnected. */
const SILENCE_MS = 30_000;

/** Such a client gets the rest of its answer if it goes on reading within this time. */
const REST_MS = 600_000;

/** When PostgreSQL has ended, its last answers are written within this time. */
const LOSS_MS = 1_000;

interface GateOptions {
  /** What the product's own clients give as their user: others do not know it. */
  readonly ownUser: string;
  readonly silenceMs?: number;
  /** PostgreSQL has ended, and everybody is disconnected. */
  onLost(reason: string): void;
}

/**
 * A PostgreSQL server in front of one session: it lends the session to one connection at a time,
 * from its first message until no transaction is open. Requests come first, then the others in the
 * order in which they ask.
 */
export class SessionGate {
  readonly #connections = new Map<number, Connection>();
  readonly #serving = new Set<Promise<string | null>>();
  readonly #queue = new SessionQueue();
  /** What anybody has listened to. */
  readonly #channels = new Set<string>();
  #lastKey = 0;
  #isLost = false;

  /** A gate to a session that nobody else uses. */
  constructor(readonly session: SingleSession, readonly options: GateOptions) {}

  async serve(conn: Deno.Conn): Promise<void> {
    const key = ++this.#lastKey;
    const connection = new Connection(conn, this, key);
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
    this.#queue.refuseAll();
    await Promise.all(this.#serving);
  }

  /** Waits for the session; false: it was cancelled meanwhile. */
  async take(connection: Connection): Promise<boolean> {
    return !this.#isLost && await this.#queue.take(connection);
  }

  release(): void {
    this.#queue.release();
  }

  /** A statement that runs cannot be cancelled: it occupies this thread. One that waits can. */
  cancel({ key, secret }: Startup): void {
    const connection = this.#connections.get(key);
    if (connection?.secret === secret) this.#queue.refuse(connection);
  }

  /** Passes notifications to all that listen to anything. */
  notify(notifications: readonly Uint8Array[]): void {
    for (const connection of this.#connections.values()) {
      if (connection.listens) void connection.write([concat(notifications)]).catch(() => {});
    }
  }

  /** Goes on listening for all, whatever one client has ended for itself. */
  async listenAgain(): Promise<void> {
    const heard = await this.session.query<{ channel: string }>(
      "select pg_catalog.pg_listening_channels() as channel",
    );
    for (const { channel } of heard) this.#channels.add(channel);
    if (heard.length === this.#channels.size) return;
    const names = [...this.#channels].map((name) => name.replaceAll('"', '""'));
    await this.session.script(names.map((name) => `listen "${name}"`).join("; "));
  }

  /** Prepares the statements of the other clients again, which one has removed. */
  async prepareAgain(except: Connection): Promise<void> {
    for (const connection of this.#connections.values()) {
      if (connection !== except) await connection.client?.prepareAgain();
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
  readonly secret = crypto.getRandomValues(new Int32Array(1))[0]!;
  /** It serves requests, which go before jobs. */
  isRequest = false;
  /** Settled when everything is written. */
  written: Promise<unknown> = Promise.resolve();
  /** It has listened to a channel. */
  listens = false;
  /** What it has in the session; null: it has not said yet who it is. */
  client: ClientSession | null = null;
  readonly #messages = new ClientMessages();
  /** The tags of the statements of its turn, such as `LISTEN`; null: it has none. */
  #turn: Set<string> | null = null;
  #silence: ReturnType<typeof setTimeout> | undefined;
  /** Its transaction is being ended, since it was silent in it; null: it was not. */
  #expiring: Promise<void> | null = null;

  constructor(
    private readonly conn: Deno.Conn,
    private readonly gate: SessionGate,
    readonly key: number,
  ) {}

  /** Serves the client until it leaves; returns why PostgreSQL has ended, if it did. */
  async serve(): Promise<string | null> {
    try {
      // Otherwise an error would close it before the client can be told of it.
      for await (const chunk of this.conn.readable.values({ preventCancel: true })) {
        for (const request of this.#messages.read(chunk)) {
          if (this.#expiring === null) await this.#answer(request);
        }
        this.#awaitMore();
      }
    } catch (error) {
      if (error instanceof SessionLost) {
        await this.write(error.answer).catch(() => {});
        return error.message;
      }
      if (error instanceof ProtocolViolation) {
        await this.write([makeError("FATAL", error.code, error.message)]).catch(() => {});
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

  /** Writes after what was written before, and lets go of each piece that is written. */
  write(pieces: readonly Uint8Array[]): Promise<void> {
    const left = [...pieces].reverse();
    const writing = this.written.then(async () => {
      for (let piece; (piece = left.pop());) await this.#writeNow(piece);
    });
    this.written = writing.catch(() => {});
    return writing;
  }

  async #writeNow(bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.length;) {
      done += await this.conn.write(bytes.subarray(done));
      this.#awaitMore();
    }
  }

  /** While others wait for it, it has to send or to read something now and then. */
  #awaitMore(): void {
    clearTimeout(this.#silence);
    const { silenceMs = SILENCE_MS } = this.gate.options;
    if (this.#expiring !== null) this.#silence = setTimeout(() => this.leave(), REST_MS);
    else if (this.#turn !== null) {
      this.#silence = setTimeout(() => this.#expiring = this.#expire(), silenceMs);
    }
  }

  /** Others get the session; it still gets what was answered, and then why it is disconnected. */
  async #expire(): Promise<void> {
    try {
      await this.#rollBack();
      void this.write([makeError("FATAL", "25P03", SILENT)]).catch(() => {}).then(() =>
        this.leave()
      );
    } catch {
      this.leave(); // PostgreSQL has ended
    }
  }

  async #answer(request: ClientRequest): Promise<void> {
    switch (request.asks) {
      case "encryption":
        return await this.write([new TextEncoder().encode("N")]);
      case "cancel":
        this.gate.cancel(request.startup);
        return this.leave();
      case "start":
        return await this.#start(request.startup);
      case "rows":
        return await this.write([COPY_IN]);
      case "run":
        return await this.#run(request.messages, request.copies);
      case "end":
        return this.leave();
    }
  }

  async #start({ parameters }: Startup): Promise<void> {
    const isOwn = parameters.get("user") === this.gate.options.ownUser;
    this.isRequest = isOwn && parameters.get("application_name") === REQUESTS_NAME;
    const client = new ClientSession(this.gate.session, { key: this.key, isOwn, parameters });
    if (!await this.gate.take(this)) return this.leave();
    this.client = client;
    await this.#begin();
    const reported = await this.gate.session.readReported();
    await this.#end();
    await this.write([makeWelcome(reported, this)]);
  }

  async #run(messages: readonly Uint8Array[], copies: number): Promise<void> {
    clearTimeout(this.#silence);
    if (this.#turn === null) {
      // After a Sync that ends what was refused there is nothing to do.
      if (messages.length === 1 && typeOf(messages[0]!) === "S") return await this.write([READY]);
      if (!await this.gate.take(this)) return await this.#refuse(messages);
      await this.#begin();
    }
    const answer = await this.gate.session.run(this.client!.translate(messages));
    const { tags, types, isOpen, isSkipping } = answer;
    for (const tag of tags) this.#turn!.add(tag);
    if (answer.pieces === null) throw new ProtocolViolation(TOO_LONG, "54000");
    const { pieces } = answer;
    const passed = types.has("A") || types.has("G") ? this.#passOn(pieces, copies) : pieces;
    if (isSkipping) this.#messages.skipToSync();
    if (!isOpen) await this.#end();
    await this.write(passed);
  }

  /** The answer for this client; notifications go to all that listen. */
  #passOn(pieces: readonly Uint8Array[], copies: number): Uint8Array[] {
    const kept: Uint8Array[] = [];
    const notifications: Uint8Array[] = [];
    let asked = copies;
    let isRefused = false;
    for (const { type, message } of splitMessages(concat(pieces))) {
      if (type === "A") notifications.push(withSender(message, this.key));
      else if (type === "G") isRefused = asked-- <= 0; // otherwise it was asked for its rows already
      else if (type === "E" && isRefused) {
        kept.push(makeError("ERROR", "0A000", NO_COPY));
        isRefused = false;
      } else kept.push(message);
    }
    this.gate.notify(notifications);
    return [concat(kept)];
  }

  /** Answers what was cancelled before its turn. */
  async #refuse(messages: readonly Uint8Array[]): Promise<void> {
    const error = makeError("ERROR", "57014", "canceling statement due to user request");
    const isWhole = typeOf(messages.at(-1)!) !== "H";
    if (!isWhole) this.#messages.skipToSync();
    await this.write(isWhole ? [error, READY] : [error]);
  }

  /** Begins its turn: the session is its own. */
  async #begin(): Promise<void> {
    this.#turn = new Set();
    try {
      await this.client!.enter();
    } catch (error) {
      const { code = "XX000", message } = error as { code?: string; message: string };
      throw new ProtocolViolation(message, code);
    }
  }

  async #end(): Promise<void> {
    const tags = this.#turn!;
    await this.client!.leave();
    if (tags.has("LISTEN")) this.listens = true;
    if (ENDS_LISTENING.some((tag) => tags.has(tag))) await this.gate.listenAgain();
    if (REMOVES_STATEMENTS.some((tag) => tags.has(tag))) await this.gate.prepareAgain(this);
    this.#turn = null;
    this.gate.release();
  }

  async #rollBack(): Promise<void> {
    // Without a transaction this is only a warning.
    await this.gate.session.script("rollback");
    await this.#end();
  }

  /** Rolls back what it did not commit, and forgets what it left. */
  async #giveBack(): Promise<void> {
    await this.#expiring;
    if (this.#turn !== null) await this.#rollBack();
    if (this.client === null || !await this.gate.take(this)) return;
    await this.client.remove();
    this.gate.release();
  }
}

/** After these the session may listen to more or fewer channels, or have lost statements. */
const ENDS_LISTENING = ["LISTEN", "UNLISTEN", "DISCARD ALL"];
const REMOVES_STATEMENTS = ["DEALLOCATE ALL", "DISCARD ALL"];

const SILENT =
  "its transaction was open without a message or a read for 30 s, and others wait: it was rolled back";
const NO_COPY =
  "COPY FROM STDIN has to be a statement of a simple query: send it as one, without parameters";
/** What it did is done, unless a transaction is open: PostgreSQL would have committed it as well. */
const TOO_LONG =
  "the embedded database answers with 256 MB at most: read it in parts, with LIMIT or a cursor, or back it up with deno task backup";
