/** A request, as a sample of code sends it. */
export interface SampledRequest {
  address: string;
  method: string;
  /** JSON, as a person wrote it. */
  body?: string;
  /** Its response is JSON. */
  answersJson: boolean;
}

/** The programs that send a request, by the name of their language. */
export const LANGUAGES = { curl, JavaScript: javaScript, Python: python } as const;

/**
 * A command that sends a request.
 *
 * ```ts
 * const sample = curl({ address: "http://localhost/api?q=it's", method: "GET", answersJson: true });
 * if (sample !== "curl 'http://localhost/api?q=it'\\''s'") throw new Error(sample);
 * ```
 */
export function curl({ address, method, body }: SampledRequest): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  if (body === undefined) return `curl ${quoted(address)}`;
  return `curl -X ${method} -H 'Content-Type: application/json' \\\n  -d ${quoted(body)} \\\n  ${
    quoted(address)
  }`;
}

/** A program that sends a request, for a browser, Deno or Node. */
function javaScript({ address, method, body, answersJson }: SampledRequest): string {
  const options = body === undefined ? "" : `, {
  method: ${JSON.stringify(method)},
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(${body.replaceAll("\n", "\n  ")}),
}`;
  return `const response = await fetch(${JSON.stringify(address)}${options});
console.log(await response.${answersJson ? "json" : "text"}());`;
}

/** A program that sends a request, with nothing but Python's own library. */
function python({ address, method, body, answersJson }: SampledRequest): string {
  // A string of JSON is one of Python too.
  const quoted = JSON.stringify(address);
  const [imported, request] = body === undefined ? ["urlopen", quoted] : [
    "Request, urlopen",
    `Request(
    ${quoted},
    method=${JSON.stringify(method)},
    headers={"Content-Type": "application/json"},
    data=${JSON.stringify(body)}.encode(),
)`,
  ];
  return `${answersJson ? "import json\n" : ""}from urllib.request import ${imported}

with urlopen(${request}) as response:
    print(${answersJson ? "json.load(response)" : "response.read().decode()"})`;
}
