import { makeItem } from "./app.ts";

/** Requests that once changed what everybody else got at an address. */
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

/** Addresses that a proxy keeps inside. */
export const OPERATOR_PATHS = ["/metrics", "/health", "/ready"];

/** Other ways to write a path, by which rules of a proxy may not know it. */
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
