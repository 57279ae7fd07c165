import { SnapshotError } from "../snapshot_error.ts";

const GUID = /^\{?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\}?$/i;
const ASSIGNMENT = /ProductFamily\s*\.\s*(id|name)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
/** A byte order mark, zero-width and control characters. */
const INVISIBLE = /[\u200b-\u200d\u2060\ufeff]|\p{Cc}/gu;

/** A group of products whose items are a document of their own. */
interface Family {
  name: string;
  /** Relative to the page that names it. */
  address: string;
}

/** Whether a text is the page of the roadmap, which names its product families. */
export function isFabricPage(text: string): boolean {
  return /^\s*</.test(text) && /ProductFamily\s*\.\s*id\s*=/.test(text);
}

/**
 * The product families that the page of the roadmap names, each with the address of its document.
 *
 * @throws {SnapshotError} if it names none, or one without an id
 */
export function readFamilies(html: string, location: string): Family[] {
  const families: Family[] = [];
  let id: string | null = null;
  for (const [, key, quoted, apostrophed] of html.matchAll(ASSIGNMENT)) {
    const value = quoted ?? apostrophed!;
    if (key === "id") {
      id = value;
    } else if (id !== null) {
      const guid = GUID.exec(id.trim())?.[1];
      if (!guid) {
        throw new SnapshotError(`Cannot read ${location}: its product family "${value}" has no id`);
      }
      families.push({ name: cleanName(value), address: `fabric-json/?productId=${guid}` });
      id = null;
    }
  }
  if (families.length > 0) return families;
  throw new SnapshotError(`Cannot read ${location}: the page names no product families`);
}

/** A name without invisible characters, and with its quotation marks. */
export function cleanName<Value>(value: Value): Value | string {
  if (typeof value !== "string") return value;
  return value.replace(/[\t\r\n]/g, " ").replace(INVISIBLE, "").replaceAll("&quot;", '"').trim();
}

/** A GUID without its braces; the rest as it is. */
export function withoutBraces(value: unknown): unknown {
  return typeof value === "string" ? GUID.exec(value.trim())?.[1] ?? value : value;
}
