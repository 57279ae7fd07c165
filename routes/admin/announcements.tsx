import { FieldError } from "../../lib/expected_error.ts";
import { Problem } from "../../lib/http/responses/problem.ts";
import {
  listAnnouncements,
  type ListedAnnouncements,
  rejectPost,
  setPost,
} from "../../lib/import/announcements/update_matches.ts";
import { countOf } from "../../lib/text/phrases.ts";
import { form, type Refused, text } from "../../lib/ui/admin/form.tsx";
import { Confirm } from "../../lib/ui/admin/parts.tsx";
import { Table } from "../../lib/ui/admin/table.tsx";
import type { ActionConfig, ActionHandlers } from "../route.ts";
import { operated } from "./(_components)/operator.tsx";

export const config: ActionConfig = {
  errors: "page",
  summary: {
    GET: "For operators: which post announces which release",
    POST: "Sets the post of a release for good, or rejects a post",
  },
};

const MAX_LISTED = 200;

const POST_OF_RELEASE = form({
  release: text("Release, by its exact name or its ID", { required: true }),
  post: text("Address of the post", { type: "url", required: true }),
});

export const handler: ActionHandlers = operated({
  async page(_, { context: { services } }, refused) {
    const lists = await listAnnouncements(services.databaseForJobs);
    return {
      title: "Announcements",
      children: lists.length === 0
        ? <p>To match blog posts, add a feed of announcements to a source.</p>
        : lists.map((list, place) => (
          <Announcements
            key={list.source}
            list={list}
            place={place}
            refused={refused?.form.get("source") === list.source ? refused : undefined}
          />
        )),
    };
  },
  actions: {
    set: {
      says: "The post is set: after the next import, which starts now, it announces this release.",
      async run(_, { context: { services }, note }, sent) {
        const given = POST_OF_RELEASE.read(sent);
        const { name } = await setPost(services.databaseForJobs, given);
        if (services.config.BACKGROUND_JOBS) services.jobs.trigger("imports");
        await note("confirmed an announcement", `${given.post} of ${name}`);
      },
    },
    reject: {
      says:
        "The post is rejected: after the next import, which starts now, it announces no release.",
      async run(_, { context: { services }, note }, sent) {
        const post = sent.get("post") ?? "";
        await rejectPost(services.databaseForJobs, post).catch((error) => {
          throw error instanceof FieldError ? new Problem(404, error.message) : error;
        });
        if (services.config.BACKGROUND_JOBS) services.jobs.trigger("imports");
        await note("rejected an announcement", post);
      },
    },
  },
});

function Announcements({ list, place, refused }: {
  list: ListedAnnouncements;
  /** Names may hold blanks, which no id may. */
  place: number;
  refused: Refused | undefined;
}) {
  const { source, address, posts, error, matches } = list;
  return (
    <section>
      <h2>{source}</h2>
      <p>
        {address}: {countOf(posts, "post")}, {countOf(matches.length, "announced release")}
      </p>
      {error && <p class="admin-problem">{error}</p>}
      {matches.length > 0 && (
        <Table
          label={`Announced releases of ${source}`}
          rows={matches.slice(0, MAX_LISTED)}
          columns={{
            "Release": ({ release }) => release.feature_name,
            "Post": ({ post: { title, url } }) => (
              <>
                {title} <span class="quiet">{url}</span>
              </>
            ),
            "Why": "reason",
            "Action": ({ release, post }) => (
              <Confirm
                does="reject"
                fields={{ post: post.url }}
                button="Reject"
                label={release.feature_name}
                question="This post no longer announces a release, until you set it again below."
              />
            ),
          }}
        />
      )}
      {matches.length > MAX_LISTED && (
        <p>Only the first {MAX_LISTED} are shown; the command lists all.</p>
      )}
      <h3>Set the post of a release</h3>
      <form method="post">
        <input type="hidden" name="source" value={source} />
        <POST_OF_RELEASE.Fields refused={refused} place={place} />
        <button type="submit" class="second" name="do" value="set">Set</button>
      </form>
    </section>
  );
}
