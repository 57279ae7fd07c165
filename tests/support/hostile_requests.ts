import { makeItem } from "./app.ts";

/** A request that means harm, as it goes over a socket. */
export interface HostileRequest {
  readonly what: string;
  readonly text: string;
}

const SIZE = 64 * 1024;
const SIGNS = ["a", "&", "=", "%", "<", "[", "*", " ", "\u0301", "(", "_", "\\"];

/** Names of fields: of no form, of some forms, of all prototypes. */
const NAMES = ["a", "email", "products", "kinds", "searches", "releases", "token", "__proto__"];

/** Forms, encoded, by what is odd about them. */
const FORMS: ReadonlyMap<string, string> = new Map([
  ...NAMES.map((name): [string, string] => [`10,000 × ${name}`, repeat(`${name}=&`, 10_000)]),
  [
    "10,000 names",
    Array.from({ length: 10_000 }, (_, index) => `n${index}=1`).join("&"),
  ],
  ["1,000 names", Array.from({ length: 1_000 }, (_, index) => `n${index}=1`).join("&")],
  ...SIGNS.map((sign): [string, string] => [`64 KB of ${JSON.stringify(sign)}`, fill(sign)]),
  ...NAMES.map((name): [string, string] => [`a long ${name}`, `${name}=${fill("<a>")}`]),
]);

/** JSON texts, by what is odd about them. */
const JSON_BODIES: ReadonlyMap<string, string> = new Map([
  ["deep lists", "[".repeat(SIZE / 2) + "]".repeat(SIZE / 2)],
  ["deep objects", '{"a":'.repeat(5_000) + "1" + "}".repeat(5_000)],
  [
    "10,000 keys",
    `{${Array.from({ length: 6_000 }, (_, key) => `"k${key}":1`).join()}}`,
  ],
  ["a key 6,000 times", `{${repeat('"email":1,', 3_000)}"email":1}`],
  ["a long list", `{"products":[${repeat('"",', 8_000)}""]}`],
  ["wrong types", '{"email":{"a":[]},"products":7,"cadence":[],"kinds":{"__proto__":1}}'],
  ["a text", JSON.stringify("\u0301".repeat(8_000))],
  ["a number", "1".repeat(SIZE / 4)],
  ["null", "null"],
  ["64 KB of blanks", " ".repeat(SIZE / 2)],
]);

/** Forms with parts, by what is odd about them. */
const PARTED: ReadonlyMap<string, string> = new Map([
  ["20,000 empty parts", `${repeat("--b\r\n\r\n\r\n", 20_000)}--b--\r\n`],
  [
    "many small fields",
    `${repeat('--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n', 500)}--b--\r\n`,
  ],
  ["many delimiters", repeat("\r\n--b", 8_000)],
  ["a head without an end", `--b\r\n${fill("a")}`],
]);

/** What is sent after the address: queries that mean harm, with odd values of what pages take. */
const QUERIES: readonly string[] = [
  repeat("a=&", 2_000),
  repeat("q=a&", 1_500),
  repeat("product_name=a&", 400),
  `q=${"%CC%81".repeat(900)}`,
  `q=${"a-".repeat(2_500)}`,
  `q=${"%22".repeat(1_500)}`,
  `as_of=${"9".repeat(5_000)}`,
  `tag=${":".repeat(5_000)}`,
  "release_item_id=0&page=999999999&days=-1&month=2026-13&after=x&before=2026-01-01.0",
];

/**
 * Every way to post something odd to an address, as each of its actions; `headers` end with a line
 * end.
 */
export function hostilePosts(
  path: string,
  headers: string,
  actions: readonly string[] = [],
): HostileRequest[] {
  const post = (what: string, type: string, body: string): HostileRequest => ({
    what: `POST ${path}: ${what}`,
    text: `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}` +
      `Content-Type: ${type}\r\nContent-Length: ${byteLength(body)}\r\n\r\n${body}`,
  });
  const inChunks = (what: string, type: string, body: string): HostileRequest => ({
    what: `POST ${path}: ${what}, in chunks of one byte`,
    text: `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}` +
      `Content-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n` +
      `${[...body].map((sign) => `1\r\n${sign}\r\n`).join("")}0\r\n\r\n`,
  });
  const form = "application/x-www-form-urlencoded";
  const parted = "multipart/form-data; boundary=b";
  const padded = (count: number) => `{"a":"${"a".repeat(count)}"}`;
  return [
    ...[...FORMS].map(([what, body]) => post(what, form, body)),
    ...actions.flatMap((action) =>
      [...FORMS].map(([what, body]) => post(`${action}, ${what}`, form, `do=${action}&${body}`))
    ),
    ...[...JSON_BODIES].map(([what, body]) => post(what, "application/json", body)),
    ...[...PARTED].map(([what, body]) => post(what, parted, body)),
    post("text that is no form", "text/plain", fill("a")),
    inChunks("a form", form, "a".repeat(30_000)),
    inChunks("JSON", "application/json", padded(30_000)),
    inChunks("parts", parted, PARTED.get("many small fields")!.slice(0, 30_000)),
    inChunks("CSV", "text/csv", `release_item_id,feature_name\n${"a,b\n".repeat(7_000)}`),
  ];
}

/** Every way to read an address with something odd. */
export function hostileReads(path: string, headers: string): HostileRequest[] {
  return ["", ...QUERIES].map((query) => ({
    what: `GET ${path}?${query.slice(0, 30)}`,
    text: `GET ${path}?${query} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n` +
      `${headers}\r\n`,
  }));
}

/** The address of a route of the table, with something in place of each parameter. */
export function addressOf(path: string): string {
  const known: Record<string, string> = {
    release_item_id: String(makeItem(1).release_item_id),
    markdown_file: `${makeItem(1).release_item_id}.md`,
    day: new Date().toISOString().slice(0, 10),
  };
  return path.replace(/:(\w+)(?:\{.*\})?/g, (_, name: string) => known[name] ?? "something.txt");
}

const HOSTILE_TEXTS = ["[", "<", "*", "(", "`", "_", "> ", "- ", "\u200b", "a\n", "&#0;", "| "];

/** A source that means harm: texts that are slow to format, or rewritten from import to import. */
export function hostileItems(count: number, version: string): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, index) => {
    const words = Array.from({ length: 300 }, (_, word) => `${version}${(word * 7 + index) % 100}`);
    const sign = HOSTILE_TEXTS[index]?.repeat(40_000 / HOSTILE_TEXTS[index]!.length);
    return makeItem(index + 1, {
      feature_description: sign === undefined ? words.join(" ") : `${sign}${version}`,
      last_modified: null,
    });
  });
}

function repeat(text: string, times: number): string {
  return text.repeat(times);
}

function fill(sign: string): string {
  return sign.repeat(Math.floor(SIZE / byteLength(sign)));
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
