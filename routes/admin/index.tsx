import { readUpgradeNotes } from "../../lib/admin/upgrade_notes.ts";
import type { MailState } from "../../lib/delivery/outbox/messages_sql.ts";
import { countMails } from "../../lib/delivery/outbox/outbox_sql.ts";
import { type MailPause, readPause } from "../../lib/delivery/outbox/mail_state_sql.ts";
import {
  countChosen,
  countSubscriptions,
} from "../../lib/delivery/subscriptions/subscribers_sql.ts";
import { countWebhooks } from "../../lib/delivery/webhooks/webhooks_sql.ts";
import type { Findings } from "../../lib/doctor/checkup.ts";
import { readSourceStates, type SourceState } from "../../lib/import/sources/source_states_sql.ts";
import { countOf } from "../../lib/text/phrases.ts";
import { type AdminPage, Reload } from "../../lib/ui/admin/admin_page.tsx";
import {
  PostForm,
  sourcePath,
  SourceTable,
  Subscribers,
  UpgradeNotes,
  Waiting,
} from "../../lib/ui/admin/parts.tsx";
import { Moment } from "../../lib/ui/admin/table.tsx";
import type { ActionConfig, ActionHandlers } from "../route.ts";
import { operated, type Visit } from "./(_components)/operator.tsx";

export const config: ActionConfig = {
  errors: "page",
  summary: {
    GET: "For operators: what is wrong, and what happens next",
    POST: "Runs the checks again",
  },
};

export const handler: ActionHandlers = operated({
  page: (_, visit) => showOverview(visit),
  actions: {
    check: {
      says: "The checks are running again.",
      run(_, { context }) {
        context.services.checkup.start();
        return Promise.resolve();
      },
    },
  },
});

async function showOverview({ context }: Visit): Promise<AdminPage> {
  const { services: { database, sources, checkup, clock }, site: { path } } = context;
  const names = sources.current.map(({ name }) => name);
  const [{ findings, isRunning }, states, mails, webhooks, subscribers, chosen, notes, pause] =
    await Promise.all([
      checkup.read(),
      readSourceStates(database, names),
      countMails(database, "unsent"),
      countWebhooks(database),
      countSubscriptions(database),
      countChosen(database),
      readUpgradeNotes(),
      readPause(database, clock()),
    ]);
  const countIn = (state: MailState) => mails.find(({ status }) => status === state)?.count ?? 0;
  return {
    title: "Overview",
    isLive: isRunning,
    children: (
      <>
        <Problems
          findings={findings}
          isRunning={isRunning}
          states={states}
          failedMails={countIn("failed")}
          waitingMails={countIn("waiting")}
          pause={pause}
          path={path}
        />
        <section>
          <h2>Sources</h2>
          <SourceTable states={states} sources={sources} path={path} />
        </section>
        <Waiting mails={mails} webhooks={webhooks} path={path} />
        <Subscribers states={subscribers} chosen={chosen} />
        <UpgradeNotes notes={notes} />
      </>
    ),
  };
}

function Problems({ findings, isRunning, states, failedMails, waitingMails, pause, path }: {
  findings: Findings | null;
  isRunning: boolean;
  states: readonly SourceState[];
  failedMails: number;
  waitingMails: number;
  pause: MailPause | null;
  path: string;
}) {
  const failed = states.filter(({ last_run: last }) => last?.error != null);
  // The check of the sources would repeat what is said of each.
  const wrong = (findings?.all ?? []).filter(({ state, name }) =>
    state === "fail" && !(name === "sources" && failed.length > 0)
  );
  const nothing = wrong.length + failed.length + failedMails === 0 && pause === null;
  return (
    <section>
      <h2>What to do first</h2>
      {failed.map(({ name, last_run: last }) => (
        <div class="admin-problem" key={name}>
          <strong>
            <a href={sourcePath(path, name)}>{name}</a>
          </strong>: the last import failed. {last!.error}
        </div>
      ))}
      {wrong.map(({ name, text }) => (
        <div class="admin-problem" key={name}>
          <strong>{name}</strong>: {text}
        </div>
      ))}
      {pause && (
        <div class="admin-problem">
          <strong>Emails are not being sent</strong>: {pause.reason}.{" "}
          <a href={`${path}/admin/emails`}>{countOf(waitingMails, "email")}</a> waiting.
          {pause.kind !== "busy" && " Check SMTP_URL and MAIL_FROM."}
        </div>
      )}
      {failedMails > 0 && (
        <div class="admin-problem">
          <a href={`${path}/admin/emails`}>{countOf(failedMails, "email")}</a> failed.
        </div>
      )}
      {findings && nothing && <p class="admin-note">Nothing is wrong.</p>}
      {isRunning && (
        <p role="status">
          The checks are running. <Reload href={`${path}/admin`} />
        </p>
      )}
      {findings && <AllFindings findings={findings} />}
    </section>
  );
}

function AllFindings({ findings: { at, all } }: { findings: Findings }) {
  return (
    <details>
      <summary>All checks</summary>
      <p>
        As of <Moment at={at.toISOString()} />. <code>deno task doctor</code>{" "}
        also checks port and disk.
      </p>
      <dl class="admin-facts">
        {all.map(({ name, state, text }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{state === "fail" ? `Problem: ${text}` : text}</dd>
          </div>
        ))}
      </dl>
      <PostForm does="check" button="Check again" />
    </details>
  );
}
