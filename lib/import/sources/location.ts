import { firstLineOf } from "../../first_line.ts";
import { type FetchOptions, openAddress, type Validators } from "./fetch_address.ts";
import type { Patience } from "./patience.ts";
import { SnapshotError } from "./snapshot_item.ts";

/** What a source delivers: its bytes, and how many there will be where it says so. */
export interface Delivery {
  /** Where the bytes came from in the end: redirects are followed. */
  readonly address: string;
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly length: number | null;
  /** The media type in lower case, without parameters; null for a file. */
  readonly contentType: string | null;
  /** How the server says that the text is encoded; null where it does not. */
  readonly charset: string | null;
  /** Where the Link header says that the next page is (RFC 8288). */
  readonly next: string | null;
  /** What to ask with whether it has changed; null where the source gives nothing for that. */
  readonly validators: Validators | null;
}

/** Tells whether a location is an address rather than a file. */
export function isAddress(location: string): boolean {
  return /^https?:\/\//i.test(location);
}

/** What the name of a parameter has in it whose value is nobody's business. */
const SECRET = /key|token|secret|sig|code|pass|auth/i;

/**
 * A location as messages and the database may show it: without a password, and without the values
 * of parameters that sound like a secret.
 *
 * ```ts
 * const shown = showLocation("https://me:secret@example.com/items?api_key=1&page=2");
 * if (shown !== "https://example.com/items?api_key=…&page=2") throw new Error(shown);
 * ```
 */
export function showLocation(location: string): string {
  if (!isAddress(location)) return location;
  const [, address, query, rest] = /^([^?#]*)(\?[^#]*)?(.*)$/s.exec(location)!;
  const parameters = query?.split("&").map((parameter) => {
    const [name] = parameter.split("=", 1);
    return SECRET.test(name!) && parameter.includes("=") ? `${name}=…` : parameter;
  });
  return address!.replace(/^(https?:\/\/)[^/]*@/i, "$1") + (parameters?.join("&") ?? "") + rest;
}

/**
 * Opens a file or an http(s) address; null where the address says that nothing has changed since.
 *
 * @throws {SnapshotError} that names the location and says why it cannot be read
 */
export function openLocation(
  location: string,
  options: FetchOptions & { patience: Patience },
): Promise<Delivery | null> {
  return isAddress(location)
    ? openAddress(location, { ...options, shown: showLocation(location) })
    : openFile(location);
}

async function openFile(path: string): Promise<Delivery> {
  try {
    const file = await Deno.open(path);
    const { size, isFile } = await file.stat();
    if (!isFile) {
      file.close();
      throw new Error("it is not a file");
    }
    return {
      address: path,
      chunks: file.readable,
      length: size,
      contentType: null,
      charset: null,
      next: null,
      validators: null,
    };
  } catch (error) {
    throw new SnapshotError(`Cannot read ${path}: ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "there is no such file";
  if (error instanceof Deno.errors.PermissionDenied) return "reading it is not allowed";
  // Deno gives permissions at the start of a process only.
  if (error instanceof Deno.errors.NotCapable) {
    return "this process was not started to read there: start it anew, or move the file to the " +
      "folder of ROADMAP_CONFIG";
  }
  return firstLineOf(error);
}
