/**
 * PostgreSQL's protocol, as far as a server in front of one session needs it: see "Frontend/Backend
 * Protocol" in the documentation of PostgreSQL, whose names of messages these functions use.
 */

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A message is no longer than PostgreSQL's own limit of 1 GB. */
const MAX_MESSAGE_BYTES = 0x3fffffff;

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

  *read(chunk: Uint8Array): Generator<Uint8Array> {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length < this.#needed) return;
    const bytes = this.#chunks.length === 1 ? chunk : concat(this.#chunks);
    let start = 0;
    while (true) {
      const rest = bytes.length - start;
      const header = this.isStarted ? 1 : 0;
      this.#needed = rest < header + 4 ? header + 4 : header + int32At(bytes, start + header);
      if (this.#needed < header + 4 || this.#needed > MAX_MESSAGE_BYTES) {
        throw new Error("the message has an impossible length");
      }
      if (rest < this.#needed) break;
      const end = start + this.#needed;
      yield bytes.subarray(start, end);
      start = end;
    }
    this.#chunks = start < bytes.length ? [bytes.subarray(start)] : [];
    this.#length = bytes.length - start;
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

/**
 * Renames the prepared statement of a Parse, Bind, Describe or Close; those without a name, and other
 * messages, stay as they are.
 */
export function renameStatement(
  message: Uint8Array,
  rename: (name: string) => string,
): Uint8Array {
  const start = startOfName(message);
  if (start === null || message[start] === 0) return message;
  const end = message.indexOf(0, start);
  const name = encoder.encode(rename(decoder.decode(message.subarray(start, end))));
  const renamed = concat([message.subarray(0, start), name, message.subarray(end)]);
  new DataView(renamed.buffer).setInt32(1, renamed.length - 1);
  return renamed;
}

/** Where the name of a prepared statement begins in a message; null: it has none. */
function startOfName(message: Uint8Array): number | null {
  const type = typeOf(message);
  if (type === "P") return 5;
  if (type === "B") return message.indexOf(0, 5) + 1; // after the name of the portal
  if (type === "D" || type === "C") return message[5] === "S".charCodeAt(0) ? 6 : null;
  return null;
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
