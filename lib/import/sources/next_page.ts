import { showLocation } from "../reading/location.ts";
import { SnapshotError } from "../snapshot_error.ts";

const MAX_ADDRESS_LENGTH = 4_000;

/**
 * The URL of the next page from `links.next`, which must be on the origin of the first page after
 * redirects. It gets the name and password of the source, on the source's own origin only.
 *
 * @throws {SnapshotError} if it is not a URL, or on another origin
 */
export function resolveNextPage(
  next: string,
  { base, source, origin, fragment = "" }: {
    base: string;
    source: string;
    origin: string;
    fragment?: string;
  },
): string {
  const refuse = (reason: string) =>
    new SnapshotError(`Cannot read ${showLocation(source)}: its links.next ${reason}`);
  if (next.length > MAX_ADDRESS_LENGTH) {
    throw refuse(`is longer than ${MAX_ADDRESS_LENGTH} characters`);
  }
  const url = URL.parse(next, base);
  if (url === null) throw refuse("is no address");
  if (url.origin !== origin) {
    throw refuse(`leads to ${showLocation(url.href)}; all pages must be at ${origin}`);
  }
  const own = new URL(source);
  const isOwn = url.origin === own.origin;
  url.username = isOwn ? own.username : "";
  url.password = isOwn ? own.password : "";
  url.hash = fragment;
  return url.href;
}
