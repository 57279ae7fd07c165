import type { Page } from "playwright-core";

/** How a person presses: `translated` is by mouse, on a page that the browser has translated. */
export type Hand = "mouse" | "finger" | "keyboard" | "translated";

/** Something of a page that can be clicked, typed into or chosen. */
export interface Control {
  /** What it has in common with its like, such as the rows of a list. */
  kind: string;
  tag: string;
  type: string;
  href: string;
  /** A script attends to it, or a form; what it leads to is not opened otherwise. */
  isScripted: boolean;
}

/** What is typed, by the type of the field; a date digit by digit, as its parts stand in the field. */
const TYPED: Readonly<Record<string, readonly string[]>> = {
  date: ["07152026", "01022031"],
  email: ["reader@example.com"],
  number: ["3"],
  time: ["0730AM"],
  url: ["https://hooks.example.com/x"],
};
const TYPED_DATES: Readonly<Record<string, string>> = {
  "07152026": "2026-07-15",
  "01022031": "2031-01-02",
};

/** Adds to a page what finds its controls and their words. */
export async function prepare(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const CONTROLS =
      "a[href], button, summary, select, textarea, input:not([type=hidden]), label:has(input)";
    const isShown = (element: Element) =>
      element.checkVisibility({ checkOpacity: false, visibilityProperty: true }) &&
      element.getClientRects().length > 0;
    /** Words that are only read aloud stand where nobody presses. */
    const isUnseen = (element: Element, control: Element) => {
      for (let at = element; at !== control; at = at.parentElement!) {
        if (at.matches("option") || getComputedStyle(at).clipPath !== "none") return true;
      }
      return false;
    };
    const describe = (element: Element) => {
      const field = element.matches("label") ? element.querySelector("input")! : element;
      const { type = "", name = "" } = field as HTMLInputElement;
      const target = element.getAttribute("href");
      const href = target === null ? "" : new URL(target, location.href).href;
      const parents: string[] = [];
      for (let parent = element.parentElement; parent; parent = parent.parentElement) {
        // A form whose field is called "id" has that field as its `id`.
        const called = parent.getAttribute("id") || parent.getAttribute("class");
        if (called) parents.push(called.replaceAll(/\d+/g, "N"));
        if (parents.length === 2) break;
      }
      const words = element.matches("summary, button, .switch a")
        ? element.textContent!.replaceAll(/[\d“”:,+].*/g, "").trim()
        : "";
      return {
        kind: [
          element.localName,
          type,
          name,
          element.getAttribute("class") ?? "",
          ...parents,
          words,
        ].join(" | "),
        tag: element.localName,
        type: element.matches("label") ? `label of ${type}` : type,
        href,
        isScripted: !element.matches("a") ||
          element.closest(".island, [data-copy], .chart") !== null,
      };
    };
    const all = () =>
      [...document.querySelectorAll(CONTROLS)].filter((element) =>
        // A box is pressed by its words.
        !(element.matches("input[type=checkbox], input[type=radio]") && element.closest("label"))
      );
    const find = (kind: string) => {
      const like = all().filter((element) => describe(element).kind === kind);
      return like.find(isShown) ?? like[0];
    };
    Object.assign(globalThis, {
      net: {
        list: () => all().map(describe),
        /** What has to be pressed first, because the control is inside of it. */
        fold(kind: string) {
          const control = find(kind);
          if (!control || isShown(control)) return null;
          const closed: Element[] = [];
          for (let at = control.parentElement; at; at = at.parentElement) {
            const summary = at.querySelector(":scope > summary");
            if (summary && !(at as HTMLDetailsElement).open && summary !== control) {
              closed.unshift(summary);
            }
          }
          const first = closed.find(isShown);
          return first ? describe(first).kind : null;
        },
        /**
         * The middle of its first word; null: it cannot be seen, "covered" if something is above, and
         * "folded" if a press goes through it to the field that it belongs to, and opens that.
         */
        place(kind: string) {
          const control = find(kind);
          if (!control || !isShown(control)) return null;
          control.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
          const walker = document.createTreeWalker(control, NodeFilter.SHOW_TEXT);
          const range = document.createRange();
          const whole = control.getBoundingClientRect();
          let box = whole;
          while (walker.nextNode()) {
            const text = walker.currentNode as Text;
            if (!text.data.trim() || isUnseen(text.parentElement!, control)) continue;
            range.selectNodeContents(text);
            const [own] = range.getClientRects();
            if (own && own.width > 0) {
              box = own;
              break;
            }
          }
          const hasWords = box !== whole;
          const x = box.x + (hasWords ? Math.min(box.width / 2, 20) : box.width / 2);
          const y = box.y + box.height / 2;
          // Only a keyboard comes to what stands outside of the window, such as the first link.
          if (y < 0 || x < 0) return null;
          const hit = document.elementFromPoint(x, y);
          const isOwn = hit !== null &&
            (control.contains(hit) || hit.contains(control) ||
              hit.closest("label")?.contains(control));
          const isFolded = getComputedStyle(control).pointerEvents === "none" &&
            hit !== null && hit.closest("form") === control.closest("form");
          return { x, y, isCovered: !isOwn && !isFolded, isFolded };
        },
        /**
         * Says later whether the next click is one on it, and keeps its link from being followed;
         * false: the page is one that runs no script, not even a listener.
         */
        catchClick(kind: string) {
          const control = find(kind);
          net.isClicked = false;
          let runs = false;
          addEventListener("net", () => runs = true, { once: true });
          dispatchEvent(new Event("net"));
          if (!runs) return false;
          addEventListener("click", (event) => {
            net.isClicked = control !== undefined && event.composedPath().includes(control);
            event.preventDefault();
          }, { once: true });
          return true;
        },
        isClicked: false,
        focus: (kind: string) => (find(kind) as HTMLElement | undefined)?.focus(),
        state(kind: string) {
          const control = find(kind);
          if (!control) return null;
          const box = control.querySelector("input");
          const menu = control.parentElement!.closest("details");
          return {
            checked: control.matches("label") && box ? box.checked : null,
            open: control.matches("summary")
              ? (control.parentElement as HTMLDetailsElement).open
              : null,
            isInOpenMenu: menu === null || menu.open,
            value: (control as HTMLInputElement).value ?? "",
          };
        },
        /** What the page says, without what no address knows. */
        read(root: Document) {
          const main = root.querySelector("main");
          if (!main) return "";
          const copy = main.cloneNode(true) as Element;
          const own = "script, style, option, time, .last-visit, [data-copy] [role=status]";
          copy.querySelectorAll(own).forEach((one) => one.remove());
          return copy.textContent!.replaceAll(/\s+/g, " ").replaceAll(/ ?([·,:.×▾]) ?/g, "$1")
            .trim();
        },
        /**
         * As Chrome and Edge do it: each text stands in elements of the browser's own. Once more it
         * does what a script has written since.
         */
        translate() {
          const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          const texts: Text[] = [];
          while (walker.nextNode()) {
            const text = walker.currentNode as Text;
            const isShownText = !/SCRIPT|STYLE|OPTION/.test(text.parentElement!.tagName);
            const isDone = text.parentElement!.closest("font") !== null;
            if (isShownText && !isDone && text.data.trim()) texts.push(text);
          }
          for (const text of texts) {
            const outer = document.createElement("font");
            const inner = document.createElement("font");
            inner.textContent = text.data;
            outer.append(inner);
            text.replaceWith(outer);
          }
        },
      },
    });
  });
}

