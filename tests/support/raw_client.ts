const PATIENCE_MS = 20_000;

/** An answer as it came over the wire. */
export interface RawAnswer {
  /** 0: the server closed the connection without an answer. */
  status: number;
  headers: Headers;
  body: string;
}

/**
 * Sends a request as it is written, line by line, on a connection of its own. Clients such as
 * `fetch` would mend it first.
 */
export async function sendRaw(
  port: number,
  { line, headers = ["Host: localhost"], body = "" }: {
    line: string;
    headers?: readonly string[];
    body?: string;
  },
): Promise<RawAnswer> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const head = [line, ...headers, "Connection: close"].join("\r\n");
  await write(connection, `${head}\r\n\r\n${body}`);
  return parse(await readToEnd(connection));
}

/** Writes all of a text. */
export async function write(connection: Deno.Conn, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
}

/** Reads until the server closes the connection, whatever is lost by then. */
export async function readToEnd(connection: Deno.Conn, patienceMs = PATIENCE_MS): Promise<string> {
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    connection.close();
  }, patienceMs);
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(64 * 1024);
  let text = "";
  try {
    for (let count; (count = await connection.read(buffer)) !== null;) {
      text += decoder.decode(buffer.subarray(0, count), { stream: true });
    }
  } catch {
    // The server has reset the connection.
  } finally {
    clearTimeout(timer);
  }
  if (isLate) throw new Error(`The connection stayed open for ${patienceMs} ms after: ${text}`);
  return text;
}

/** Takes an answer apart. */
export function parse(text: string): RawAnswer {
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
