import { useEffect, useRef, useState } from "preact/hooks";

/** An address to copy, by hand or, with a script, with a button. */
export function CopyAddress({ address }: { address: string }) {
  const field = useRef<HTMLInputElement>(null);
  const [hasScript, setHasScript] = useState(false);
  const [copied, setCopied] = useState("");
  useEffect(() => setHasScript(true), []);

  async function copy(): Promise<void> {
    field.current?.select();
    try {
      await navigator.clipboard.writeText(address);
      setCopied(address);
    } catch {
      // Without a secure connection there is no clipboard; the address is selected for copying by
      // hand.
      field.current?.focus();
    }
  }

  return (
    <div class="copy-address">
      <label>
        Address of this page
        <input ref={field} type="text" readOnly value={address} />
      </label>
      {hasScript && (
        <button type="button" onClick={() => void copy()}>
          {copied === address ? "Copied" : "Copy"}
        </button>
      )}
      <span class="visually-hidden" role="status">{copied === address ? "Copied" : ""}</span>
    </div>
  );
}
