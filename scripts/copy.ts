import { say } from "../lib/text/say.ts";

/**
 * Copies the address that stands beside a button, or what the page of a link has for the clipboard.
 * The focus stays on it, and the status behind it is read out.
 */
export async function copy(button: HTMLAnchorElement): Promise<void> {
  const { parentElement, nextElementSibling } = button;
  const { copy: address } = parentElement!.dataset;
  const status = nextElementSibling!;
  status.textContent = ""; // so that the same words are read out again
  try {
    if (address) await navigator.clipboard.writeText(address);
    else await copyPage(button.href);
    status.textContent = say("copy.copied");
  } catch {
    // Without a secure connection there is no clipboard: a person selects what is to be copied.
    if (!address) return location.assign(button.href);
    status.textContent = address;
    getSelection()?.selectAllChildren(status);
  }
}

/** The clipboard is asked at once, while the click allows it, and gets the page when it is there. */
async function copyPage(href: string): Promise<void> {
  const { clipboard } = navigator;
  const page = fetchPage(href);
  const part = async (type: string, property: "innerHTML" | "textContent") => {
    const element = (await page).querySelector(`[data-copied="${type}"]`)!;
    return new Blob([element[property]!], { type });
  };
  await clipboard.write([
    new ClipboardItem({
      "text/html": part("text/html", "innerHTML"),
      "text/plain": part("text/plain", "textContent"),
    }),
  ]);
}

async function fetchPage(href: string): Promise<Document> {
  const response = await fetch(href);
  if (!response.ok) throw new Error(`Status ${response.status}`);
  return new DOMParser().parseFromString(await response.text(), "text/html");
}
