/** An answer that was cut off, as the client is to see it: a failure that it does not repeat. */
const NO_RETRY = { "x-should-retry": "false" };

/** What a service says of texts that are too long, whatever the status. */
export const TOO_LONG =
  /too (?:large|long|many tokens)|context (?:length|size|window)|batch size|maximum (?:length|input)|token limit|exceeds? /i;

/** Why an answer was not read to its end. */
export interface Refused {
  reason: string | null;
}

/**
 * Makes a fetch that follows no redirect and reads at most this many bytes. It returns when all of the
 * answer is read, so that a limit of time holds for that as well.
 *
 * @param refused is filled with the reason why an answer was refused
 */
export function boundedFetch(maxBytes: number, refused: Refused): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: "manual" });
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      refused.reason = "redirects elsewhere: set OPENAI_BASE_URL to the address it leads to";
      return new Response(null, { status: 502, headers: NO_RETRY });
    }
    const body = await readUpTo(response, maxBytes);
    if (body === null) {
      refused.reason = `sent more than ${Math.round(maxBytes / 2 ** 20)} MB`;
      return new Response(null, { status: 502, headers: NO_RETRY });
    }
    const headers = new Headers(response.headers);
    const isFinal = response.status >= 500 && TOO_LONG.test(new TextDecoder().decode(body));
    if (isFinal) headers.set("x-should-retry", "false");
    const { status, statusText } = response;
    return new Response(status === 204 ? null : body, { status, statusText, headers });
  };
}

/** The body of an answer; null: it is longer than that. */
async function readUpTo(
  response: Response,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) return null; // leaving the loop cancels the rest
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks as BlobPart[]).arrayBuffer());
}