interface Net {
  list(): Control[];
  fold(kind: string): string | null;
  place(kind: string): Place | null;
  catchClick(kind: string): boolean;
  isClicked: boolean;
  focus(kind: string): void;
  state(kind: string): State | null;
  read(root: Document): string;
  translate(): void;
}

interface Place {
  x: number;
  y: number;
  isCovered: boolean;
  isFolded: boolean;
}

interface State {
  checked: boolean | null;
  open: boolean | null;
  isInOpenMenu: boolean;
  value: string;
}

declare global {
  // What `prepare` adds to each page.
  var net: Net;
  var isSameDocument: boolean | undefined;
}

export function listControls(page: Page): Promise<Control[]> {
  return page.evaluate(() => net.list());
}

/** Presses a control as a person does, and says what is wrong afterwards; null: it cannot be seen. */
export async function press(
  page: Page,
  { kind, tag, type, isScripted }: Control,
  hand: Hand,
): Promise<string[] | null> {
  const isShown = await unfold(page, kind, hand);
  if (!isShown) return null;
  const before = await page.evaluate((kind) => net.state(kind), kind);
  const place = await page.evaluate((kind) => net.place(kind), kind);
  if (place === null || before === null) return null;
  if (place.isFolded) {
    await hit(page, { kind, type }, { hand, ...place });
    await settle(page);
    const opened = await page.evaluate((kind) => net.place(kind), kind);
    if (opened === null || opened.isFolded) return ["its field did not open"];
    Object.assign(place, opened);
  }
  if (place.isCovered) {
    // A menu that is open is closed first.
    await page.keyboard.press("Escape");
    const again = await page.evaluate((kind) => net.place(kind), kind);
    if (again === null || again.isCovered) return ["something lies above its words"];
    Object.assign(place, again);
  }
  if (!isScripted) return await pressLink(page, { kind, type }, { hand, ...place });
  const address = page.url();
  await page.evaluate(() => globalThis.isSameDocument = true);
  if (tag === "select") await pick(page, kind, hand);
  else if (isTyped(tag, type)) {
    return await typeInto(page, { kind, type }, hand);
  } else await hit(page, { kind, type }, { hand, ...place });
  await settle(page);
  const { isSame, after } = await page.evaluate((kind) => {
    const isSame = globalThis.isSameDocument === true;
    return { isSame, after: isSame ? net.state(kind) : null };
  }, kind);
  const faults: string[] = [];
  if (after !== null && page.url() === address) {
    if (before.checked !== null && type.endsWith("checkbox") && after.checked === before.checked) {
      faults.push("it was not ticked");
    }
    if (before.open !== null && after.open === before.open) {
      faults.push("it did not open");
    }
  }
  if (before.checked !== null && after !== null && !after.isInOpenMenu) {
    faults.push("its menu was closed");
  }
  if (isSame && page.url() !== address) faults.push(...await findStale(page));
  return faults;
}

