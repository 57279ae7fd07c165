import type { ComponentChildren } from "preact";
import { listSettings, type ShownSetting } from "../../lib/admin/shown_settings.ts";
import type { Config } from "../../lib/config/config.ts";
import type { SettingName } from "../../lib/config/settings.ts";
import type { NamedFinding } from "../../lib/doctor/check.ts";
import { type AdminPage, Reload } from "../../lib/ui/admin/admin_page.tsx";
import { describeCadence } from "../../lib/text/cadence.ts";
import { inEnglish } from "../../lib/text/messages.ts";
import { capitalise, countOf } from "../../lib/text/phrases.ts";
import { CodeText } from "../../components/name.tsx";
import { Table } from "../../lib/ui/admin/table.tsx";
import type { ActionConfig, ActionHandlers } from "../route.ts";
import { operated, type Visit } from "./(_components)/operator.tsx";

export const config: ActionConfig = {
  errors: "page",
  summary: "For operators: the settings in effect",
};

export const handler: ActionHandlers = operated({ page: (_, visit) => showSettings(visit) });

async function showSettings({ context }: Visit): Promise<AdminPage> {
  const { services: { config, checkup, sources }, site: { path } } = context;
  const { findings, isRunning } = await checkup.read();
  const advice = findings?.all ?? [];
  const groups = listSettings(config.given);
  const all = groups.flatMap(({ settings }) => settings);
  const wrong = all.filter(({ name }) => adviceOn(name, advice).some(isProblem));
  return {
    title: "Settings",
    children: (
      <>
        <p>
          Settings are environment variables or lines of{" "}
          <code>.env</code>. To change one, set it there and restart. Secrets are not shown.
        </p>
        <p>
          Scripts that only import need no ADMIN_TOKEN: give them a{" "}
          <a href={`${path}/admin/tokens`}>token for their sources</a>.
        </p>
        <SiteTable config={config} sources={sources.listed.length} path={path} />
        {isRunning && (
          <p role="status">
            The checks are running. <Reload href={`${path}/admin/settings`} />
          </p>
        )}
        {wrong.length > 0 && (
          <SettingTable title="Problems found" settings={wrong} advice={advice} />
        )}
        {groups.map(({ title, settings }) => (
          <SettingTable
            key={title}
            title={title}
            settings={settings.filter((setting) => !wrong.includes(setting))}
            advice={advice}
          />
        ))}
      </>
    ),
  };
}

/** What readers see of the site, in their words, and the settings that decide it. */
const SITE: readonly {
  readonly what: string;
  readonly now: (config: Config) => ComponentChildren;
  readonly by: readonly SettingName[];
}[] = [
  { what: "Name", now: ({ SITE_NAME: name }) => name, by: ["SITE_NAME"] },
  {
    what: "Address",
    now: ({ BASE_URL: url }) => <a href={`${url}/`}>{url}</a>,
    by: ["BASE_URL"],
  },
  {
    what: "Language",
    now: ({ LANGUAGE: tag }) => new Intl.DisplayNames("en", { type: "language" }).of(tag),
    by: ["LANGUAGE"],
  },
  {
    what: "Logo and colour",
    now: ({ SITE_LOGO: logo, accent }) =>
      [
        logo === null ? "the mark of Roadcast" : "your logo",
        accent === null ? "its green" : `${accent.light}, in the dark theme ${accent.dark}`,
      ].join(", "),
    by: ["SITE_LOGO", "SITE_ACCENT"],
  },
  {
    what: "Links in the header and footer",
    now: ({ SITE_LINKS: header, SITE_FOOTER_LINKS: footer }) =>
      [...header, ...footer].map(({ label }) => label).join(", ") || "none",
    by: ["SITE_LINKS", "SITE_FOOTER_LINKS"],
  },
  {
    what: "Who publishes it",
    now: ({ SITE_IMPRINT: text }) => text ?? "not said",
    by: ["SITE_IMPRINT"],
  },
  {
    what: "Emails",
    now: ({ smtp }) =>
      smtp === null
        ? "not sent: there is no mail server, so they are written to the log"
        : `from ${smtp.from}, by ${new URL(smtp.url).hostname}`,
    by: ["SMTP_URL", "MAIL_FROM"],
  },
  {
    what: "Digests",
    now: ({ digestTimes: times }) =>
      times === null ? "not sent by this server" : capitalise(
        inEnglish(() => describeCadence("weekly", times)),
      ),
    by: ["DIGESTS", "DIGEST_WEEKDAY", "DIGEST_TIME", "DIGEST_ZONE"],
  },
];

function SiteTable({ config, sources, path }: { config: Config; sources: number; path: string }) {
  return (
    <section>
      <h2>Site</h2>
      <p>
        The person who runs the server changes these. Send them the name of the setting with your
        value, such as <code>SITE_NAME=Acme roadmap</code>.
      </p>
      <Table
        label="Site"
        rows={[
          ...SITE.map(({ what, now, by }) => ({ what, now: now(config), by: codes(by) })),
          {
            what: "Roadmap",
            now: sources === 0 ? "no scheduled source" : countOf(sources, "scheduled source"),
            by: <a href={`${path}/admin/sources`}>Sources</a>,
          },
        ]}
        columns={{ "What readers see": "what", "Now": "now", "Settings": "by" }}
      />
    </section>
  );
}

function codes(names: readonly string[]): ComponentChildren {
  return names.map((name, place) => (
    <>
      {place > 0 && ", "}
      <code>{name}</code>
    </>
  ));
}

/** What the checks say that names a setting. */
function adviceOn(name: string, findings: readonly NamedFinding[]): NamedFinding[] {
  const named = new RegExp(`(?<![A-Z_])${name}(?![A-Z_])`);
  return findings.filter(({ text }) => named.test(text));
}

function isProblem({ state }: NamedFinding): boolean {
  return state === "fail";
}

function SettingTable({ title, settings, advice }: {
  title: string;
  settings: readonly ShownSetting[];
  advice: readonly NamedFinding[];
}) {
  if (settings.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <Table
        label={title}
        rows={settings}
        columns={{
          "Setting": ({ name }) => <code>{name}</code>,
          "Value": ({ value, unset }) => value ?? <CodeText text={unset} />,
          "From": "from",
          "Meaning": ({ name, meaning }) => (
            <>
              <CodeText text={meaning} />
              {adviceOn(name, advice).map((finding) => (
                <p class={isProblem(finding) ? "admin-problem" : "quiet"} key={finding.name}>
                  {finding.text}
                </p>
              ))}
            </>
          ),
        }}
      />
    </section>
  );
}
