import type { SingleSession } from "./single_session.ts";
import { splitStatements, unquote } from "./sql_statements.ts";
import { readClosedStatement, readParse, readQuery, SYNC, typeOf } from "./wire.ts";

/** The role of the session, and its settings. */
interface Saved {
  readonly settings: Readonly<Record<string, string>>;
  readonly user: string;
  readonly role: string;
  readonly channels: readonly string[];
  /** Statements that are prepared: `from_sql` by PREPARE. */
  readonly statements: readonly {
    readonly name: string;
    readonly statement: string;
    readonly from_sql: boolean;
  }[];
}

const READ = `
  select coalesce((
      select json_object_agg(name, setting) from pg_catalog.pg_settings where source = 'session'
    ), '{}') as settings,
    session_user::text as user, pg_catalog.current_setting('role') as role,
    array(select pg_catalog.pg_listening_channels()) as channels,
    coalesce((
      select json_agg(statements) from (
        select name, statement, from_sql from pg_catalog.pg_prepared_statements
      ) as statements
    ), '[]') as statements`;

/** Ends what a client may leave in the session, beside its settings and its statements. */
const CLEAN = "reset all; close all; discard temp; select pg_catalog.pg_advisory_unlock_all()";

/** After these the session may listen to other channels, or have lost statements. */
const LISTENING = ["LISTEN", "UNLISTEN", "DISCARD ALL"];
const FORGETTING = ["DEALLOCATE ALL", "DISCARD ALL"];

/** What a client did in a turn. */
export interface Done {
  /** The tags of its statements, such as `LISTEN`. */
  readonly tags: ReadonlySet<string>;
  /** Something has failed, or was rolled back. */
  readonly hasFailed: boolean;
}

/** What one client has in the session, or finds there again in its next turn. */
export class ClientState {
  settings: Record<string, string> = {};
  user: string | null = null;
  role = "none";
  readonly channels = new Set<string>();
  /** The channels of the statements LISTEN of its turn. */
  readonly named = new Set<string>();
  /** Its statements, by their names: those of the protocol as their Parse, the others as PREPARE. */
  readonly statements = new Map<string, Uint8Array | string>();
  /** They are not in the session any longer. */
  isForgotten = false;

  /**
   * @param isOwn it leaves no settings behind, and its statements have names that no other has, as a
   *   pooler demands
   * @param startup the settings that it asked for when it connected
   */
  constructor(
    readonly isOwn: boolean,
    private readonly startup: Readonly<Record<string, string>> = {},
  ) {
    this.settings = { ...startup };
  }

  /** Notes what messages leave behind, before they run. */
  note(messages: readonly Uint8Array[]): void {
    for (const message of messages) {
      const type = typeOf(message);
      if (type === "P") this.#parse(message);
      else if (type === "C") this.statements.delete(readClosedStatement(message) ?? NO_NAME);
      else if (type === "Q") {
        this.statements.delete(""); // as PostgreSQL does
        this.#noteChannels(readQuery(message));
      }
    }
  }

  /** Keeps what was found in the session at the end of its turn. */
  keep(saved: Saved, { tags }: Done): void {
    this.settings = { ...this.startup, ...saved.settings };
    // Of PGlite it does not reset the role.
    const isReset = tags.has("DISCARD ALL");
    this.user = isReset ? null : saved.user;
    this.role = isReset ? "none" : saved.role;
    const unnamed = this.statements.get("");
    const parses = new Map(this.statements);
    this.statements.clear();
    if (unnamed !== undefined) this.statements.set("", unnamed);
    for (const { name, statement, from_sql } of saved.statements) {
      const again = from_sql ? findPrepare(statement, name) : parses.get(name);
      if (again !== undefined) this.statements.set(name, again);
    }
  }

  #parse(message: Uint8Array): void {
    if (this.isOwn && message[5] === 0) return; // it is used in the same turn
    const { name, text } = readParse(message);
    // The second of one name fails.
    if (name === "" || !this.statements.has(name)) this.statements.set(name, message.slice());
    this.#noteChannels(text);
  }

  #noteChannels(text: string): void {
    if (!/listen/i.test(text)) return;
    for (const { words: [first, channel] } of splitStatements(text)) {
      if (first === "listen" && channel !== undefined) this.named.add(unquote(channel));
    }
  }
}

/** No statement has it: names end at a zero. */
const NO_NAME = "\0";

/** PostgreSQL stores the whole text that a PREPARE was a part of. */
function findPrepare(text: string, name: string): string | undefined {
  return splitStatements(text).findLast(({ words: [first, second] }) =>
    first === "prepare" && second !== undefined && unquote(second) === name
  )?.text;
}

/** Lets each client find in the one session what it has left there, and nothing of the others. */
export class SessionState {
  readonly #clients = new Set<ClientState>();
  /** Whose statements are in the session, of those clients whose names others may use too. */
  #occupant: ClientState | null = null;

  constructor(private readonly session: SingleSession, private readonly user: string) {}

