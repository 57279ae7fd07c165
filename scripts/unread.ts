/**
 * A bell for the pages of other sites: it counts the releases that changed since this browser last
 * opened the list, and opens that. It is served as /unread.js, which puts its settings around it.
 */
declare const ROADCAST: {
  /** The public address of the roadmap, without a trailing slash. */
  base: string;
  name: string;
  /** The origins whose pages may show it. */
  origins: string[];
  light: string;
  dark: string;
  lang: string;
  /** How many releases changed, by the plural of their number, which is a #. */
  changed: Partial<Record<Intl.LDMLPluralRule, string>>;
};

const MAX_SHOWN = 99;

const { base, name, origins, light, dark, lang, changed } = ROADCAST;
const plurals = new Intl.PluralRules(lang);
const script = document.currentScript as HTMLScriptElement;
const { search } = new URL(script.src);
const key = `roadcast-unread ${base}${search}`;

if (origins.includes(location.origin)) start();
else console.warn(`Roadcast: add ${location.origin} to EMBED_ORIGINS to show the bell here`);

function start(): void {
  const host = document.createElement("span");
  const root = host.attachShadow({ mode: "open" });
  // A style sheet that a script makes is one that the page's policy allows.
  const sheet = new CSSStyleSheet();
  const theme = new URLSearchParams(search).get("theme") ?? "light dark";
  sheet.replaceSync(
    `:host{position:relative;display:inline-block;color-scheme:${theme}}` +
      "button{font:inherit;color:inherit;background:none;border:0;padding:.4em;cursor:pointer;line-height:1}" +
      `button:focus-visible{outline:2px solid light-dark(${light},${dark})}` +
      "svg{width:1.4em;height:1.4em;vertical-align:middle}" +
      `b{font-size:.75em;padding:.15em .45em;border-radius:1em;background:light-dark(${light},${dark});color:light-dark(#fff,#111)}` +
      "[hidden]{display:none}" +
      "iframe{position:absolute;z-index:9999;top:100%;right:0;width:min(24rem,90vw);height:min(32rem,80vh);border:1px solid #8888;border-radius:8px;background:light-dark(#fff,#1d2021)}",
  );
  root.adoptedStyleSheets = [sheet];
  root.innerHTML =
    '<button aria-expanded="false"><svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true"><path d="M6 16V11a6 6 0 0 1 12 0v5l2 2H4zM10 21h4"/></svg><b hidden></b></button><iframe hidden></iframe>';
  const button = root.querySelector("button")!;
  const badge = root.querySelector("b")!;
  const frame = root.querySelector("iframe")!;
  const show = (count: string) => {
    badge.hidden = !count;
    badge.textContent = count;
    button.ariaLabel = button.title = count
      ? changed[plurals.select(Number.parseInt(count))]!.replace("#", count)
      : name;
  };
  const open = (isOpen: boolean) => {
    frame.hidden = !isOpen;
    button.ariaExpanded = String(isOpen);
  };
  frame.title = name;
  show("");
  button.onclick = () => {
    if (!frame.hidden) return open(false);
    if (!frame.src) frame.src = `${base}/embed${search}`;
    open(true);
    show("");
    void keepNewest().catch(() => {});
  };
  root.addEventListener("keydown", (event) => {
    if ((event as KeyboardEvent).key !== "Escape") return;
    open(false);
    button.focus();
  });
  addEventListener("click", ({ target }) => target === host || open(false));
  script.after(host);
  void count().then(show, () => {});
}

/** How many releases of the list changed since it was last opened here; empty: none, as at first. */
async function count(): Promise<string> {
  const after = localStorage.getItem(key);
  if (after !== null) {
    const response = await read({ after });
    if (response.ok) {
      const { total } = await response.json();
      return total > MAX_SHOWN ? `${MAX_SHOWN}+` : String(total || "");
    }
    if (response.status !== 400) return ""; // another time
  }
  await keepNewest();
  return "";
}

/** From here on changes are new. */
async function keepNewest(): Promise<void> {
  const response = await read({});
  if (response.ok) localStorage.setItem(key, (await response.json()).next_after);
}

/** Asks for the releases of the list that changed. */
function read(parameters: Record<string, string>): Promise<Response> {
  const query = new URLSearchParams(search);
  for (const [name, value] of Object.entries(parameters)) query.set(name, value);
  // The list leaves removed releases out, unless its address says otherwise.
  if (!query.has("include_inactive")) query.set("include_inactive", "false");
  return fetch(`${base}/api/changes/releases?${query}`);
}
