/**
 * What the frame of every page does. It is a classic script in the head that blocks, and imports
 * nothing, so that it runs before the first paint: a chosen theme never flashes.
 */
const THEME = "theme";
const root = document.documentElement;

applyTheme();
// Also when the switch is there, when one comes back, and when another tab has chosen.
for (const event of ["DOMContentLoaded", "pageshow", "storage"]) {
  addEventListener(event, applyTheme);
}
addEventListener("click", ({ target }) => {
  const button = (target as Element).closest<HTMLElement>(
    "[data-theme-choice], [data-copy] button",
  );
  if (button?.dataset.themeChoice !== undefined) chooseTheme(button.dataset.themeChoice);
  else if (button) void copyLink(button.parentElement!);
});

/** Shows the theme that was chosen, on the page and on the switch. */
function applyTheme(): void {
  const theme = readTheme();
  root.dataset.theme = theme;
  for (const button of document.querySelectorAll<HTMLElement>("[data-theme-choice]")) {
    button.ariaPressed = String(button.dataset.themeChoice === theme);
  }
}

/** A browser may forbid the storage; the choice then lasts as long as the page. */
function readTheme(): string {
  try {
    return localStorage.getItem(THEME) ?? "";
  } catch {
    return root.dataset.theme ?? "";
  }
}

function chooseTheme(theme: string): void {
  root.dataset.theme = theme;
  try {
    if (theme) localStorage.setItem(THEME, theme);
    else localStorage.removeItem(THEME);
  } catch {
    // As said above.
  }
  applyTheme();
}

/** The focus stays on the button, and the status behind it is read out. */
async function copyLink({ dataset: { copy: address }, lastElementChild }: HTMLElement) {
  const status = lastElementChild!;
  status.textContent = ""; // so that the same words are read out again
  try {
    await navigator.clipboard.writeText(address!);
    status.textContent = "Copied";
  } catch {
    // Without a secure connection there is no clipboard; the address is selected for a person.
    status.textContent = address!;
    getSelection()?.selectAllChildren(status);
  }
}
