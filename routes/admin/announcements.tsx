import {
  type AnnouncementError,
  listAnnouncements,
  type ListedAnnouncements,
  type ListedMatch,
} from "../../lib/import/announcements/update_matches.ts";
import { countOf } from "../../lib/text/phrases.ts";
import { type AdminPage, AdminTable } from "../../lib/ui/admin/admin_page.tsx";
import { Confirm, FormField } from "../../lib/ui/admin/parts.tsx";
import type { ActionConfig, ActionHandlers, Context } from "../route.ts";
import { operatorPage } from "./(_components)/operator.tsx";

export const config: ActionConfig = {
  errors: "page",
  summary: "For operators: which post announces which release",
};

const MAX_LISTED = 200;

/** What was typed into a form, and what was wrong with it. */
interface Refused {
  given: URLSearchParams;
  errors: Partial<Record<AnnouncementError["field"], string>>;
}

/** Which post announces which release. */
const GET = operatorPage(({ context }) => buildAnnouncementsPage(context));

export const handler: ActionHandlers = { GET };

/** The page of all announcements; `refused` is the form of one source that cannot be followed. */
export async function buildAnnouncementsPage(
  { services, site: { path } }: Context,
  refused?: Refused,
): Promise<AdminPage> {
  const lists = await listAnnouncements(services.databaseForJobs);
  return {
    title: "Announcements",
    children: lists.length === 0
      ? <p>To match blog posts, give a source an “announcements” feed in ROADMAP_CONFIG.</p>
      : lists.map((list, place) => (
        <Announcements
          key={list.source}
          list={list}
          place={place}
          path={path}
          refused={refused?.given.get("source") === list.source ? refused : undefined}
        />
      )),
  };
}

function Announcements({ list, place, path, refused }: {
  list: ListedAnnouncements;
  /** Names may hold blanks, which no id may. */
  place: number;
  path: string;
  refused: Refused | undefined;
}) {
  const { source, address, posts, error, matches } = list;
  const typed = (name: string) => refused?.given.get(name) ?? "";
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
        <input type="hidden" name="source" value={source} />
        <FormField
          id={`release-${place}`}
          label="Release, by its exact name or its ID"
          error={refused?.errors.release}
        >
          <input id={`release-${place}`} name="release" value={typed("release")} required />
        </FormField>
        <FormField
          id={`post-${place}`}
          label="Address of the post"
          error={refused?.errors.post}
        >
          <input id={`post-${place}`} name="post" type="url" value={typed("post")} required />
        </FormField>
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
