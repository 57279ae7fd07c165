import { useRef } from "preact/hooks";
import { SlashSwitch } from "./slash_switch.tsx";

/** The field for the words: Escape empties it, and `/` leads to it from anywhere on the page. */
export function SearchBox({ q, onType }: { q: string; onType(q: string): void }) {
  const field = useRef<HTMLInputElement>(null);

  function clear(event: KeyboardEvent): void {
    if (event.key !== "Escape" || q === "") return;
    event.preventDefault();
    onType("");
  }

  return (
    <div class="field search-box">
      <label for="q">Search the roadmap</label>
      <div class="with-button">
        <input
          ref={field}
          id="q"
          name="q"
          type="search"
          maxLength={1000}
          autocomplete="off"
          spellcheck={false}
          value={q}
          onInput={({ currentTarget }) => onType(currentTarget.value)}
          onKeyDown={clear}
        />
        <button type="submit">Search</button>
      </div>
      <SlashSwitch field={field} />
    </div>
  );
}
