import { listSettings, type ShownSetting } from "../../lib/admin/shown_settings.ts";
import type { NamedFinding } from "../../lib/doctor/check.ts";
import { AdminTable, Reload } from "../../lib/ui/admin/admin_page.tsx";
import { CodeText } from "../../lib/ui/admin/parts.tsx";
import type { ActionConfig, ActionHandlers } from "../route.ts";
import { operatorPage } from "./(_components)/operator.tsx";

export const config: ActionConfig = {
  errors: "page",
  summary: "For operators: the settings in effect",
};

/** The settings in effect, and what the checks say of them. */
const GET = operatorPage(async ({ context }) => {
  const { services: { config, checkup }, site: { path } } = context;
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
});

export const handler: ActionHandlers = { GET };

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
      <AdminTable label={title} columns={["Setting", "Value", "From", "Meaning"]}>
        {settings.map(({ name, value, from, unset, meaning }) => (
          <tr key={name}>
            <td>
              <code>{name}</code>
            </td>
            <td>{value ?? <CodeText text={unset} />}</td>
            <td>{from}</td>
            <td>
              <CodeText text={meaning} />
              {adviceOn(name, advice).map((finding) => (
                <p class={isProblem(finding) ? "admin-problem" : "quiet"} key={finding.name}>
                  {finding.text}
                </p>
              ))}
            </td>
          </tr>
        ))}
      </AdminTable>
    </section>
  );
}
