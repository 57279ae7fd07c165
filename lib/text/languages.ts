/** The languages that a service can speak; each has a file in messages/. */
export const LANGUAGES = ["en", "de", "fr", "es", "pt-BR", "it", "nl", "pl", "ja", "ar"] as const;

/** A day in each month of a year, in the parts in which a language writes it by our calendar. */
export function monthsIn(
  tag: string,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormatPart[][] {
  const gregorian = `${tag}-u-ca-gregory`;
  const format = new Intl.DateTimeFormat(gregorian, { ...options, timeZone: "UTC" });
  return Array.from({ length: 12 }, (_, month) => format.formatToParts(Date.UTC(2026, month, 6)));
}
