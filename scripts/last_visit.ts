/** After a longer pause a new visit begins. */
const VISIT_MS = 30 * 60_000;
const UUID_LENGTH = 36;

/** What the browser keeps of visits; nothing of it is sent but the cursor. */
interface Visits {
  /** What the visit before this one saw: the cursor of the newest change; null: there was none. */
  before: { after: string; at: number } | null;
  /** What this visit has seen, and when it was last here. */
  now: { after: string; at: number };
}

interface News {
  release_item_ids: string[];
  summary: string;
  first_day: string | null;
  next_after: string;
}

// Where the browser stores nothing, or the page has no such line, nothing is shown; after a failed
// request the next page tries again.
showLastVisit().catch(() => {});

/** Shows what changed since the last visit, and marks it in the lists of the page. */
async function showLastVisit(): Promise<void> {
  const line = document.getElementById("last-visit")!;
  const { path = "", list = "" } = line.dataset;
  const key = `roadcast-visits ${path}`;
  let before = lastVisit(readVisits(key));
  let response = await requestNews(path, before?.after);
  // The server does not know the cursor any more: this visit is the first one.
  if (response.status === 400 && before) {
    before = null;
    response = await requestNews(path);
  }
  if (!response.ok) return;
  const news: News = await response.json();
  const now = { after: news.next_after, at: Date.now() };
  localStorage.setItem(key, JSON.stringify({ before, now }));
  if (!before) return;
  showNews(line, news, { list, before });
  markNew(new Set(news.release_item_ids));
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

function requestNews(path: string, after?: string): Promise<Response> {
  const query = after === undefined ? "" : `?${new URLSearchParams({ after })}`;
  return fetch(`${path}/api/changes/releases${query}`);
}

function showNews(
  line: HTMLElement,
  { summary, first_day }: News,
  { list, before: { after, at } }: { list: string; before: Visits["now"] },
): void {
  const day = new Date(at).toLocaleDateString("en-GB", { day: "numeric", month: "short" });
  const news = document.createElement("span");
  news.textContent = `${summary || "Nothing changed"} since ${day}`;
  line.replaceChildren(news);
  if (!summary) return;
  const link = document.createElement("a");
  link.href = list + (list.endsWith("after=") ? after : first_day);
  const words = document.createElement("span");
  words.className = "wide";
  words.textContent = "See them";
  link.append(words);
  line.append(" ", link);
}

/** Marks the entries of new releases, also those that a search brings later. */
function markNew(ids: ReadonlySet<string>): void {
  const mark = () => {
    for (const link of document.querySelectorAll<HTMLAnchorElement>("li a[href*='/release/']")) {
      link.closest("li")!.toggleAttribute("data-new", ids.has(link.pathname.slice(-UUID_LENGTH)));
    }
  };
  mark();
  const changes = { childList: true, subtree: true, attributeFilter: ["href"] };
  new MutationObserver(mark).observe(document.getElementById("content")!, changes);
}
