import { createHash } from "node:crypto";
import { ExpectedError, firstLineOf } from "../../expected_error.ts";
import { OWN_ACCENT, styleOfAccent } from "../../config/accent.ts";
import type { Config } from "../../config/config.ts";
import { type Picture, readPicture } from "./brand_files.ts";
import { language } from "../../text/messages.ts";
import type { Message } from "../../text/say.ts";
import { VERSION } from "../../version.ts";

const STATIC = new URL("../../../static/", import.meta.url);
/** The result of `deno task build`, which a server reads once at its start. */
export const BUILT = new URL("../../../dist/scripts.json", import.meta.url);

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  png: "image/png",
  svg: "image/svg+xml; charset=utf-8",
};

/** The scripts of the pages, as they are built. */
export interface BuiltScripts {
  /** The messages that scripts name by their places in this list. */
  keys: readonly string[];
  /** For each script the name of its file and of those that it imports, its own first. */
  scripts: Record<string, { files: readonly string[]; messages: readonly number[] }>;
  files: Readonly<Record<string, string>>;
}

/** The content of the file that a build writes. */
export interface BuildFile extends BuiltScripts {
  /** The version of Roadcast that built it. */
  version: string;
  /** A hash of the sources. */
  inputs: string;
}

/** Messages by the numbers that scripts have for them. */
type Texts = Readonly<Record<number, Message>>;

/** A file that pages load, as read at the start. */
export interface Asset {
  contentType: string;
  body: string | Uint8Array<ArrayBuffer>;
}

/** The settings that change what pages load. */
type Brand = Pick<Config, "accent" | "SITE_LOGO" | "SITE_PREVIEW">;

/** The files that pages load: their names contain a hash of their content, so they never change. */
export class Assets {
  readonly #files = new Map<string, Asset>();
  readonly #hashedNames = new Map<string, string>();
  /** The files of each script, its own first. */
  readonly #scripts = new Map<string, readonly string[]>();
  readonly #texts = new Map<string, Texts>();

  /** The logo of the settings; null: our own. */
  logo: Picture | null = null;
  #preview: Picture | null = null;

  /**
   * Reads static/, the build and the files of the settings; without a build, pages have no scripts.
   *
   * @throws {ExpectedError} if the build is there and cannot be used
   */
  static async load(
    { accent, SITE_LOGO: logoFile, SITE_PREVIEW: previewFile }: Brand,
  ): Promise<Assets> {
    const assets = new Assets();
    for await (const { name, isFile } of Deno.readDir(STATIC)) {
      if (isFile) assets.#add(name, applyAccent(name, await readStatic(name), accent));
    }
    assets.#addScripts(await readBuilt());
    if (logoFile !== null) assets.logo = await readPicture("SITE_LOGO", logoFile, "logo");
    if (previewFile !== null) {
      assets.#preview = await readPicture("SITE_PREVIEW", previewFile, "preview");
    }
    for (const picture of [assets.logo, assets.#preview]) {
      if (picture) assets.#add(picture.name, picture.body);
    }
    return assets;
  }

  /** The names of the files for browsers' tabs, home screens and previews of links. */
  get signs(): { icon: string; touchIcon: string | null; preview: string | null } {
    const { name } = this.logo ?? {};
    // Home screens and chats take no SVG, and our own drawing would be another site's.
    const png = name === "logo.png" ? name : null;
    return {
      icon: name ?? "favicon.svg",
      touchIcon: name ? png : "touch-icon.png",
      preview: this.#preview || !name ? "preview.png" : png,
    };
  }

  find(name: string): Asset | null {
    return this.#files.get(name) ?? null;
  }

  /** The file of static/ or of the settings with this name. */
  read(name: string): Asset {
    return this.#files.get(this.nameOf(name))!;
  }

  /** The hashed name of a file of static/ or of the settings. */
  nameOf(name: string): string {
    const hashed = this.#hashedNames.get(name);
    if (!hashed) throw new Error(`There is no file static/${name}`);
    return hashed;
  }

  /** The files of a script, its own first; none without a build. */
  scriptsOf(script: string): readonly string[] {
    return this.#scripts.get(script) ?? [];
  }

  get hasScripts(): boolean {
    return this.#scripts.size > 0;
  }

  /** What an island says, by the numbers that its script has for messages. */
  textsOf(island: string): Texts {
    return this.#texts.get(island) ?? {};
  }

  /** A script has its messages in front of it, so its name depends on the language too. */
  #addScripts({ keys, scripts, files }: BuiltScripts): void {
    const { messages } = language();
    for (const [script, { files: [own, ...imported], messages: used }] of Object.entries(scripts)) {
      const texts = Object.fromEntries(used.map((number) => [number, messages[keys[number]!]!]));
      // Those of an island are in its page, beside its properties.
      const isInPage = /^[A-Z]/.test(script);
      if (isInPage) this.#texts.set(script, texts);
      const head = isInPage || used.length === 0
        ? ""
        : `Object.assign(self.T??={},${JSON.stringify(texts)});`;
      const body = head + files[own!]!;
      const name = hashedName(own!, body);
      this.#publish(name, body);
      for (const chunk of imported) this.#publish(chunk, files[chunk]!);
      this.#scripts.set(script, [name, ...imported]);
    }
  }

  #add(name: string, body: Asset["body"]): void {
    this.#hashedNames.set(name, hashedName(name, body));
    this.#publish(hashedName(name, body), body);
  }

  #publish(name: string, body: Asset["body"]): void {
    this.#files.set(name, { contentType: CONTENT_TYPES[name.split(".").pop()!]!, body });
  }
}

async function readStatic(name: string): Promise<Asset["body"]> {
  const file = new URL(name, STATIC);
  if (name.endsWith(".png")) return await Deno.readFile(file);
  const text = await Deno.readTextFile(file);
  return name.endsWith(".css") ? joinStyles(text, file) : text;
}

/** A style sheet with its imports in their places: a browser asks for one file. */
function joinStyles(text: string, file: URL): string {
  return text.replace(
    /@import "([^"\n]+)";\n/g,
    (_, part) => Deno.readTextFileSync(new URL(part, file)),
  );
}

/** A file of static/ in the colours of the settings. */
function applyAccent(name: string, body: Asset["body"], accent: Brand["accent"]): Asset["body"] {
  if (accent === null || typeof body !== "string") return body;
  if (name === "style.css") return body + styleOfAccent(accent);
  return name === "favicon.svg" ? body.replaceAll(OWN_ACCENT.light, accent.light) : body;
}

/**
 * Adds a hash of the content to the name of a file.
 *
 * ```ts
 * const name = hashedName("style.css", "body {}");
 * if (!/^style-[\w-]{12}\.css$/.test(name)) throw new Error(name);
 * ```
 */
export function hashedName(name: string, content: string | Uint8Array): string {
  const hash = createHash("sha256").update(content).digest("base64url").slice(0, 12);
  return name.replace(/(\.\w+)$/, `-${hash}$1`);
}

async function readBuilt(): Promise<BuiltScripts> {
  try {
    const built: BuildFile = JSON.parse(await Deno.readTextFile(BUILT));
    if (built.version !== VERSION) throw new Error("another version has built it");
    return built;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { keys: [], scripts: {}, files: {} };
    throw new ExpectedError(
      `Cannot use dist/scripts.json: ${firstLineOf(error)}. Run \`deno task build\``,
    );
  }
}
