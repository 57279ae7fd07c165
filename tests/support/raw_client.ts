const TIMEOUT_MS = 30_000;

/** A response as it came over the wire. */
export interface RawAnswer {
  /** 0: the server closed the connection without a response. */
  status: number;
  headers: Headers;
  body: string;
}

/**
 * Sends a request as written, line by line, on a separate connection. Clients such as `fetch` would
 * normalise it first.
 */
export async function sendRaw(
  port: number,
  { line, headers = ["Host: localhost"], body = "" }: {
    line: string;
    headers?: readonly string[];
    body?: string;
  },
): Promise<RawAnswer> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const head = [line, ...headers, "Connection: close"].join("\r\n");
  try {
    await write(connection, `${head}\r\n\r\n${body}`);
    return parse(await readUntil(connection, () => false));
  } finally {
    close(connection);
  }
}

/** Writes a complete text. */
export async function write(connection: Deno.Conn, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
}

/** Reads a response up to its Content-Length, without waiting for the connection to close. */
export async function readAnswer(connection: Deno.Conn): Promise<RawAnswer> {
  return parse(
    await readUntil(connection, (text) => {
      const { headers, body } = parse(text);
      const length = headers.get("content-length");
      return length !== null && new TextEncoder().encode(body).length >= Number(length);
    }),
  );
}

/** Reads until it is enough, or until the server closes or resets the connection. */
async function readUntil(
  connection: Deno.Conn,
  isEnough: (text: string) => boolean,
): Promise<string> {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(64 * 1024);
  let text = "";
  await bePatient(connection, async () => {
    for (let count; (count = await connection.read(buffer)) !== null;) {
      text += decoder.decode(buffer.subarray(0, count), { stream: true });
      if (isEnough(text)) return;
    }
  });
  return text;
}

/** Fails with a timeout if the server keeps the connection open; a reset counts as its end. */
async function bePatient(connection: Deno.Conn, read: () => Promise<void>): Promise<void> {
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    connection.close();
  }, TIMEOUT_MS);
  try {
    await read();
  } catch (error) {
    if (isLate) throw new Error(`Nothing came for ${TIMEOUT_MS} ms`);
    if (!(error instanceof Deno.errors.ConnectionReset)) throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Parses a response. */
function parse(text: string): RawAnswer {
  const headEnd = text.indexOf("\r\n\r\n");
  const [statusLine = "", ...lines] = text.slice(0, Math.max(headEnd, 0)).split("\r\n");
  return {
    status: Number(statusLine.split(" ")[1] ?? 0),
    headers: new Headers(lines.map((line): [string, string] => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    })),
    body: text.slice(headEnd + 4),
  };
}

function close(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // It is already closed.
  }
}
