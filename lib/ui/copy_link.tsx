/** Copies an address with one click (islands/entries/frame.ts); without scripts it is hidden. */
export function CopyLink({ address, label = "Copy link" }: { address: string; label?: string }) {
  return (
    <span class="copy-link">
      <button type="button" data-copy={address}>{label}</button>
      <span role="status" />
    </span>
  );
}