  /** Begins a turn of a client. */
  async enter(client: ClientState): Promise<void> {
    this.#clients.add(client);
    if (!client.isOwn) {
      if (this.#occupant !== client) {
        if (this.#occupant !== null) await this.#forget(this.#occupant);
        this.#occupant = client;
      }
      await this.#restoreSettings(client);
    }
    if (client.isForgotten) await this.#prepareAgain(client);
    const unnamed = client.statements.get("");
    if (unnamed instanceof Uint8Array) await this.session.run([unnamed, SYNC]);
  }

  /** Ends a turn of a client. */
  async leave(client: ClientState, done: Done): Promise<void> {
    const listens = LISTENING.some((tag) => done.tags.has(tag));
    if (client.isOwn && !listens) return;
    const { session } = this;
    const saved = await this.#read();
    if (listens) await this.#listen(client, saved.channels, done);
    client.named.clear();
    if (client.isOwn) return;
    if (FORGETTING.some((tag) => done.tags.has(tag))) {
      for (const other of this.#clients) if (other !== client) other.isForgotten = true;
    }
    const own = [...this.#clients].filter(({ isOwn }) => isOwn);
    const statements = saved.statements.filter(({ name }) =>
      !own.some(({ statements }) => statements.has(name))
    );
    client.keep({ ...saved, statements }, done);
    if (saved.user !== this.user || saved.role !== "none") {
      await session.script(`set session authorization ${quote(this.user)}`);
    }
    await session.script(CLEAN);
  }

  /** A client is gone. */
  async remove(client: ClientState): Promise<void> {
    if (!this.#clients.delete(client)) return;
    if (client.isOwn || this.#occupant === client) await this.#forget(client);
    if (this.#occupant === client) this.#occupant = null;
    for (const channel of client.channels) {
      if (!this.#hears(channel)) await this.session.script(`unlisten ${quote(channel)}`);
    }
  }

  async #read(): Promise<Saved> {
    const [{ encoding }] = await this.session.query<{ encoding: string }>(
      "select pg_catalog.current_setting('client_encoding') as encoding",
    ) as [{ encoding: string }];
    if (encoding !== "UTF8") await this.session.script("set client_encoding = 'UTF8'");
    const [saved] = await this.session.query<Saved>(READ) as [Saved];
    if (encoding === "UTF8") return saved;
    return { ...saved, settings: { ...saved.settings, client_encoding: encoding } };
  }

  /** As a simple query, which leaves no statement without a name, as one with values does. */
  async #restoreSettings({ settings, user, role }: ClientState): Promise<void> {
    const { client_encoding, ...others } = settings;
    const texts = Object.entries(others).map(([name, value]) => setTo(name, value));
    if (user !== null && user !== this.user) texts.push(`set session authorization ${quote(user)}`);
    if (role !== "none") texts.push(`set role ${quote(role)}`);
    // What is set after it has to be in it.
    if (client_encoding !== undefined) texts.push(setTo("client_encoding", client_encoding));
    if (texts.length > 0) await this.session.script(texts.join("; "));
  }

  async #prepareAgain(client: ClientState): Promise<void> {
    client.isForgotten = false;
    for (const [name, statement] of client.statements) {
      if (name === "") continue;
      // One that fails, since its table is gone, is missed by who uses it.
      if (typeof statement === "string") await this.session.script(statement).catch(() => {});
      else await this.session.run([statement, SYNC]);
    }
  }

  /** Takes the statements of a client out of the session. */
  async #forget(client: ClientState): Promise<void> {
    if (client.isForgotten || client.statements.size === 0) return;
    client.isForgotten = true;
    const names = await this.session.query<{ name: string }>(
      "select name from pg_catalog.pg_prepared_statements where name = any ($1::text[])",
      [[...client.statements.keys()]],
    );
    await this.session.script(names.map(({ name }) => `deallocate ${quote(name)}`).join("; "));
  }

  /** The session listens to what any of the clients listens to. */
  async #listen(
    client: ClientState,
    heard: readonly string[],
    { hasFailed }: Done,
  ): Promise<void> {
    const { channels, named } = client;
    const isNew = (channel: string) => !this.#hears(channel) || !hasFailed && named.has(channel);
    const own = heard.filter((channel) => channels.has(channel) || isNew(channel));
    channels.clear();
    for (const channel of own) channels.add(channel);
    const wanted = new Set([...this.#clients].flatMap(({ channels }) => [...channels]));
    const texts = [
      ...[...wanted].filter((channel) => !heard.includes(channel)).map((name) =>
        `listen ${quote(name)}`
      ),
      ...heard.filter((channel) => !wanted.has(channel)).map((name) => `unlisten ${quote(name)}`),
    ];
    if (texts.length > 0) await this.session.script(texts.join("; "));
  }

  #hears(channel: string): boolean {
    return [...this.#clients].some(({ channels }) => channels.has(channel));
  }
}

function setTo(name: string, value: string): string {
  const [quotedName, quotedValue] = [name, value].map((text) =>
    `e'${text.replace(/['\\]/g, (sign) => sign + sign)}'`
  );
  return `select pg_catalog.set_config(${quotedName}, ${quotedValue}, false)`;
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
