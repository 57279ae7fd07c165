/**
 * Turns off the key `/`, which leads to the search: speech input may press single keys by accident
 * (WCAG 2.2, 2.1.4). It is shown where there is a script that reads the key.
 */
export function SlashSwitch() {
  return (
    <label class="slash-switch" hidden>
      <input type="checkbox" data-slash />
      Press <kbd>/</kbd> to search
    </label>
  );
}
