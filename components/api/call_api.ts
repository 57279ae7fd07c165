/** A response is shown up to this length. */
const MAX_SHOWN_LENGTH = 6_000;

/** Sends a request, and returns the response as text: status, headers and body. */
export async function callApi(
  address: string,
  { method, body }: { method: string; body?: string },
): Promise<string> {
  try {
    const headers = body === undefined ? undefined : { "Content-Type": "application/json" };
    const response = await fetch(address, { method, body, headers, cache: "no-cache" });
    const text = indent(await response.text());
    const shown = text.length > MAX_SHOWN_LENGTH
      ? `${text.slice(0, MAX_SHOWN_LENGTH)}\n… ${text.length - MAX_SHOWN_LENGTH} characters more`
      : text;
    const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
    return `${response.status} ${response.statusText}\n${lines}\n\n${shown}`;
  } catch {
    return "Cannot reach the server.";
  }
}

/** Pretty-printed JSON; anything else unchanged. */
function indent(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
