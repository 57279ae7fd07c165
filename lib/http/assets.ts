import { createHash } from "node:crypto";
import { ExpectedError } from "../expected_error.ts";
import { firstLineOf } from "../first_line.ts";

const STATIC = new URL("../../static/", import.meta.url);
/** The result of `deno task build`, which a server reads once at its start. */
export const BUILT = new URL("../../dist/islands.json", import.meta.url);

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml; charset=utf-8",
};

/** For each island the names of its script and of the script's imports, the script first. */
export type IslandScripts = Readonly<Record<string, readonly string[]>>;

/** The content of the file that a build writes. */
export interface BuiltIslands {
  /** A hash of the sources. */
  inputs: string;
  islands: IslandScripts;
  /** The text of every script, by name. */
  scripts: Readonly<Record<string, string>>;
}

/** A file that pages load, as read at the start. */
export interface Asset {
  contentType: string;
  body: string;
}

/** The files that pages load: their names contain a hash of their content, so they never change. */
export class Assets {
  readonly #files = new Map<string, Asset>();
  readonly #hashedNames = new Map<string, string>();
  #islands: IslandScripts = {};

  /**
   * Reads static/ and the build; without a build, pages have no islands.
   *
   * @throws {ExpectedError} if the build is there and cannot be used
   */
  static async load(): Promise<Assets> {
    const assets = new Assets();
    for await (const { name } of Deno.readDir(STATIC)) {
      const body = await Deno.readTextFile(new URL(name, STATIC));
      assets.#add(hashedName(name, body), body);
      assets.#hashedNames.set(name, hashedName(name, body));
    }
    const { islands, scripts } = await readBuilt();
    assets.#islands = islands;
    for (const [name, body] of Object.entries(scripts)) assets.#add(name, body);
    return assets;
  }

  /** The file with this hashed name. */
  find(name: string): Asset | null {
    return this.#files.get(name) ?? null;
  }

  /** The file of static/ with this name. */
  read(name: string): Asset {
    return this.#files.get(this.nameOf(name))!;
  }

  /** The hashed name of a file of static/. */
  nameOf(name: string): string {
    const hashed = this.#hashedNames.get(name);
    if (!hashed) throw new Error(`There is no static/${name}`);
    return hashed;
  }

  /** The scripts of an island, its own first; none without a build. */
  scriptsOf(island: string): readonly string[] {
    return this.#islands[island] ?? [];
  }

  /** The islands have been built. */
  get hasIslands(): boolean {
    return Object.keys(this.#islands).length > 0;
  }

  #add(name: string, body: string): void {
    this.#files.set(name, { contentType: CONTENT_TYPES[name.split(".").pop()!]!, body });
  }
}

/**
 * Adds a hash of the content to the name of a file.
 *
 * ```ts
 * const name = hashedName("style.css", "body {}");
 * if (!/^style-[\w-]{12}\.css$/.test(name)) throw new Error(name);
 * ```
 */
export function hashedName(name: string, content: string): string {
  const hash = createHash("sha256").update(content).digest("base64url").slice(0, 12);
  return name.replace(/(\.\w+)$/, `-${hash}$1`);
}

async function readBuilt(): Promise<Pick<BuiltIslands, "islands" | "scripts">> {
  try {
    return JSON.parse(await Deno.readTextFile(BUILT));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { islands: {}, scripts: {} };
    throw new ExpectedError(
      `Cannot use dist/islands.json: ${firstLineOf(error)}. Run \`deno task build\``,
    );
  }
}
