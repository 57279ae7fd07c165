/** An address to copy, by hand or with a button, which islands/entries/frame.ts attends to. */
export function CopyAddress({ address }: { address: string }) {
  return (
    <div class="copy-address">
      <label>
        Link to this page
        <input type="text" readOnly value={address} />
      </label>
      <span class="copy-link" data-copy={address} key={address}>
        <button type="button">Copy</button>
        <span role="status" />
      </span>
    </div>
  );
}
