import { makeItem } from "./app.ts";

/** Requests that once changed the response that others got at an address (cache poisoning). */
export const POISONS: readonly { line: string; host: string; address: string }[] = [
  {
    line: "GET /api/releases HTTP/1.1",
    host: "x?product_name=nothing&z=",
    address: "/api/releases",
  },
  { line: "GET / HTTP/1.1", host: "x?q=POISONED&z=", address: "/" },
  { line: "GET /rss.xml HTTP/1.1", host: "x?product_name=nothing&z=", address: "/rss.xml" },
  {
    line: "GET /api/releases HTTP/1.1",
    host: `x?release_item_id=${makeItem(1).release_item_id}&z=`,
    address: "/api/releases",
  },
  {
    line: "GET /api/releases?product_name=Other HTTP/1.1",
    host: "x#",
    address: "/api/releases?product_name=Other",
  },
  {
    line: "GET http://a?product_name=nothing&z=/api/releases HTTP/1.1",
    host: "localhost",
    address: "/api/releases",
  },
  { line: "GET a://b/rss/ HTTP/1.1", host: "localhost", address: "/" },
  {
    line: "GET /b/api/releases HTTP/1.1",
    host: "x?product_name=nothing&z=",
    address: "/b/api/releases",
  },
];

/** Paths that a proxy does not expose. */
export const OPERATOR_PATHS = ["/metrics", "/health", "/ready"];

/** Other spellings of a path, which the rules of a proxy may not match. */
export function spell(path: string): string[] {
  const name = path.slice(1);
  return [
    `${path}/`,
    `${path}//`,
    `/${path}`,
    `/.${path}`,
    `/x/..${path}`,
    `${path}/.`,
    `/%${name.charCodeAt(0).toString(16)}${name.slice(1)}`,
    `/%2f${name}`,
    `${path}%2f`,
    `${path}%20`,
    `${path};x`,
    `${path};`,
    `${path}#x`,
    `${path}.json`,
    `/${name.toUpperCase()}`,
    `/\\${name}`,
  ];
}
