import { z } from "zod";

const HOST = /^(?:\*\.)?[a-z\d](?:[a-z\d.-]*[a-z\d])?$/i;

/** Hosts as a person writes them: `wiki.acme.internal`, and all below one, `*.corp.example`. */
export const PRIVATE_HOSTS = z.array(
  z.string("must be a host").trim()
    .regex(HOST, "must be a host such as wiki.example.com, or *.example.com for all below one"),
  "must be a list of hosts",
);

/** The text of a link, and what is in its parentheses, which may hold more pairs of them. */
const LINK = /!?\[([^[\]]*)\]\(([^()]*(?:\([^()]*\)[^()]*)*)\)/g;
const TAG = /<([a-z][\w-]*)\s[^<>]*>/gi;
const BARE = /<?\bhttps?:\/\/[^\s<>()"'|\]]*[^\s<>()"'|\].,;:!?]>?/gi;

/** Removes links to private hosts: their addresses go, their texts stay. */
export class PrivateLinks {
  constructor(private readonly hosts: readonly string[]) {}

  /** Of Markdown, or HTML in it. */
  hideIn(text: string): string {
    if (this.hosts.length === 0) return text;
    const hideLink = (whole: string, shown: string, target: string) =>
      this.isPrivate(addressIn(target)) ? this.isPrivate(shown) ? "" : shown : whole;
    return text
      .replace(LINK, hideLink).replace(LINK, hideLink) // an image may be the text of a link
      .replace(TAG, (tag, name) => this.#namesOne(tag) ? `<${name}>` : tag)
      .replace(BARE, (address) => this.isPrivate(address.replace(/^<|>$/g, "")) ? "" : address);
  }

  isPrivate(address: string): boolean {
    if (!/^(?:https?:)?[/\\]{2}/i.test(address.trim())) return false;
    const url = URL.parse(address.trim(), "https://none.invalid");
    const host = url?.hostname.toLowerCase().replace(/\.$/, "");
    if (!host) return false;
    return this.hosts.map((name) => name.toLowerCase()).some((name) =>
      name.startsWith("*.") ? host.endsWith(name.slice(1)) : host === name
    );
  }

  #namesOne(tag: string): boolean {
    const addresses = tag.match(/(?:https?:)?[/\\]{2}[^\s"'<>]+/gi) ?? [];
    return addresses.some((address) => this.isPrivate(address));
  }
}

/** The address before the title of a link, which may be in angle brackets (CommonMark, 6.3). */
function addressIn(target: string): string {
  return target.trim().replace(/^</, "").split(/[\s<>]/, 1)[0]!;
}
