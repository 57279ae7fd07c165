import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

const STORAGE_KEY = "slash";

/**
 * Has the key `/` lead to a field, unless somebody is typing. It can be turned off, and stays so in
 * this browser: speech input may press single keys by accident (WCAG 2.2, 2.1.4).
 */
export function SlashSwitch({ field }: { field: RefObject<HTMLInputElement | null> }) {
  // Undefined until there is a script, without which the key does nothing.
  const [isOn, setOn] = useState<boolean>();
  const box = useRef<HTMLInputElement>(null);

  // Not after a paint: a key may be pressed before.
  useLayoutEffect(() => {
    setOn(readStoredData() !== "off");
    const goToField = (event: KeyboardEvent) => {
      const { key, altKey, ctrlKey, metaKey, target } = event;
      if (
        !box.current?.checked || key !== "/" || altKey || ctrlKey || metaKey || isTypedInto(target)
      ) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    addEventListener("keydown", goToField);
    return () => removeEventListener("keydown", goToField);
  }, []);

  return (
    <label class={isOn === undefined ? "slash" : "slash ready"}>
      <input
        type="checkbox"
        ref={box}
        checked={isOn ?? true}
        onChange={({ currentTarget: { checked } }) => {
          setOn(checked);
          keep(checked ? "on" : "off");
        }}
      />
      Key <kbd>/</kbd>
    </label>
  );
}

function isTypedInto(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches("input:not([type=checkbox]),select");
}

/** Where the browser keeps nothing, the choice holds for this page. */
function readStoredData(): string | null {
  try {
    return localStorage.getItem(STORAGE_KEY);
  } catch {
    return null;
  }
}

function keep(value: string): void {
  try {
    localStorage.setItem(STORAGE_KEY, value);
  } catch {
    // As above.
  }
}
