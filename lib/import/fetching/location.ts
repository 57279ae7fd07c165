import { firstLineOf } from "../../expected_error.ts";
import { type Delivery, type FetchOptions, openAddress } from "./fetch_address.ts";
import { SECRET_NAME } from "../../text/secrets.ts";
import type { Timeout } from "./timeout.ts";
import { SnapshotError } from "../snapshot_error.ts";

/** Whether a location is a URL rather than a file. */
export function isAddress(location: string): boolean {
  return /^https?:\/\//i.test(location);
}

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
  if (!isAddress(location) && !location.startsWith("jira:")) return location;
  const [, address, query, rest] = /^([^?#]*)(\?[^#]*)?(.*)$/s.exec(location)!;
  const parameters = query?.split("&").map((parameter) => {
    const [name] = parameter.split("=", 1);
    const isSecret = SECRET_NAME.test(name!) && /=(?!env:\w+$)/.test(parameter);
    return isSecret ? `${name}=…` : parameter;
  });
  return address!.replace(/^((?:jira:)?(?:https?:\/\/)?)[^/]*@/i, "$1") +
    (parameters?.join("&") ?? "") +
    rest;
}

/** A parameter of an address whose value is `env:NAME`. */
export const PARAMETER = /(?<=[?&][^=&#]*=)env:\w{1,100}(?=&|#|$)/g;

/** An address with the values that stand for `env:NAME` in its parameters. */
export function fillParameters(
  address: string,
  values: Readonly<Record<string, string>> = {},
): string {
  return address.replace(PARAMETER, (value) => encodeURIComponent(values[value] ?? value));
}

/**
 * Opens a file or an http(s) URL; null if the URL has not changed since.
 *
 * @throws {SnapshotError} with the location and why it cannot be read
 */
export function openLocation(
  location: string,
  options: FetchOptions & { timeout: Timeout },
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
    throw new SnapshotError(`Cannot read ${path}: ${describeFileError(error)}`);
  }
}

/** Why a file cannot be read. */
export function describeFileError(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "there is no such file";
  if (error instanceof Deno.errors.PermissionDenied) return "permission denied";
  return firstLineOf(error);
}
