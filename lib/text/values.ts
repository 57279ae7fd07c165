/** An object to take fields from; null for anything else. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as Record<string, unknown>
    : null;
}

/** A copy of JSON with other texts. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, change));
  const fields = Object.entries(asObject(value) ?? {});
  return asObject(value) === null
    ? value
    : Object.fromEntries(fields.map(([key, one]) => [key, mapTexts(one, change)]));
}

/** What a text of JSON means; undefined: it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The most values of one list, in an address, in a form, in what is stored. */
export const MAX_VALUES = 100;

/** Any 8-4-4-4-12 hexadecimal digits (RFC 9562, section 4), whatever the version, in any case. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
