/**
 * PostgreSQL's protocol, as far as a server in front of one session needs it: see "Frontend/Backend
 * Protocol" in the documentation of PostgreSQL, whose names of messages these functions use.
 */

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A message that takes no texts or values is no longer than PostgreSQL's own limit. */
const SMALL = 10_000;
/** Any other: a quarter of PostgreSQL's limit, since a thread holds it more than once. */
const LARGE = 256 * 1024 * 1024;

/** The messages that PostgreSQL's protocol knows of a client, and how long they may be. */
const CLIENT_MESSAGES: ReadonlyMap<string, number> = new Map(
  Object.entries({
    ...{ Q: LARGE, P: LARGE, B: LARGE, F: LARGE, d: LARGE },
    ...{ E: SMALL, D: SMALL, C: SMALL, S: SMALL, H: SMALL, X: SMALL, c: SMALL, f: SMALL },
  }),
);

/** What a client sends is not PostgreSQL's protocol: its connection has to end. */
export class ProtocolViolation extends Error {
  /** @param code a SQLSTATE, protocol_violation unless another says it better */
  constructor(message: string, readonly code = "08P01") {
    super(message);
  }
}

/** The codes that stand in the place of a version in a client's first message. */
export const REQUEST_CODES = { cancel: 80877102, ssl: 80877103, gssEncryption: 80877104 } as const;

/** What a client's first message asks for. */
export interface Startup {
  /** One of `REQUEST_CODES`, or a version of the protocol. */
  readonly code: number;
  /** Such as `application_name`. */
  readonly parameters: ReadonlyMap<string, string>;
  /** Which connection a CancelRequest means, and the secret that it has been given. */
  readonly key: number;
  readonly secret: number;
}

/** Splits what a client sends into whole messages. */
export class MessageReader {
  /** The first messages of a connection have no byte for their type. */
  isStarted = false;
  #chunks: Uint8Array[] = [];
  #length = 0;
  #needed = 0;

  /** @throws {ProtocolViolation} as soon as a message is of no known type, or of an impossible length */
  *read(chunk: Uint8Array): Generator<Uint8Array> {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length < this.#needed) return void this.#keep(chunk);
    const bytes = this.#chunks.length === 1 ? chunk : concat(this.#chunks);
    let start = 0;
    while (true) {
      const rest = bytes.length - start;
      this.#needed = this.#lengthAt(bytes, start);
      if (rest < this.#needed) break;
      const end = start + this.#needed;
      yield bytes.subarray(start, end);
      start = end;
    }
    this.#chunks = [];
    this.#length = bytes.length - start;
    if (this.#length > 0) this.#keep(bytes.subarray(start));
  }

  /** A copy, since a chunk of one byte may keep a buffer of 64 KB. */
  #keep(chunk: Uint8Array): void {
    if (this.#chunks.at(-1) === chunk) this.#chunks.pop();
    this.#chunks.push(chunk.slice());
  }

  /** How long a message is; of an incomplete header, how long that is. */
  #lengthAt(bytes: Uint8Array, start: number): number {
    const header = this.isStarted ? 1 : 0;
    let limit: number | undefined = SMALL;
    if (this.isStarted && bytes.length > start) {
      const type = String.fromCharCode(bytes[start]!);
      limit = CLIENT_MESSAGES.get(type);
      if (limit === undefined) {
        throw new ProtocolViolation(`invalid frontend message type ${bytes[start]}`);
      }
    }
    if (bytes.length - start < header + 4) return header + 4;
    const length = int32At(bytes, start + header);
    if (length < 4 || length > limit) throw new ProtocolViolation("invalid length of a message");
    return header + length;
  }
}

/** Reads a client's first message: StartupMessage, SSLRequest, GSSENCRequest or CancelRequest. */
export function readStartup(message: Uint8Array): Startup {
  const words = decoder.decode(message.subarray(8)).split("\0");
  const parameters = new Map<string, string>();
  for (let index = 0; words[index]; index += 2) parameters.set(words[index]!, words[index + 1]!);
  const isCancel = message.length >= 16;
  return {
    code: int32At(message, 4),
    parameters,
    key: isCancel ? int32At(message, 8) : 0,
    secret: isCancel ? int32At(message, 12) : 0,
  };
}

/** The type of a message, a letter. */
export function typeOf(message: Uint8Array): string {
  return String.fromCharCode(message[0]!);
}

/** The text of a Query. */
export function readQuery(message: Uint8Array): string {
  return decoder.decode(message.subarray(5, -1));
}

/** The messages of a server that say what has become of a client and its session. */
const TELLING = new Set([..."ZEACG"].map((type) => type.charCodeAt(0)));

/** Reads an answer while it comes, in pieces, and hands over each message that is telling. */
export class AnswerReader {
  /** The rest of a piece that ended within a header, or within a telling message. */
  #rest = new Uint8Array();
  /** How many bytes of the next piece belong to a message that is not. */
  #skip = 0;

