/**
 * What the frame of every page does. It is a classic script in the head that blocks, and imports
 * nothing, so that it runs before the first paint: a chosen theme never flashes.
 */
import type { ShownSearch } from "../components/search/search_query.ts";

const THEME = "theme";
const root = document.documentElement;

applyTheme();
// Also when the switch is there, when one comes back, and when another tab has chosen.
for (const event of ["DOMContentLoaded", "pageshow", "storage"]) {
  addEventListener(event, applyTheme);
}
addEventListener("click", ({ target }) => {
  const button = (target as Element).closest<HTMLElement>("[data-theme-choice]");
  if (button) chooseTheme(button.dataset.themeChoice!);
});

/**
 * The script that copies is loaded when a pointer or the focus comes to a button of it, since browsers
 * let a click copy only at once. Where that fails, a link is followed, and an address is shown.
 */
const { copier } = document.currentScript!.dataset;

for (const type of ["pointerover", "focusin", "click"] as const) {
  addEventListener(type, (event) => {
    const { target, ctrlKey, metaKey, shiftKey } = event as MouseEvent;
    const button = (target as Element).closest<HTMLAnchorElement>(
      "[data-copy] > :first-child",
    );
    if (!button) return;
    const script = import(copier!);
    if (type !== "click" || ctrlKey || metaKey || shiftKey) return;
    event.preventDefault();
    script.then(({ copy }) => copy(button), () => {
      if (button.href) location.href = button.href;
      else button.nextElementSibling!.textContent = button.parentElement!.dataset.copy!;
    });
  });
}

/** The key `/` leads to the search, unless a visitor is typing or has turned it off. */
const SLASH = "slash";
let hasSlash = read(SLASH) !== "off";

addEventListener("DOMContentLoaded", () => {
  const box = document.querySelector<HTMLInputElement>("[data-slash]");
  if (!box) return;
  box.checked = hasSlash;
  box.parentElement!.hidden = false;
  box.onchange = () => {
    hasSlash = box.checked;
    store(SLASH, hasSlash ? "" : "off");
  };
});
addEventListener("keydown", (event) => {
  const { key, altKey, ctrlKey, metaKey, target } = event;
  const isTyping = (target as Element).matches("input:not([type=checkbox]),select,textarea");
  if (!hasSlash || key !== "/" || altKey || ctrlKey || metaKey || isTyping) return;
  const field = document.querySelector<HTMLInputElement>("#q");
  if (!field) return;
  event.preventDefault();
  field.focus();
  field.select();
});

/** Shows the theme that was chosen, on the page and on the switch. */
function applyTheme(): void {
  const theme = read(THEME) ?? root.dataset.theme ?? "";
  root.dataset.theme = theme;
  for (const button of document.querySelectorAll<HTMLElement>("[data-theme-choice]")) {
    button.ariaPressed = `${button.dataset.themeChoice === theme}`;
  }
}

function chooseTheme(theme: string): void {
  root.dataset.theme = theme;
  store(THEME, theme);
  applyTheme();
}

/** A browser may forbid the storage; a choice then lasts as long as the page. */
function read(name: string): string | undefined {
  try {
    return localStorage.getItem(name) ?? "";
  } catch {
    return undefined;
  }
}

function store(name: string, value: string): void {
  try {
    if (value) localStorage.setItem(name, value);
    else localStorage.removeItem(name);
  } catch {
    // As said above.
  }
}

/**
 * The search of the roadmap (islands/Search.tsx) hears what is typed in the header, and says what it
 * shows: the title of the page, its feeds and what "Follow" follows.
 */
const SEARCH = "#q[form=search-form]";

addEventListener("input", ({ target }) => {
  const field = target as HTMLInputElement;
  if (field.matches(SEARCH)) say("typed", field.value);
});
document.addEventListener("searched", ({ detail }: CustomEventInit<string>) => {
  const field = document.querySelector<HTMLInputElement>("#q")!;
  if (field.value !== detail) field.value = detail!;
});
document.addEventListener("shown", ({ detail }: CustomEventInit<ShownSearch>) => {
  const { title, query, feeds } = detail!;
  document.title = title;
  const links = ".follow-button, link[rel=alternate]";
  for (const link of document.querySelectorAll<HTMLLinkElement>(links)) {
    link.href = link.getAttribute("href")!.split("?")[0] + query;
    if (link.rel === "alternate") link.title = feeds;
  }
});

function say(name: string, detail: string): void {
  document.dispatchEvent(new CustomEvent(name, { detail }));
}

/**
 * Menus close with Escape, when one of their links is followed, and those above the page when the focus
 * leaves them: if one within the page did, what is being pressed below it would move away. The link that
 * takes a filter off goes with it, so the focus moves to its menu. A long list in a menu can be searched.
 */
const MENU = "details.menu[open]";

// Before the link is attended to, since that may remove it.
addEventListener("click", ({ target, ctrlKey, metaKey, shiftKey }) => {
  const link = (target as Element).closest(".menu:not([name]) li > a, .take-off");
  // A link that opens in another tab or window leaves this page as it is.
  if (link && !ctrlKey && !metaKey && !shiftKey) {
    close(link.closest(".menu") ?? link.previousElementSibling!);
  }
}, true);

addEventListener("keydown", (event) => {
  const target = event.target as HTMLInputElement;
  if (event.key === "Enter" && target.matches(".list-search")) event.preventDefault();
  if (event.key !== "Escape") return;
  if (target.matches(SEARCH) && target.value) {
    event.preventDefault();
    target.value = "";
    say("typed", "");
  }
  const menu = target.closest(MENU);
  if (menu) close(menu);
});
addEventListener("focusout", ({ target, relatedTarget }) => {
  const menu = (target as Element).closest<HTMLDetailsElement>(MENU);
  if (!menu || !relatedTarget || menu.contains(relatedTarget as Node)) return;
  menu.open = getComputedStyle(menu.lastElementChild!).position === "static";
});
addEventListener("input", ({ target }) => {
  const field = target as HTMLInputElement;
  if (!field.matches(".list-search")) return;
  const words = field.value.trim().toLowerCase();
  for (const name of field.parentElement!.querySelectorAll(".check bdi")) {
    name.parentElement!.hidden = !name.textContent.toLowerCase().includes(words);
  }
});

function close(menu: Element): void {
  menu.removeAttribute("open");
  (menu.firstElementChild as HTMLElement).focus();
}
