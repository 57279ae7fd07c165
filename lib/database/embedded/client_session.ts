import type { SingleSession } from "./single_session.ts";
import { ProtocolViolation, statementOf, SYNC, typeOf, withPrefix } from "./wire.ts";

/** What a client has set in the session, and left there, in its turn. */
interface Left {
  readonly settings: Readonly<Record<string, string>>;
  /** The names of the statements that are prepared by the protocol, and by SQL. */
  readonly parsed: readonly string[];
  readonly prepared: readonly string[];
}

const READ = `
  select coalesce((
      select json_object_agg(name, setting) from pg_catalog.pg_settings where source = 'session'
    ), '{}') as settings,
    array(select name from pg_catalog.pg_prepared_statements where not from_sql) as parsed,
    array(select name from pg_catalog.pg_prepared_statements where from_sql) as prepared`;

/** Ends what a client may leave in the session, beside the statements of the protocol. */
const CLEAN = "reset all; close all; discard temp; select pg_catalog.pg_advisory_unlock_all()";

/** The parameters of a StartupMessage that are no settings. */
const NO_SETTINGS = ["user", "database"];

/**
 * What one client has in the one session, which others have between its transactions, as behind a pooler
 * of transactions: its settings, and the statements that it has prepared by the protocol. Their names
 * begin with a prefix of its own.
 */
export class ClientSession {
  readonly #prefix: string;
  readonly #startup: Readonly<Record<string, string>>;
  #settings: Readonly<Record<string, string>>;
  /** Its statements as their Parse, by their names in the session. */
  readonly #parses = new Map<string, Uint8Array>();

  /**
   * @param isOwn of the product itself: it leaves no settings behind, and its statements have names that
   *   no other has, as a pooler demands
   * @param parameters of its StartupMessage: what it asks for when it connects is the first of its settings
   * @throws {ProtocolViolation} if it asks for more than settings
   */
  constructor(
    private readonly session: SingleSession,
    { key, isOwn, parameters }: {
      key: number;
      isOwn: boolean;
      parameters: ReadonlyMap<string, string>;
    },
  ) {
    if (parameters.has("options")) {
      throw new ProtocolViolation("unsupported startup parameter: options", "0A000");
    }
    this.#prefix = isOwn ? "" : `client ${key} `;
    // Those that begin so are extensions of the protocol.
    const settings = [...parameters].filter(([name]) =>
      !NO_SETTINGS.includes(name) && !name.startsWith("_pq_.")
    );
    this.#startup = this.#settings = isOwn ? {} : Object.fromEntries(settings);
  }

  get #isOwn(): boolean {
    return this.#prefix === "";
  }

  /** Begins a turn: it finds its settings, and the statement without a name. */
  async enter(): Promise<void> {
    if (!this.#isOwn) await this.#restoreSettings();
    const unnamed = this.#parses.get("");
    if (unnamed !== undefined) await this.session.run([unnamed, SYNC]);
  }

  /** Its messages as they run in the session; notes the statements that they prepare. */
  translate(messages: readonly Uint8Array[]): readonly Uint8Array[] {
    return messages.map((message) => {
      const translated = this.#isOwn ? message : withPrefix(message, this.#prefix);
      this.#note(translated);
      return translated;
    });
  }

  async leave(): Promise<void> {
    if (this.#isOwn) return;
    const { settings, parsed, prepared } = await this.#read();
    this.#settings = { ...this.#startup, ...settings };
    for (const name of this.#parses.keys()) {
      if (name !== "" && !parsed.includes(name)) this.#parses.delete(name);
    }
    const endings = prepared.map((name) => `deallocate ${quote(name)}`);
    await this.session.script([RESET_ROLE, CLEAN, ...endings].join("; "));
  }

  /** Prepares its statements again after another client has removed all. */
  async prepareAgain(): Promise<void> {
    for (const parse of this.#parses.values()) await this.session.run([parse, SYNC]);
  }

  /** Takes its statements out of the session: it is gone. */
  async remove(): Promise<void> {
    const names = await this.session.query<{ name: string }>(
      "select name from pg_catalog.pg_prepared_statements where name = any ($1::text[])",
      [[...this.#parses.keys()]],
    );
    if (names.length === 0) return;
    await this.session.script(names.map(({ name }) => `deallocate ${quote(name)}`).join("; "));
  }

  #note(message: Uint8Array): void {
    const type = typeOf(message);
    const name = statementOf(message);
    if (type === "Q") this.#parses.delete(""); // as PostgreSQL does
    else if (name === null) return;
    else if (type === "C") this.#parses.delete(name);
    else if (type === "P" && !(this.#isOwn && name === "")) { // which it uses in the same turn
      // The second of one name fails.
      if (name === "" || !this.#parses.has(name)) this.#parses.set(name, message.slice());
    }
  }

  async #read(): Promise<Left> {
    const [{ encoding }] = await this.session.query<{ encoding: string }>(
      "select pg_catalog.current_setting('client_encoding') as encoding",
    ) as [{ encoding: string }];
    if (encoding !== "UTF8") await this.session.script("set client_encoding = 'UTF8'");
    const [left] = await this.session.query<Left>(READ) as [Left];
    if (encoding === "UTF8") return left;
    return { ...left, settings: { ...left.settings, client_encoding: encoding } };
  }

  /** As a simple query, which leaves no statement without a name, as one with values does. */
  async #restoreSettings(): Promise<void> {
    const { client_encoding, ...others } = this.#settings;
    const texts = Object.entries(others).map(([name, value]) => setTo(name, value));
    // What is set after it has to be in it.
    if (client_encoding !== undefined) texts.push(setTo("client_encoding", client_encoding));
    if (texts.length > 0) await this.session.script(texts.join("; "));
  }
}

/** PGlite's own user; this also ends another role. */
const RESET_ROLE = `set session authorization "postgres"`;

function setTo(name: string, value: string): string {
  const [quotedName, quotedValue] = [name, value].map((text) =>
    `e'${text.replace(/['\\]/g, (sign) => sign + sign)}'`
  );
  return `select pg_catalog.set_config(${quotedName}, ${quotedValue}, false)`;
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