  constructor(private readonly onMessage: (type: string, message: Uint8Array) => void) {}

  read(piece: Uint8Array): void {
    const bytes = this.#rest.length > 0 ? concat([this.#rest, piece]) : piece;
    let start = this.#skip;
    while (start + 5 <= bytes.length) {
      const end = start + 1 + int32At(bytes, start + 1);
      if (TELLING.has(bytes[start]!)) {
        if (end > bytes.length) break;
        this.onMessage(String.fromCharCode(bytes[start]!), bytes.subarray(start, end));
      }
      start = end;
    }
    this.#skip = Math.max(0, start - bytes.length);
    this.#rest = bytes.slice(start);
  }
}

/** The messages of a server, one after the other, with their types. */
export function* splitMessages(
  bytes: Uint8Array,
): Generator<{ type: string; message: Uint8Array }> {
  for (let start = 0; start < bytes.length;) {
    const end = start + 1 + int32At(bytes, start + 1);
    yield { type: String.fromCharCode(bytes[start]!), message: bytes.subarray(start, end) };
    start = end;
  }
}

/** What a CommandComplete says was done, such as `LISTEN`. */
export function readTag(message: Uint8Array): string {
  return decoder.decode(message.subarray(5, -1));
}

/** The fields of an ErrorResponse by their letters: `V` is the severity, `M` the message. */
export function readFields(message: Uint8Array): ReadonlyMap<string, string> {
  const fields = decoder.decode(message.subarray(5)).split("\0").filter((field) => field !== "");
  return new Map(fields.map((field) => [field[0]!, field.slice(1)]));
}

/** Where the name of a prepared statement stands in a message; -1: it has none. */
function statementAt(message: Uint8Array): number {
  const type = typeOf(message);
  if (type === "P") return 5;
  if (type === "B") return message.indexOf(0, 5) + 1 || -1;
  return "DC".includes(type) && message[5] === "S".charCodeAt(0) ? 6 : -1;
}

/** The name of the prepared statement that a message is about; null: it is about none. */
export function statementOf(message: Uint8Array): string | null {
  const at = statementAt(message);
  return at < 0 ? null : decoder.decode(message.subarray(at, message.indexOf(0, at)));
}

/** A message about a prepared statement of a longer name; one without a name stays as it is. */
export function withPrefix(message: Uint8Array, prefix: string): Uint8Array {
  const at = statementAt(message);
  if (at < 0 || !message[at]) return message;
  const longer = concat([message.subarray(0, at), encoder.encode(prefix), message.subarray(at)]);
  longer.set(int32(longer.length - 1), 1);
  return longer;
}

/** A message of its type, with content of texts, each with a zero at its end, and bytes. */
function makeMessage(type: string, ...content: (string | Uint8Array)[]): Uint8Array {
  const parts = content.map((part) =>
    typeof part === "string" ? encoder.encode(`${part}\0`) : part
  );
  const length = parts.reduce((sum, part) => sum + part.length, 4);
  return concat([encoder.encode(type), int32(length), ...parts]);
}

/** An ErrorResponse. */
export function makeError(severity: "ERROR" | "FATAL", code: string, text: string): Uint8Array {
  const fields = [`S${severity}`, `V${severity}`, `C${code}`, `M${text}`];
  return makeMessage("E", ...fields, new Uint8Array(1));
}

/** A NotificationResponse that says which connection it came from. */
export function withSender(notification: Uint8Array, key: number): Uint8Array {
  const copy = notification.slice();
  copy.set(int32(key), 5);
  return copy;
}

/** A CopyFail. */
export function makeCopyFail(reason: string): Uint8Array {
  return makeMessage("f", reason);
}

/** A Sync. */
export const SYNC = makeMessage("S");

/** What a server says when a client may begin: AuthenticationOk, its settings, the key to cancel. */
export function makeWelcome(
  settings: Iterable<readonly [name: string, value: string]>,
  { key, secret }: { key: number; secret: number },
): Uint8Array {
  return concat([
    makeMessage("R", int32(0)),
    ...[...settings].map(([name, value]) => makeMessage("S", name, value)),
    makeMessage("K", int32(key), int32(secret)),
    READY,
  ]);
}

/** ReadyForQuery, outside of a transaction. */
export const READY = makeMessage("Z", encoder.encode("I"));

/** CopyInResponse, for text: a client sends the number of columns that the statement names. */
export const COPY_IN = makeMessage("G", new Uint8Array(3));

/** Joins bytes. */
export function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let start = 0;
  for (const part of parts) {
    joined.set(part, start);
    start += part.length;
  }
  return joined;
}

function int32(number: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setInt32(0, number);
  return bytes;
}

function int32At(bytes: Uint8Array, start: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getInt32(start);
}
