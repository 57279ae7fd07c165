import ipaddr from "ipaddr.js";
import { isIP } from "node:net";
import { z } from "zod";
import { LANGUAGES } from "../text/languages.ts";

/** What a setting takes, as the end of the message about a wrong value, and how it is read. */
interface Kind<Schema extends z.ZodType> {
  readonly takes: string;
  readonly schema: Schema;
}

/** A setting as `settings.ts` lists it. */
interface Setting<Schema extends z.ZodType = z.ZodType> extends Kind<Schema> {
  readonly meaning: string;
  /** What holds without it, for the documents. */
  readonly unset: string;
  /** It is a secret, or an address that may hold one. */
  readonly isSecret: boolean;
}

/** Describes a setting; `unset` is given where its default is no plain value. */
export function setting<Schema extends z.ZodType>(
  kind: Kind<Schema>,
  meaning: string,
  unset = String(kind.schema.safeParse(undefined).data ?? "unset"),
): Setting<Schema> {
  return { ...kind, meaning, unset, isSecret: false };
}

/** Describes a setting that is a secret, or an address that may hold one; NAME_FILE may name its file. */
export function secret<Schema extends z.ZodType>(
  ...described: Parameters<typeof setting<Schema>>
): Setting<Schema> {
  return { ...setting(...described), isSecret: true };
}

/** Null stands for what is not set. */
function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().transform((value) => value ?? null);
}

/** A kind that is null where it is not set. */
export function orNull<Schema extends z.ZodType>(takes: string, schema: Schema) {
  return { takes, schema: optional(schema) };
}

/** A kind with a default. */
export function orElse(unset: string, takes: string, schema = z.string()) {
  return { takes, schema: schema.optional().transform((value) => value ?? unset) };
}

const isWhole = z.string().regex(/^\d+$/).transform(Number);

/** A whole number with a default. */
export function number(unset: number, min: number, max: number, what = "a number") {
  return {
    takes: `${what} from ${min} to ${max}`,
    schema: isWhole.pipe(z.number().min(min).max(max)).default(unset),
  };
}

/** One of several words in any case, or none. */
export function optionalChoice<const Words extends readonly string[]>(words: Words) {
  return orNull(`one of ${words.join(", ")}`, z.string().toLowerCase().pipe(z.enum(words)));
}

/** One of several words in any case, or the default. */
export function choice<const Words extends readonly string[]>(
  unset: Words[number],
  words: Words,
  takes = words.join(", ").replace(/, (\w+)$/, " or $1"),
) {
  const schema = z.string().toLowerCase().pipe(z.enum(words));
  return { takes, schema: schema.default(unset as z.output<typeof schema>) };
}

/** True for the first of two words, or the default. */
export function flag<Unset extends boolean | null>(unset: Unset, on: string, off: string) {
  const schema = z.string().toLowerCase().pipe(z.enum([on, off])).transform((word) => word === on);
  return { takes: `${on} or ${off}`, schema: schema.optional().transform((is) => is ?? unset) };
}

/** A text that fits a pattern, or none. */
export function text(takes: string, pattern = /./s) {
  return orNull(takes, z.string().regex(pattern));
}

/** An address of one of these protocols, or none. */
export function address(protocols: string, takes = "an http or https address") {
  return orNull(takes, url(protocols).transform(({ href }) => href));
}

const addressWithoutLogin = url("http: https:")
  .refine(({ username, password }) => !username && !password).transform(({ href }) => href);

/** An http or https address for everybody's eyes, or none. */
export const openAddress = orNull(
  "an http or https address without a user and a password: everybody may see it",
  addressWithoutLogin,
);

/** An http or https address that gets a header instead of a user and a password, or none. */
export const calledAddress = orNull(
  "an http or https address without a user and a password",
  addressWithoutLogin,
);

/** An http or https address to which paths are added, without a slash at its end, or none. */
export function base(takes: string, refuses = /(?!)/) {
  return orNull(
    takes,
    url("http: https:")
      .refine(({ search, hash, pathname }) => !search && !hash && !refuses.test(pathname))
      .transform(({ href }) => href.replace(/\/+$/, "")),
  );
}

function url(protocols: string) {
  return z.string()
    .refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol))
    .refine(isDecodable)
    .transform((text) => new URL(text));
}

/** Libraries decode the parts of a URL, and some throw at a "%" that is not an escape. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** An address to listen on: an IPv6 address may be in brackets, and the port is a separate setting. */
export const host = {
  takes: "an address or host name of this machine, without a port, such as 127.0.0.1 or ::",
  schema: z.string().refine((text) =>
    isIP(text.replace(/^\[(.*)\]$/, "$1")) !== 0 || /^[\w.-]+$/.test(text)
  ).default("0.0.0.0"),
};

/**
 * A language that has its file in messages/, in any case. Machines have a variable of this name for
 * gettext: a list such as `en_US:en` is not meant for us.
 */
export const language = {
  takes: `one of ${LANGUAGES.join(", ")}`,
  schema: z.string().transform((given, context) => {
    const tag = given.includes(":") ? "en" : given.replace("_", "-").toLowerCase();
    const known = LANGUAGES.find((one) => one.toLowerCase() === tag);
    if (known === undefined) context.addIssue("unknown language");
    return known ?? "en";
  }).default("en"),
};