/** A plain link: that it is what the press is on, without what it leads to. */
async function pressLink(
  page: Page,
  control: Pick<Control, "kind" | "type">,
  place: { hand: Hand; x: number; y: number },
): Promise<string[]> {
  const isCaught = await page.evaluate((kind) => net.catchClick(kind), control.kind);
  await hit(page, control, place);
  if (!isCaught) return [];
  return await page.evaluate(() => net.isClicked) ? [] : ["the press is not on it"];
}

function isTyped(tag: string, type: string): boolean {
  return tag === "textarea" ||
    tag === "input" && !["submit", "button", "file", "checkbox", "radio"].includes(type);
}

/** Opens what the control is inside of. */
async function unfold(page: Page, kind: string, hand: Hand): Promise<boolean> {
  for (let depth = 0; depth < 4; depth++) {
    const fold = await page.evaluate((kind) => net.fold(kind), kind);
    if (fold === null) break;
    const place = await page.evaluate((kind) => net.place(kind), fold);
    if (place === null || place.isCovered) return false;
    await hit(page, { kind: fold, type: "" }, { hand, ...place });
    await page.waitForTimeout(20);
  }
  return await page.evaluate((kind) => net.place(kind) !== null, kind);
}

async function hit(
  page: Page,
  { kind, type }: Pick<Control, "kind" | "type">,
  { hand, x, y }: { hand: Hand; x: number; y: number },
): Promise<void> {
  if (hand === "finger") return await page.touchscreen.tap(x, y);
  if (hand !== "keyboard") return await page.mouse.click(x, y);
  await page.evaluate((kind) => net.focus(kind), kind);
  await page.keyboard.press(type.startsWith("label of") ? "Space" : "Enter");
}

