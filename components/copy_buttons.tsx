import { say } from "../lib/text/say.ts";

/**
 * Copies what a page shows, to be pasted into an email (scripts/copy.ts); without a script it leads
 * to a page that shows the same to select.
 */
export function CopyForEmail({ address }: { address: string }) {
  return (
    <span class="copy-email" data-copy="" key={address}>
      <a href={address} rel="nofollow">{say("copy.copy_for_email")}</a> <span role="status" />
    </span>
  );
}

/** Copies an address with one click (scripts/copy.ts); on paper the address stands there. */
export function CopyLink(
  { address, label = say("copy.link") }: { address: string; label?: string },
) {
  return (
    <span class="copy-link" data-copy={address}>
      <button type="button">{label}</button>
      <span role="status" />
    </span>
  );
}
