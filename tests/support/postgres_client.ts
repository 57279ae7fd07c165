/** A client that has got no answer for this long will get none. */
const PATIENCE_MS = 30_000;

/** A message of a server. */
export interface Reply {
  readonly type: string;
  /** An ErrorResponse by its letters, a DataRow by its numbers, else empty. */
  readonly fields: Readonly<Record<string, string | null>>;
  /** Of a CommandComplete, a NotificationResponse or a ReadyForQuery. */
  readonly text: string;
}

/** A message of its type, with texts, each with a zero at its end, and bytes. */
export function message(
  type: string,
  ...content: (string | Uint8Array)[]
): Uint8Array<ArrayBuffer> {
  const parts = content.flatMap((part) =>
    typeof part === "string" ? [...new TextEncoder().encode(part), 0] : [...part]
  );
  const bytes = Uint8Array.from([...new TextEncoder().encode(type), 0, 0, 0, 0, ...parts]);
  new DataView(bytes.buffer).setInt32(type.length, bytes.length - type.length);
  return bytes;
}

const NONE = new Uint8Array(2);

/** The messages of the extended protocol. */
export const extended = {
  parse: (text: string, name = "") => message("P", name, text, NONE),
  bind: (name = "") => message("B", "", name, NONE, NONE, NONE),
  execute: () => message("E", "", new Uint8Array(4)),
  closeStatement: (name: string) => message("C", new TextEncoder().encode("S"), name),
  sync: () => message("S"),
  flush: () => message("H"),
};

/** A client of PostgreSQL that sends what it is asked to, whether a driver would or not. */
export class PostgresClient {
  #received = new Uint8Array();
  /** The notifications that came among the replies. */
  readonly heard: string[] = [];

  private constructor(private readonly conn: Deno.Conn) {}

  /** Connects to a socket; the replies end with an ErrorResponse if it is refused. */
  static async connect(path: string, parameters: Record<string, string> = {}) {
    const client = new PostgresClient(await Deno.connect({ transport: "unix", path }));
    const words = Object.entries({ user: "somebody", ...parameters }).flat();
    await client.send(message("", Uint8Array.of(0, 3, 0, 0), ...words, new Uint8Array(1)));
    return { client, welcome: await client.untilReady() };
  }

  async send(...messages: Uint8Array[]): Promise<void> {
    const text = Uint8Array.from(messages.flatMap((bytes) => [...bytes]));
    for (let sent = 0; sent < text.length;) {
      sent += await this.conn.write(text.subarray(sent));
    }
  }

  /** Sends messages, and reads up to ReadyForQuery, or to the end of the connection. */
  async ask(...messages: Uint8Array[]): Promise<Reply[]> {
    await this.send(...messages);
    return await this.untilReady();
  }

  /** The replies to a simple query. */
  query(text: string): Promise<Reply[]> {
    return this.ask(message("Q", text));
  }

  async untilReady(): Promise<Reply[]> {
    return await this.until((type) => type === "Z");
  }

  /** Reads until a type; a connection that ends is the reply `end`. */
  async until(isLast: (type: string) => boolean): Promise<Reply[]> {
    const replies: Reply[] = [];
    for (let reply; (reply = await this.#next()) !== null;) {
      if (reply.type === "A") this.heard.push(reply.text);
      else replies.push(reply);
      if (isLast(reply.type)) return replies;
    }
    return [...replies, { type: "end", fields: {}, text: "" }];
  }

  close(): void {
    try {
      this.conn.close();
    } catch {
      // The server has closed it.
    }
  }

  async #next(): Promise<Reply | null> {
    const needed = () =>
      this.#received.length < 5 ? 5 : 1 + new DataView(this.#received.buffer).getInt32(1);
    while (this.#received.length < needed()) {
      const chunk = await this.#read();
      if (chunk === null) return null;
      this.#received = Uint8Array.from([...this.#received, ...chunk]);
    }
    const bytes = this.#received.slice(0, needed());
    this.#received = this.#received.slice(bytes.length);
    return readReply(bytes);
  }

  async #read(): Promise<Uint8Array | null> {
    const buffer = new Uint8Array(64 * 1024);
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => late.reject(new Error("The server does not answer")),
      PATIENCE_MS,
    );
    try {
      const count = await Promise.race([this.conn.read(buffer).catch(() => null), late.promise]);
      return count === null ? null : buffer.subarray(0, count);
    } finally {
      clearTimeout(timer);
    }
  }
}

function readReply(bytes: Uint8Array): Reply {
  const decoder = new TextDecoder();
  const type = String.fromCharCode(bytes[0]!);
  const view = new DataView(bytes.buffer);
  const fields: Record<string, string | null> = {};
  let text = "";
  if (type === "E") {
    for (const field of decoder.decode(bytes.subarray(5)).split("\0")) {
      if (field) fields[field[0]!] = field.slice(1);
    }
  } else if (type === "D") {
    let start = 7;
    for (let index = 0; index < view.getInt16(5); index++) {
      const length = view.getInt32(start);
      fields[index] = length < 0
        ? null
        : decoder.decode(bytes.subarray(start + 4, start + 4 + length));
      start += 4 + Math.max(length, 0);
    }
  } else if (type === "C") text = decoder.decode(bytes.subarray(5, -1));
  else if (type === "Z") text = decoder.decode(bytes.subarray(5));
  else if (type === "A") {
    text = decoder.decode(bytes.subarray(9, -1)).replace("\0", " ");
  }
  return { type, fields, text };
}
