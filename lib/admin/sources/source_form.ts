import { isAddress } from "../../import/fetching/location.ts";
import { locationOfPage } from "../../import/kinds/page_addresses.ts";
import { kindOfTracker } from "../../import/kinds/known_kinds.ts";
import {
  freeVariableFor,
  hideSecretsIn,
  originsOf,
  type WrittenEntry,
} from "../../import/sources/configured_source.ts";
import { parseSource } from "../../import/sources/source_config.ts";
import { listVariables, VALUE } from "../../import/sources/source_secrets.ts";
import { NO_SECRETS, type TypedSecrets } from "../../import/sources/stored_sources_sql.ts";
import { decode } from "../../text/secrets.ts";

/** How a source is signed in to, as the menu of the form has it. */
export const SIGN_INS = {
  keep: "As it is now",
  none: "No sign-in",
  token: "A token",
  login: "A user with a password or token",
  header: "A header of its own",
  client: "OAuth2 client credentials",
} as const;

/** The fields of the form. */
const SOURCE_FIELDS = [
  ...["name", "from", "every_minutes", "announcements", "sign_in"],
  ...["user", "secret", "header", "token_url", "client_id", "scope"],
] as const;

/** A source as a form describes it; what is wrong with it, by the field. */
export interface SourceDraft {
  readonly name: string;
  /** Without the name. */
  readonly entry: WrittenEntry;
  readonly secrets: TypedSecrets;
  readonly errors: Readonly<Record<string, string>>;
}

interface SourceBefore {
  readonly name: string | null;
  readonly entry: WrittenEntry;
  readonly secrets: TypedSecrets;
}

const NEW: SourceBefore = { name: null, entry: {}, secrets: NO_SECRETS };

interface Around {
  readonly before?: SourceBefore;
  /** The names of the variables of other sources. */
  readonly taken: ReadonlySet<string>;
  readonly gitlabUrl: string;
}

/**
 * Reads the form of a source. What it has no field for stays as it was; what was typed as a secret
 * is stored apart, and `env:NAME` stands for it.
 */
export function readSourceForm(form: URLSearchParams, around: Around): SourceDraft {
  const { before = NEW } = around;
  const read = (name: typeof SOURCE_FIELDS[number]) => form.get(name)?.trim() ?? "";
  const name = before.name ?? read("name");
  const typed = new Typed(name, around.taken);
  const { headers: _headers, auth: _auth, announcements: _posts, ...others } = before.entry;
  const given = withoutLogin(locationOfPage(read("from"), around));
  const signIn = given.login === null ? read("sign_in") || "none" : "login";
  const entry: WrittenEntry = {
    ...others,
    from: given.from,
    every_minutes: Number(read("every_minutes")),
    ...read("announcements") !== "" && { announcements: read("announcements") },
    ...signIn === "keep"
      ? pick(before.entry, ["headers", "auth"])
      : signInOf(signIn, { read, typed, login: given.login }),
  };
  return completeDraft(name, entry, { before, typed });
}

/**
 * Reads a source as JSON, as a file of ROADMAP_CONFIG has it. A secret that stands in it is stored
 * apart, as one of the form.
 */
export function readSourceJson(
  written: WrittenEntry,
  { before = NEW, taken }: Omit<Around, "gitlabUrl">,
): SourceDraft {
  const name = before.name ?? "";
  return completeDraft(name, written, { before, typed: new Typed(name, taken) });
}

/** What was typed as secrets, and what is wrong with it. */
class Typed {
  readonly values: Record<string, string> = {};
  readonly errors: Record<string, string> = {};
  /** The variables that the entry has already. */
  used: ReadonlySet<string> = new Set();

  constructor(private readonly source: string, private readonly taken: ReadonlySet<string>) {}

  /** Keeps a secret for a use of it, and returns what stands for it. */
  keep(use: string, value: string, field = "secret"): string {
    const variable = freeVariableFor(
      this.source,
      use,
      (variable) =>
        this.taken.has(variable) || this.used.has(variable) ||
        Object.hasOwn(this.values, variable),
    );
    if (value === "") this.errors[field] = "Enter the token, password or secret";
    else if (!VALUE.test(value)) {
      this.errors[field] = "Use at most 4,000 printable ASCII characters";
    }
    this.values[variable] = value;
    return `env:${variable}`;
  }
}

