/** After a longer pause a new visit begins. */
const VISIT_MS = 30 * 60_000;
const UUID_LENGTH = 36;

/** What the browser keeps of visits; nothing of it is sent but the cursor and the day. */
interface Visits {
  /** What the visit before this one saw: the cursor of the newest change; null: there was none. */
  before: { after: string; at: number } | null;
  /** What this visit has seen, and when it was last here. */
  now: { after: string; at: number };
}

/** What routes/visit.json.ts answers. */
interface News {
  release_item_ids: string[];
  next_after: string;
  words: string;
  /** Absent: nothing changed. */
  link?: string;
}

// A browser without storage shows nothing; after a failed request the next page tries again.
showLastVisit().catch(() => {});

/** Shows what changed since the last visit, and marks it in the lists of the page. */
async function showLastVisit(): Promise<void> {
  const line = document.getElementById("last-visit")!;
  const { path = "" } = line.dataset;
  const key = `roadcast-visits ${path}`;
  let before = lastVisit(readVisits(key));
  let response = await requestNews(path, before);
  // The server does not know the cursor any more: this visit is the first one.
  if (response.status === 400 && before) response = await requestNews(path, before = null);
  if (!response.ok) return;
  const news: News = await response.json();
  const now = { after: news.next_after, at: Date.now() };
  localStorage.setItem(key, JSON.stringify({ before, now }));
  if (!before) return;
  showNews(line, news);
  markNew(new Set(news.release_item_ids), line.dataset.changed!);
}

/** The visit before this one: the one that is kept, unless it still goes on. */
function lastVisit(visits: Visits | null): Visits["before"] {
  if (!visits) return null;
  return Date.now() - visits.now.at > VISIT_MS ? visits.now : visits.before;
}

function readVisits(key: string): Visits | null {
  const visits = JSON.parse(localStorage.getItem(key)!);
  return typeof visits?.now?.after === "string" ? visits : null;
}

function requestNews(path: string, before: Visits["before"]): Promise<Response> {
  // Swedish writes the day of the visitor as ISO 8601 does.
  const query = before &&
    { after: before.after, day: new Date(before.at).toLocaleDateString("sv") };
  return fetch(`${path}/visit.json?${new URLSearchParams(query ?? {})}`);
}

function showNews(line: HTMLElement, { words, link }: News): void {
  const [news, seen] = line.children as unknown as [HTMLElement, HTMLAnchorElement];
  news.textContent = words;
  if (link) {
    seen.href = link;
    seen.hidden = false;
  }
}

/** Marks the entries of new releases, also those that a search brings later; a style shows the word. */
function markNew(ids: ReadonlySet<string>, word: string): void {
  const mark = () => {
    for (const link of document.querySelectorAll<HTMLAnchorElement>("li a[href*='/release/']")) {
      const { dataset } = link.closest("li")!;
      if (ids.has(link.pathname.slice(-UUID_LENGTH))) dataset.new = word;
      else delete dataset.new;
    }
  };
  mark();
  const changes = { childList: true, subtree: true, attributeFilter: ["href"] };
  new MutationObserver(mark).observe(document.getElementById("content")!, changes);
}
