const HEAD_END = [13, 10, 13, 10]; // "\r\n\r\n"
const latin1 = new TextDecoder("latin1");

/** A request as it goes over the wire, with the headers that a modern client sends and these. */
export function writeRequest(path: string, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries({
    Host: "localhost",
    "User-Agent": "roadcast-bench",
    Accept: "*/*",
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

/**
 * Reads one response to its end, given by its Content-Length (RFC 9112, section 6.3), and returns
 * its head without the empty line.
 *
 * @param buffer holds the whole head
 */
export async function readAnswer(
  connection: Deno.Conn,
  buffer: Uint8Array,
): Promise<{ status: number; head: string }> {
  let filled = 0;
  let headEnd = -1;
  while (headEnd === -1) {
    filled += await fill(connection, buffer.subarray(filled));
    headEnd = findHeadEnd(buffer.subarray(0, filled));
  }
  const head = latin1.decode(buffer.subarray(0, headEnd - HEAD_END.length));
  const status = Number(head.slice(9, 12));
  const length = /\r\ncontent-length: *(\d+)/i.exec(head);
  if (!length && status !== 304) throw new Error(`An answer without a length: ${head}`);
  let left = headEnd + (length && status !== 304 ? Number(length[1]) : 0) - filled;
  while (left > 0) left -= await fill(connection, buffer);
  return { status, head };
}

async function fill(connection: Deno.Conn, space: Uint8Array): Promise<number> {
  const count = await connection.read(space);
  if (count === null) throw new Error("The server closed the connection");
  return count;
}

/** Where the head of a response ends, or -1. */
function findHeadEnd(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(13); at !== -1; at = bytes.indexOf(13, at + 1)) {
    if (HEAD_END.every((byte, index) => bytes[at + index] === byte)) return at + HEAD_END.length;
  }
  return -1;
}
