import { json } from "./json.ts";
import { isAddress } from "../reading/location.ts";
import { hasKey, type Source } from "./source.ts";

/**
 * Another server of this interface (interface specification, 4.2): an answer of `/api/releases`,
 * and all pages after it. Of a server's base address, the collection of its active items is read.
 */
export const roadcast: Source = {
  kind: "roadcast",
  locate(address) {
    if (!isAddress(address)) return address;
    const url = new URL(address);
    if (url.pathname.endsWith("/api/releases")) return address;
    url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, "")}/api/releases`;
    if (!url.search) url.search = "?page_size=200";
    return url.href;
  },
  recognises: ({ location, text }) =>
    isAddress(location) && /^\s*\{/.test(text) && hasKey(text, "data"),
  read: json.read,
};
