import type { GivenSetting } from "../../lib/config/config.ts";
import { GROUPS, type SettingName, SETTINGS } from "../../lib/config/settings.ts";
import type { NamedFinding } from "../../lib/doctor/check.ts";
import { showLocation } from "../../lib/import/fetching/location.ts";
import { AdminTable, Reload } from "../../lib/ui/admin/admin_page.tsx";
import { CodeText } from "../../lib/ui/admin/parts.tsx";
import { operatorPage } from "./operator.tsx";

/** The settings in effect, and what the checks say of them. */
export const settingsPage = operatorPage(async ({ context }) => {
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

/** A setting as its page shows it. */
interface ShownSetting {
  readonly name: string;
  /** Without secrets; null: it is not set. */
  readonly value: string | null;
  readonly from: GivenSetting["from"] | "default";
  /** What holds where it is not set. */
  readonly unset: string;
  readonly meaning: string;
}

/** All settings, by group. */
export function listSettings(
  given: Readonly<Record<string, GivenSetting>>,
): { title: string; settings: ShownSetting[] }[] {
  return Object.entries(GROUPS).map(([title, group]) => ({
    title,
    settings: (Object.keys(group) as SettingName[]).map((name) => {
      const { meaning, unset } = SETTINGS[name];
      const { text, from } = given[name] ?? {};
      const value = text === undefined ? null : showSetting(name, text);
      return { name, meaning, unset, value, from: from ?? "default" };
    }),
  }));
}

/**
 * The value of a setting without secrets.
 *
 * ```ts
 * const shown = showSetting("DATABASE_URL", "postgres://me:secret@db.example:5432/roadmap?x=1");
 * if (shown !== "postgres://db.example:5432/roadmap") throw new Error(shown);
 * if (showSetting("WEBSUB_HUB", "https://me:word@hub.example/") !== "https://hub.example/") throw new Error();
 * if (showSetting("ADMIN_TOKEN", "secret") !== "set, not shown") throw new Error();
 * ```
 */
export function showSetting(name: string, text: string): string {
  if (/(?:KEY|SECRET|TOKEN)$|^TOKEN_/.test(name)) return "set, not shown";
  if (name === "ROADMAP_SOURCE") return showLocation(text);
  if (!/_(?:URL|MAILBOX|HUB)$/.test(name)) return text.replace(/(?<=:\/\/)[^\s/?#@]{0,500}@/g, "");
  const url = URL.parse(text);
  return url ? `${url.protocol}//${url.host}${url.pathname}` : "set, not shown";
}
