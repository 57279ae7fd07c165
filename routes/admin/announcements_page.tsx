import { notifyImmediately } from "../../lib/delivery/notify_immediately.ts";
import { Problem } from "../../lib/http/responses/problem.ts";
import {
  AnnouncementError,
  listAnnouncements,
  type ListedAnnouncements,
  type ListedMatch,
  rejectPost,
  setPost,
} from "../../lib/import/announcements/update_matches.ts";
import type { Services } from "../../lib/service/services.ts";
import { countOf } from "../../lib/text/phrases.ts";
import { AdminTable } from "../../lib/ui/admin/admin_page.tsx";
import { Confirm } from "../../lib/ui/admin/parts.tsx";
import { today } from "../route.ts";
import { operatorAction, operatorPage } from "./operator.tsx";

const MAX_LISTED = 200;

/** Which post announces which release. */
export const announcementsPage = operatorPage(async ({ context }) => {
  const { services, site: { path } } = context;
  const lists = await listAnnouncements(services.databaseForJobs);
  return {
    title: "Announcements",
    children: lists.length === 0
      ? <p>To match blog posts, give a source an “announcements” feed in ROADMAP_CONFIG.</p>
      : lists.map((list) => <Announcements key={list.source} list={list} path={path} />),
  };
});

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

/** Rejects a post for good. */
export const postedRejection = operatorAction(async (form, { context: { services }, note }) => {
  const post = form.get("post") ?? "";
  await refuseWrong(() => rejectPost(services.databaseForJobs, post, optionsOf(services)));
  await note("rejected an announcement", post);
  return { page: "/admin/announcements", notice: "rejected" };
});

/** Sets the post of a release for good. */
export const postedConfirmation = operatorAction(async (form, { context: { services }, note }) => {
  const given = { release: form.get("release") ?? "", post: form.get("post") ?? "" };
  const { name } = await refuseWrong(() =>
    setPost(services.databaseForJobs, given, optionsOf(services))
  );
  await note("confirmed an announcement", `${given.post} of ${name}`);
  return { page: "/admin/announcements", notice: "confirmed" };
});

function optionsOf(services: Services) {
  const { config, clock } = services;
  return { asOf: today(services), onChange: notifyImmediately(config, clock) };
}

async function refuseWrong<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AnnouncementError)) throw error;
    throw new Problem(404, error.message);
  }
}
