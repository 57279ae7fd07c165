import { Idiomorph } from "idiomorph";
import { isTouched } from "../components/is_touched.ts";
import { say } from "../lib/text/say.ts";

/**
 * Shows in place what a form or a link leads to: the elements whose ids `data-morph` names become what
 * they are on the page that answers. A form with `data-live` does the same for the ids there whenever
 * something in it is chosen. Without this script each loads a page.
 */
const MAIN = "content";
/** Parts of a page outside its main element that go with it. */
const AROUND = "head > title, link[rel=alternate], .follow-button";
/** What other scripts have filled. */
const FILLED = "#last-visit, .own-time";

let asked = new AbortController();
/** The query of what is shown. */
let shown = location.search;

addEventListener("click", (event) => {
  const { target, button, altKey, ctrlKey, metaKey, shiftKey } = event;
  const link = (target as Element).closest<HTMLAnchorElement>("[data-morph] a");
  if (!link || button || altKey || ctrlKey || metaKey || shiftKey) return;
  if (link.origin + link.pathname !== location.origin + location.pathname || link.hash) return;
  event.preventDefault();
  void show(link.href, link.closest<HTMLElement>("[data-morph]")!.dataset.morph!);
});
addEventListener("change", ({ target }) => {
  const { form, name, type } = target as HTMLInputElement;
  if (name && type !== "date" && type !== "email") follow(form);
});
// Half a date that is typed is one too, of the year 2 or 20: it is sent when the field is left.
addEventListener("focusout", ({ target }) => {
  const { form, type, value, defaultValue } = target as HTMLInputElement;
  if (type === "date" && value >= "1000" && value !== defaultValue) follow(form);
});
addEventListener("submit", (event) => {
  const form = event.target as HTMLFormElement;
  const { morph } = form.dataset;
  // A button with an address of its own, such as that of a preview, leads to another page.
  if (!morph || event.submitter?.hasAttribute("formaction")) return;
  event.preventDefault();
  if (form.method === "post") return void send(form, morph);
  for (const details of form.querySelectorAll("details")) details.open = false;
  form.querySelector("summary")?.focus();
  void show(addressOf(form), morph);
});
addEventListener("popstate", () => {
  // A link within the page, such as the one that skips to the results, keeps what is shown.
  if (location.search !== shown) void show(location.href, MAIN, true);
});
// What was chosen before the script came.
for (const form of document.querySelectorAll<HTMLFormElement>("[data-live]")) {
  if (isTouched(form)) follow(form);
}

function follow(form: HTMLFormElement | null): void {
  if (form?.dataset.live) void show(addressOf(form), form.dataset.live);
}

/** The address of what is chosen in a form; a person's own address stays out of it. */
function addressOf(form: HTMLFormElement): string {
  const fields = ([...new FormData(form)] as [string, string][])
    .filter(([name, value]) => value !== "" && name !== "email");
  const query = new URLSearchParams(fields).toString();
  return form.getAttribute("action")! + (query && `?${query}`);
}

/** Shows the page of an address in some elements; a browser shows what cannot be shown there. */
async function show(address: string, ids: string, isBack = false): Promise<void> {
  asked.abort();
  const { signal } = asked = new AbortController();
  const isPage = ids === MAIN;
  try {
    const { status, page } = await read(address, { signal });
    if (signal.aborted) return;
    if (status >= 500) throw new Error(`Status ${status}`);
    morph(page, ids, isBack);
    // A page that says what is wrong with a choice has no address of its own to come back to.
    if (isPage && !isBack && status < 400) history.pushState(null, "", address);
    shown = location.search;
  } catch {
    if (isPage && !signal.aborted) location.assign(address);
  }
}

/** Sends a form; what is wrong with it, or what follows, is shown where the form is. */
async function send(form: HTMLFormElement, id: string): Promise<void> {
  const button = form.querySelector<HTMLButtonElement>("button:not([formaction])")!;
  if (button.ariaDisabled === "true") return;
  button.ariaDisabled = "true";
  const body = new URLSearchParams([...new FormData(form)] as [string, string][]);
  try {
    const { status, page } = await read(form.getAttribute("action")!, { method: "POST", body });
    if (page.getElementById(id)) morph(page, id);
    else {
      const words = page.querySelector(".error-page h1 + p")?.textContent;
      tell(form, words ?? say("search.status", { status: String(status) }));
    }
  } catch {
    tell(form, say("form.unreachable"));
  }
  button.ariaDisabled = null;
  form.querySelector<HTMLElement>("input[aria-invalid], [aria-invalid] input, .problem, .success")
    ?.focus();
}

async function read(address: string, request: RequestInit) {
  const response = await fetch(address, request);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  return { status: response.status, page };
}

/** Says in a form why it was not sent. */
function tell(form: HTMLFormElement, words: string): void {
  const answer = form.querySelector(".answer")!;
  answer.className = "answer notice problem";
  answer.textContent = words;
}

/**
 * Gives elements the content that they have on another page. The focus, open menus and typed text stay.
 *
 * @throws {Error} if one of the pages does not have them, so only the browser can show the other
 */
function morph(page: Document, ids: string, isBack = false): void {
  const focused = document.activeElement!;
  const menu = focused.closest(".facet, details")?.querySelector("summary");
  for (const id of ids.split(" ")) {
    const [old, now] = [document, page].map((one) => one.getElementById(id));
    if (!old || !now) throw new Error(id);
    Idiomorph.morph(old, [...now.childNodes], {
      morphStyle: "innerHTML",
      callbacks: {
        beforeNodeMorphed(old: Element, now: Node) {
          if (old instanceof HTMLDetailsElement) {
            const details = now as HTMLDetailsElement;
            details.open = old.open || details.querySelector("[aria-invalid]") !== null;
          }
          return !(old instanceof Element && old.matches(FILLED));
        },
        beforeAttributeUpdated: (name: string, element: Element, how: string) =>
          name === "value"
            ? how === "update" && (isBack || element !== focused)
            : !["hidden", "data-new"].includes(name),
      },
    });
  }
  if (ids === MAIN) {
    const [here, there] = [document, page].map((one) => one.querySelectorAll(AROUND));
    here!.forEach((old, place) => there![place] && Idiomorph.morph(old, there![place]!));
  }
  if (!focused.isConnected) (menu?.isConnected ? menu : document.getElementById(MAIN)!).focus();
}
