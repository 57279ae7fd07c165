import { z } from "zod";
import { networkOf, siteNetworkOf } from "../../lib/http/clients/client_address.ts";
import type { Services } from "../../lib/service/services.ts";

/** Rows are read so many at a time, each time when the client has taken those before. */
export const ROWS_AT_ONCE = 50;

/** How the API describes a table. */
export const CSV = { contentType: "text/csv", schema: z.string() } as const;

/**
 * Answers with a table that is written while the client takes it: what waits for a slow client is a
 * few rows, and no connection of the database.
 */
export async function sendTable(
  request: Request,
  name: string,
  { address, services: { openStreams }, write }: {
    address: string;
    services: Pick<Services, "openStreams">;
    write: () => AsyncGenerator<string>;
  },
): Promise<Response> {
  const headers = {
    "Content-Type": "text/csv; charset=utf-8; header=present",
    "Content-Disposition": `attachment; filename="${name}"`,
    "Cache-Control": "no-cache",
  };
  const body = request.method === "HEAD"
    ? null
    : await openStreams.open(request, siteNetworkOf(address) ?? networkOf(address), write);
  return new Response(body, { headers });
}
