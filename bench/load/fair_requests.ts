import { isoDate } from "../../lib/text/dates.ts";
import { writeRequest } from "./http_messages.ts";

/** What a client requests. */
export type Kind = "board" | "list" | "mcp" | "page";

/** A request of a client; those with different numbers request different things. */
export function writeFairRequest(kind: Kind, client: string, number: number): string {
  const search = searchOf(number);
  const query = new URLSearchParams(search);
  if (kind !== "mcp") {
    const path = {
      board: `/?view=board&${query}`,
      list: `/api/releases?page_size=200&${query}`,
      page: `/?${query}`,
    }[kind];
    return writeRequest(path, { "X-Forwarded-For": client });
  }
  const params = { name: "search_releases", arguments: { ...search, page_size: 50 } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  return `POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${client}\r\n` +
    `Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n` +
    `Content-Length: ${body.length}\r\n\r\n${body}`;
}

/** Two letters, which no index finds, and a day before all: another search for each number. */
function searchOf(number: number): { q: string; release_date_from: string } {
  const [first, last] = [number % 26, Math.floor(number / 26) % 26].map((at) =>
    String.fromCharCode(97 + at)
  );
  const day = new Date(Date.UTC(2000, 0, 1 + Math.floor(number / 676)));
  return { q: `${first}${last}`, release_date_from: isoDate(day) };
}
