/** A link as the settings have it. */
export interface SiteLink {
  readonly label: string;
  readonly address: string;
}

/** A label, a blank and an address: of the web, of a mailbox, or a path of the same host. */
const LINK = /^(?<label>\S.{0,39}?)\s+(?<address>(?:https?:\/\/|mailto:|\/)\S+)$/i;

/**
 * Reads `Docs https://example.com/docs; Support /support`; null: it is not so.
 *
 * ```ts
 * const [docs] = parseLinks("Our docs https://example.com; Mail mailto:a@example.com")!;
 * if (docs!.label !== "Our docs" || docs!.address !== "https://example.com") throw new Error();
 * if (parseLinks("Docs javascript:alert(1)") !== null) throw new Error();
 * ```
 */
export function parseLinks(text: string): SiteLink[] | null {
  const links = text.split(/;\s+|;$/).filter(Boolean).map((part) => LINK.exec(part.trim())?.groups);
  if (links.some((link) => !link || !isLinkTarget(link.address!))) return null;
  return links.map((link) => ({ label: link!.label!, address: link!.address! }));
}

function isLinkTarget(address: string): boolean {
  return address.startsWith("/") ? !address.startsWith("//") : URL.canParse(address);
}