function completeDraft(
  name: string,
  given: WrittenEntry,
  { before, typed }: { before: SourceBefore; typed: Typed },
): SourceDraft {
  const { errors } = typed;
  typed.used = new Set(JSON.stringify(given).match(/(?<=env:)\w+/g));
  const entry = hideSecretsIn(
    { ...given, from: String(given.from ?? "") },
    (use, value, key) => typed.keep(use, value, fieldOf(key)),
  );
  const from = entry.from as string;
  const { source, mistakes } = parseSource({ name, ...entry });
  for (const line of mistakes) {
    const [, path, reason] = /^([^:]*): (.*)$/s.exec(line)!;
    errors[fieldOf(path!)] ??= reason!.charAt(0).toUpperCase() + reason!.slice(1);
  }
  if (from !== "" && !isAddress(from) && kindOfTracker(from) === null) {
    errors.from = "Enter an address that begins with https://, or that of a tracker";
  }
  if (!source) return { name, entry, secrets: NO_SECRETS, errors };
  const stored = before.secrets;
  const used = listVariables({ ...source, api: { body: source.body } });
  const kept = used.filter((variable) => !Object.hasOwn(typed.values, variable));
  const origins = originsOf(source);
  if (kept.some((variable) => !Object.hasOwn(stored.values, variable))) {
    errors.sign_in ??= "Enter the credentials again";
  } else if (kept.length > 0 && !origins.every((origin) => stored.origins.includes(origin))) {
    errors.sign_in ??=
      "The address is on another server: enter the credentials again, or choose “No sign-in”";
  }
  const values = {
    ...Object.fromEntries(kept.map((variable) => [variable, stored.values[variable] ?? ""])),
    ...typed.values,
  };
  return { name, entry, secrets: { origins, values }, errors };
}

/** The headers or the token server by which a source is signed in to. */
function signInOf(signIn: string, { read, typed, login }: {
  read: (name: typeof SOURCE_FIELDS[number]) => string;
  typed: Typed;
  login: string | null;
}): WrittenEntry {
  const secret = read("secret");
  switch (signIn) {
    case "token":
      return {
        headers: { Authorization: typed.keep("Authorization", secret && `Bearer ${secret}`) },
      };
    case "login": {
      const pair = login ?? (secret && `${read("user")}:${secret}`);
      const basic = pair && `Basic ${new TextEncoder().encode(pair).toBase64()}`;
      return { headers: { Authorization: typed.keep("Authorization", basic) } };
    }
    case "header":
      return { headers: { [read("header")]: typed.keep(read("header"), secret) } };
    case "client":
      return {
        auth: {
          client_credentials: {
            token_url: read("token_url"),
            client_id: read("client_id"),
            client_secret: typed.keep("client secret", secret),
            ...read("scope") !== "" && { scope: read("scope") },
          },
        },
      };
    default:
      return {};
  }
}

/** A user and a password in an address are a sign-in like any other. */
function withoutLogin(from: string): { from: string; login: string | null } {
  const url = isAddress(from) ? URL.parse(from) : null;
  if (url === null || url.username === "" && url.password === "") return { from, login: null };
  const login = [url.username, url.password].map(decode).join(":");
  url.username = url.password = "";
  return { from: url.href, login };
}

/** The field of the form that has a key of an entry. */
function fieldOf(path: string): string {
  if (path.startsWith("headers")) return "header";
  const key = path.split(/[.[]/).at(-1)!;
  return (SOURCE_FIELDS as readonly string[]).includes(key) ? key : "from";
}

function pick(entry: WrittenEntry, keys: readonly string[]): WrittenEntry {
  return Object.fromEntries(keys.flatMap((key) => key in entry ? [[key, entry[key]]] : []));
}

/** The menu's choice for an entry: what is stored stays, unless another one is made. */
export function signInNow({ headers, auth }: WrittenEntry): keyof typeof SIGN_INS {
  return headers !== undefined || auth !== undefined ? "keep" : "none";
}