async function pick(page: Page, kind: string, hand: Hand): Promise<void> {
  await page.evaluate((kind) => net.focus(kind), kind);
  await page.keyboard.press("ArrowDown");
  // No finger is at the next field at once; Chromium would take its tap, and no letter after it.
  if (hand === "finger") await page.waitForTimeout(600);
}

/** Types as a person does, leaves the field, and looks whether it has what was typed. */
async function typeInto(
  page: Page,
  { kind, type }: Pick<Control, "kind" | "type">,
  hand: Hand,
): Promise<string[]> {
  const address = page.url();
  for (const text of TYPED[type] ?? ["feature a"]) {
    const place = await page.evaluate((kind) => net.place(kind), kind);
    if (place === null) {
      return [`the field is gone after what was typed into it`];
    }
    if (type === "date" || hand === "keyboard") {
      await page.evaluate((kind) => net.focus(kind), kind);
    } else await hit(page, { kind, type }, { hand, ...place });
    for (const character of text) {
      await page.keyboard.press(character === " " ? "Space" : character);
      await settle(page, 0);
    }
    const state = await page.evaluate((kind) => net.state(kind), kind);
    if (state === null) return [`the page is gone while “${text}” was typed`];
    const isThere = state.value.includes(TYPED_DATES[text] ?? text) || type === "time";
    if (!isThere) {
      return [`“${text}” was typed, and the field has “${state.value}”`];
    }
    await leave(page);
    await settle(page);
    if (!await page.evaluate((kind) => net.place(kind) !== null, kind)) {
      return [`the field is gone after “${text}” was typed into it`];
    }
    const isSame = await page.evaluate(() => globalThis.isSameDocument === true);
    const stale = isSame && page.url() !== address ? await findStale(page) : [];
    if (stale.length > 0) return stale;
  }
  return [];
}

/** Goes on to the next field; a date has several stops. */
async function leave(page: Page): Promise<void> {
  const isInField = () => page.evaluate(() => document.activeElement?.matches("input, textarea"));
  const before = await page.evaluate(() => document.activeElement?.id);
  for (let stops = 0; stops < 5 && await isInField(); stops++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(() => document.activeElement?.id) !== before) return;
  }
}

/** Waits until the page has loaded and nothing is under way. */
export async function settle(page: Page, quietMs = 30): Promise<void> {
  await page.waitForLoadState();
  if (quietMs > 0) {
    await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));
    await page.waitForTimeout(quietMs);
    await page.waitForLoadState();
  }
}

/** What differs from what the server says at the address that the page shows. */
async function findStale(page: Page): Promise<string[]> {
  const compare = () =>
    page.evaluate(async () => {
      if (document.querySelector("[aria-busy=true]")) return "it is busy";
      const response = await fetch(location.href);
      // What cannot be shown is said beside the form, at the address before.
      if (!response.ok) return `its address is ${response.status}`;
      const text = await response.text();
      const there = net.read(new DOMParser().parseFromString(text, "text/html"));
      const here = net.read(document);
      if (here === there) return "";
      let at = 0;
      while (here[at] === there[at]) at++;
      const from = Math.max(0, at - 20);
      return `it says “${here.slice(from, at + 40)}” where the server says “${
        there.slice(from, at + 40)
      }”`;
    });
  // A search waits until the typing pauses.
  for (let tries = 0; tries < 300; tries++) {
    if (await compare().catch(() => "it is going on") === "") return [];
    await page.waitForTimeout(50);
  }
  return [await compare()];
}
