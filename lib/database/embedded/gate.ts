import { ClientMessages, type ClientRequest } from "./client_messages.ts";
import { OWN_NAMES } from "./own_names.ts";
import { ClientState, SessionState } from "./session_state.ts";
import { SessionLost, type SingleSession } from "./single_session.ts";
import { readStartupSettings } from "./startup_settings.ts";
import {
  concat,
  COPY_IN,
  makeError,
  makeWelcome,
  ProtocolViolation,
  readChannel,
  READY,
  splitMessages,
  type Startup,
  typeOf,
  withSender,
} from "./wire.ts";

/** A client that keeps a transaction open and is silent for this long is disconnected. */
const SILENCE_MS = 30_000;

/** When PostgreSQL has ended, its last answers are written within this time. */
const LOSS_MS = 1_000;

/** While a job waits, requests have the session as long as the last job had it, and at least so long. */
const REQUESTS_MS = 100;
/** A job waits so long after a request for the next one, which comes when that is answered. */
const NEXT_REQUEST_MS = 3;

/** What a gate is told. */
interface GateOptions {
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
  #lastKey = 0;
  #isLost = false;

  constructor(
    readonly session: SingleSession,
    readonly state: SessionState,
    private readonly options: GateOptions,
  ) {}

  /** Opens a gate to a session that nobody else uses. */
  static async open(session: SingleSession, options: GateOptions): Promise<SessionGate> {
    const [{ user }] = await session.query<{ user: string }>(
      "select session_user::text as user",
    ) as [{ user: string }];
    return new SessionGate(session, new SessionState(session, user), options);
  }

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

  /** Passes notifications to the connections that listen to their channels. */
  notify(notifications: readonly Uint8Array[]): void {
    for (const connection of this.#connections.values()) {
      const heard = notifications.filter((message) => connection.listensTo(readChannel(message)));
      if (heard.length > 0) void connection.write([concat(heard)]).catch(() => {});
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

/** Who has the session, and who is next. */
class SessionQueue {
  readonly #requests: Waiting[] = [];
  readonly #others: Waiting[] = [];
  #isTaken = false;
  /** Who has it, or had it last, is a request, and since when. */
  #isRequest = false;
  #since = 0;
  /** How long requests have had it since the last job, and how long they may. */
  #spent = 0;
  #allowed = REQUESTS_MS;
  #pause: ReturnType<typeof setTimeout> | undefined;

  /** False: it was refused while it waited. */
  take(connection: Connection): Promise<boolean> {
    const { isRequest } = connection;
    if (!this.#isTaken && (isRequest || this.#pause === undefined)) {
      this.#give(isRequest);
      return Promise.resolve(true);
    }
    return new Promise((settle) =>
      (isRequest ? this.#requests : this.#others).push({ connection, settle })
    );
  }

  release(): void {
    this.#isTaken = false;
    const taken = performance.now() - this.#since;
    if (this.#isRequest) this.#spent += taken;
    else this.#allowed = Math.max(REQUESTS_MS, taken);
    const mayGoOn = this.#others.length === 0 || this.#spent < this.#allowed;
    if (this.#requests.length > 0 && mayGoOn) return this.#next(this.#requests);
    if (this.#others.length > 0 && this.#isRequest && mayGoOn) {
      this.#pause = setTimeout(() => this.#next(this.#others), NEXT_REQUEST_MS);
    } else this.#next(this.#others);
  }

  refuse(connection: Connection): void {
    for (const queue of [this.#requests, this.#others]) {
      const index = queue.findIndex((waiting) => waiting.connection === connection);
      if (index >= 0) queue.splice(index, 1)[0]!.settle(false);
    }
  }

  refuseAll(): void {
    for (const queue of [this.#requests, this.#others]) {
      for (const { settle } of queue.splice(0)) settle(false);
    }
  }

  #next(queue: Waiting[]): void {
    clearTimeout(this.#pause);
    this.#pause = undefined;
    const next = queue.shift();
    if (next === undefined) return;
    this.#give(next.connection.isRequest);
    next.settle(true);
  }

  #give(isRequest: boolean): void {
    clearTimeout(this.#pause);
    this.#pause = undefined;
    this.#isTaken = true;
    this.#isRequest = isRequest;
    this.#since = performance.now();
    if (!isRequest) this.#spent = 0;
  }
}

interface Waiting {
  readonly connection: Connection;
  settle(isTurn: boolean): void;
}

/** A client, which has the session in its turns. */
class Connection {
  readonly key: number;
  readonly secret = crypto.getRandomValues(new Int32Array(1))[0]!;
  /** It serves requests, which go before jobs. */
  isRequest = false;
  /** Settled when everything is written. */
  written: Promise<unknown> = Promise.resolve();
  readonly #messages = new ClientMessages();
  #state: ClientState | null = null;
  /** What it did in its turn; null: it has none. */
  #turn: { tags: Set<string>; hasFailed: boolean } | null = null;
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
      // Otherwise an error would close it before the client can be told of it.
      for await (const chunk of this.conn.readable.values({ preventCancel: true })) {
        for (const request of this.#messages.read(chunk)) await this.#answer(request);
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

  listensTo(channel: string): boolean {
    return this.#state?.channels.has(channel) ?? false;
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
    if (this.#turn === null) return;
    this.#silence = setTimeout(() => this.leave(), this.options.silenceMs);
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

  /** What it asks for at its start is the first of its settings. */
  async #start({ parameters }: Startup): Promise<void> {
    const name = parameters.get("application_name");
    this.isRequest = name === OWN_NAMES.requests;
    const isOwn = this.isRequest || name === OWN_NAMES.others;
    this.#state = new ClientState(isOwn, isOwn ? {} : readStartupSettings(parameters));
    if (!await this.gate.take(this)) return this.leave();
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
    this.#state!.note(messages);
    const answer = await this.gate.session.run(messages);
    const { tags, types, isOpen, isSkipping } = answer;
    for (const tag of tags) this.#turn!.tags.add(tag);
    if (types.has("E") || tags.has("ROLLBACK")) this.#turn!.hasFailed = true;
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
    this.#turn = { tags: new Set(), hasFailed: false };
    try {
      await this.gate.state.enter(this.#state!);
    } catch (error) {
      const { code = "XX000", message } = error as { code?: string; message: string };
      throw new ProtocolViolation(message, code);
    }
  }

  async #end(): Promise<void> {
    await this.gate.state.leave(this.#state!, this.#turn!);
    this.#turn = null;
    this.gate.release();
  }

  /** Rolls back what it did not commit, and forgets what it left. */
  async #giveBack(): Promise<void> {
    if (this.#turn !== null) {
      // Without a transaction this is only a warning.
      await this.gate.session.script("rollback");
      await this.#end();
    }
    if (this.#state === null || !await this.gate.take(this)) return;
    await this.gate.state.remove(this.#state);
    this.gate.release();
  }
}

const NO_COPY =
  "COPY FROM STDIN has to be a statement of a simple query: send it as one, without parameters";
/** What it did is done, unless a transaction is open: PostgreSQL would have committed it as well. */
const TOO_LONG =
  "the embedded database answers with 256 MB at most: read it in parts, with LIMIT or a cursor, or back it up with deno task backup";
