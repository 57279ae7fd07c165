/** Copies an address with one click (scripts/copy.ts); on paper the address stands there. */
export function CopyLink({ address, label = "Copy link" }: { address: string; label?: string }) {
  return (
    <span class="copy-link" data-copy={address}>
      <button type="button">{label}</button>
      <span role="status" />
    </span>
  );
}
