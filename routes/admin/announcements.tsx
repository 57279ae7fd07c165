import {
  listAnnouncements,
  type ListedAnnouncements,
  type ListedMatch,
} from "../../lib/import/announcements/update_matches.ts";
import { countOf } from "../../lib/text/phrases.ts";
import { AdminTable } from "../../lib/ui/admin/admin_page.tsx";
import { Confirm } from "../../lib/ui/admin/parts.tsx";
import type { ActionConfig, ActionHandlers } from "../route.ts";
import { operatorPage } from "./(_components)/operator.tsx";

export const config: ActionConfig = {
  errors: "page",
  summary: "For operators: which post announces which release",
};

const MAX_LISTED = 200;

/** Which post announces which release. */
const GET = operatorPage(async ({ context }) => {
  const { services, site: { path } } = context;
  const lists = await listAnnouncements(services.databaseForJobs);
  return {
    title: "Announcements",
    children: lists.length === 0
      ? <p>To match blog posts, give a source an “announcements” feed in ROADMAP_CONFIG.</p>
      : lists.map((list) => <Announcements key={list.source} list={list} path={path} />),
  };
});

export const handler: ActionHandlers = { GET };

function Announcements({ list, path }: { list: ListedAnnouncements; path: string }) {
  const { source, address, posts, error, matches } = list;
  return (
    <section>
      <h2>{source}</h2>
      <p>
        {address}: {countOf(posts, "post")}, {countOf(matches.length, "announced release")}
      </p>
      {error && <p class="admin-problem">{error}</p>}
      <MatchTable source={source} matches={matches} path={path} />
      <h3>Set the post of a release</h3>
      <form method="post" action={`${path}/admin/announcement/confirm`}>
        <div class="field">
          <label for={`release-${source}`}>Release, by its exact name or its ID</label>
          <input id={`release-${source}`} name="release" required />
        </div>
        <div class="field">
          <label for={`post-${source}`}>Address of the post</label>
          <input id={`post-${source}`} name="post" type="url" required />
        </div>
        <button type="submit" class="second">Set</button>
      </form>
    </section>
  );
}

function MatchTable({ source, matches, path }: {
  source: string;
  matches: readonly ListedMatch[];
  path: string;
}) {
  if (matches.length === 0) return null;
  return (
    <>
      <AdminTable
        label={`Announced releases of ${source}`}
        columns={["Release", "Post", "Why", "Action"]}
      >
        {matches.slice(0, MAX_LISTED).map((match) => (
          <tr key={`${match.release.release_item_id} ${match.post.url}`}>
            <td>{match.release.feature_name}</td>
            <td>
              {match.post.title} <span class="quiet">{match.post.url}</span>
            </td>
            <td>{match.reason}</td>
            <td>
              <Confirm
                action={`${path}/admin/announcement/reject`}
                fields={{ post: match.post.url }}
                button="Reject"
                label={match.release.feature_name}
                question="This post no longer announces a release, until you set it again below."
              />
            </td>
          </tr>
        ))}
      </AdminTable>
      {matches.length > MAX_LISTED && (
        <p>Only the first {MAX_LISTED} are shown; the command lists all.</p>
      )}
    </>
  );
}
