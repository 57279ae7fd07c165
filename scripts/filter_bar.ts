import { isTouched } from "../components/is_touched.ts";

/**
 * Applies a filter as soon as it is chosen: what the page of its address has in `data-filtered`
 * takes the place of what is here. The form stays, and with it the focus and the open list.
 */
let form = document.querySelector<HTMLFormElement>(".filter-bar")!;
let asked = new AbortController();
/** The query of what is shown, and that of the form as it was last sent. */
let shown = location.search;
let sent = queryOf(form);

attend();
if (isTouched(form)) void choose();
addEventListener("popstate", () => {
  // A link within the page, such as the one that skips to the results, keeps what is shown.
  if (location.search !== shown) void show(location.href);
});

function attend(): void {
  form.addEventListener("change", ({ target }) => {
    const { name, type } = target as HTMLInputElement;
    if (name && type !== "date") void choose();
  });
  // Half a date that is typed is one too, of the year 2 or 20: it is sent when the field is left.
  form.addEventListener("focusout", ({ target }) => {
    const { type, value } = target as HTMLInputElement;
    if (type === "date" && value >= "1000" && queryOf(form) !== sent) void choose();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    for (const details of form.querySelectorAll("details")) details.open = false;
    void choose();
  });
}

function queryOf(form: HTMLFormElement): string {
  const fields = [...new FormData(form)].filter(([, value]) => value !== "") as [string, string][];
  return new URLSearchParams(fields).toString();
}

async function choose(): Promise<void> {
  sent = queryOf(form);
  const address = form.action + (sent && `?${sent}`);
  if (await show(address)) history.pushState(null, "", address);
}

/** Whether the page of the address is shown; what cannot be shown here is left to the browser. */
async function show(address: string): Promise<boolean> {
  asked.abort();
  const { signal } = asked = new AbortController();
  try {
    const response = await fetch(address, { signal });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    // A page that says what is wrong with the form has the form in it.
    if (!response.ok && !page.querySelector(".filter-bar")) throw new Error();
    if (signal.aborted) return false;
    put(page, address);
    return response.ok;
  } catch {
    if (!signal.aborted) location.assign(address);
    return false;
  }
}

function put(page: Document, address: string): void {
  document.title = page.title;
  shown = new URL(address).search;
  forEachPair(page, "[data-filtered]", (old, now) => old.replaceWith(now));
  // The same element, so that its words are read out.
  forEachPair(page, ".count", (old, now) => old.textContent = now.textContent);
  forEachPair(page, "link[rel=alternate], .follow-button", (old, now) => {
    old.setAttribute("href", now.getAttribute("href")!);
  });
  if (address === location.href) {
    forEachPair(page, ".filter-bar", (old, now) => old.replaceWith(now));
    form = document.querySelector(".filter-bar")!;
    sent = queryOf(form);
    attend();
  } else {
    forEachPair(page, ".filter-bar summary", (old, now) => old.replaceChildren(...now.childNodes));
    forEachPair(page, ".filter-bar .facet", (old, now) => {
      old.querySelector(".take-off")?.remove();
      old.append(...now.querySelectorAll(".take-off"));
    });
  }
}

/** @throws {Error} if the pages have not the same parts, so only the browser can show the other */
function forEachPair(page: Document, selector: string, act: (old: Element, now: Element) => void) {
  const [here, there] = [document, page].map((one) => [...one.querySelectorAll(selector)]);
  if (here!.length !== there!.length) throw new Error(selector);
  here!.forEach((old, place) => act(old, there![place]!));
}