/** A colour; `.env` files take a "#" for the start of a comment, so it may be left out. */
export function colour(example: string) {
  return orNull(
    `a colour such as #${example} or ${example}`,
    z.string().regex(/^#?[\da-f]{6}$/i)
      .transform((text) => `#${text.replace("#", "").toLowerCase()}`),
  );
}

/** What a text lists, and none without one; `parse` makes null of what is wrong. */
function listOf<One>(takes: string, parse: (text: string) => readonly One[] | null) {
  const schema = z.string().transform(parse).refine((list) => list !== null).optional();
  return { takes, schema: schema.transform((list) => list ?? []) };
}

/** At most eight links, each a label and an address: of the web, of a mailbox, or a path of the same host. */
export const links = listOf(
  "at most 8 links, each a label of up to 40 characters and an address, such as Docs https://example.com/docs; Support /support",
  (text) => {
    const links = text.split(/;\s+|;$/).filter(Boolean).map(parseLink);
    return links.length > 8 || links.includes(null) ? null : links as SiteLink[];
  },
);

/** Origins of the web; all of them stand in a header, for which proxies have a few KB. */
export const origins = listOf(
  "at most 20 origins without a path or a wildcard, separated by spaces, such as https://example.com http://localhost:3000",
  (text) => {
    const origins = new Set(text.trim().split(/\s+/).map(parseOrigin));
    return origins.has(null) || origins.size > 20 ? null : [...origins] as string[];
  },
);

/** Addresses of proxies. */
export const networks = listOf(
  "addresses or networks separated by spaces, such as 10.0.0.5 10.0.0.6",
  parseNetworks,
);

/** A time zone as IANA spells it. */
export const zone = {
  takes: "an IANA time zone, such as Europe/Berlin",
  schema: z.string().optional().transform((name = "UTC", { issues, value }) => {
    // An offset, such as +02:00, is no zone: it has no summer time.
    const isName = /^[a-z]/i.test(name);
    try {
      if (isName) {
        return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
      }
    } catch {
      // None of this name.
    }
    issues.push({ code: "custom", input: value });
    return z.NEVER;
  }),
};

/** An address to which secrets are sent. */
export const tokenServer = orNull(
  "an https address, or an http one of this machine",
  url("https: http:").refine(isEncrypted).transform(({ href }) => href),
);

/** Secrets leave this machine encrypted only. */
function isEncrypted({ protocol, hostname }: URL): boolean {
  const isLocal = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
  return protocol === "https:" || protocol === "imaps:" || isLocal;
}

/** A mailbox with its user. */
export const mailbox = orNull(
  "imaps://user:password@host/folder, with /, ?, #, @ and % in the password written as %2F, %3F, %23, %40 and %25; imap:// only for this machine",
  url("imaps: imap:").refine(isMailbox).transform(toMailbox),
);

function isMailbox(address: URL): boolean {
  const { hostname, username, search, hash } = address;
  return hostname !== "" && username !== "" && search === "" && hash === "" && isEncrypted(address);
}

function toMailbox({ protocol, hostname, port, username, password, pathname }: URL) {
  const secure = protocol === "imaps:";
  return {
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: port === "" ? (secure ? 993 : 143) : Number(port),
    secure,
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    folder: decodeURIComponent(pathname.slice(1)) || "INBOX",
  };
}

/** Only what `host-source` of CSP Level 3 takes without a wildcard: no IPv6 address. */
function parseOrigin(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const { origin, href } = new URL(text);
  return href === `${origin}/` && /^https?:\/\/[a-z\d.-]+(:\d+)?$/.test(origin) ? origin : null;
}

/** A link as the settings have it. */
export interface SiteLink {
  readonly label: string;
  readonly address: string;
}

const LINK = /^(?<label>\S.{0,39}?)\s+(?<address>(?:https?:\/\/|mailto:|\/)\S+)$/i;

function parseLink(text: string): SiteLink | null {
  const { label = "", address = "" } = LINK.exec(text.trim())?.groups ?? {};
  const isTarget = address.startsWith("/") ? !address.startsWith("//") : URL.canParse(address);
  return isTarget ? { label, address } : null;
}

/** Addresses that share so many first bits. */
type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Addresses and networks that are separated by spaces; null where one is neither. */
export function parseNetworks(text: string): Network[] | null {
  const networks = text.trim().split(/\s+/).map(parseNetwork);
  return networks.every((network) => network !== null) ? networks : null;
}

function parseNetwork(text: string): Network | null {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  // A short form such as 10.1 is more likely a mistake.
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return null;
  const address = ipaddr.process(text);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

/**
 * Whether an address is in one of the networks; an IPv4 address that is written as IPv6 is what it
 * stands for.
 *
 * ```ts
 * const networks = parseNetworks("192.0.2.7 10.0.0.0/8 2001:db8::/32")!;
 * const found = ["192.0.2.7", "::ffff:10.1.2.3", "2001:db8::1", "192.0.2.8", "local"]
 *   .filter((address) => isInNetworks(address, networks));
 * if (found.length !== 3) throw new Error(found.join());
 * ```
 */
export function isInNetworks(address: string, networks: readonly Network[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return networks.some(([network, bits]) =>
    network.kind() === parsed.kind() && parsed.match(network, bits)
  );
}
