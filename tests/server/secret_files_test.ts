import { deepStrictEqual as assertEquals, ok as assert, throws } from "node:assert/strict";
import { readConfig } from "../../lib/config/config.ts";
import { readEnvironment } from "../../lib/config/environment.ts";
import { SETTING_NAMES, type SettingName, SETTINGS } from "../../lib/config/settings.ts";
import { withFolder } from "../support/folder.ts";

/** Reads the settings while variables are set. */
function readWith(variables: Record<string, string>) {
  for (const [name, value] of Object.entries(variables)) Deno.env.set(name, value);
  try {
    return readConfig(readEnvironment());
  } finally {
    for (const name of Object.keys(variables)) Deno.env.delete(name);
  }
}

/** What some settings need beside them. */
const BESIDE: Partial<Record<SettingName, Record<string, string>>> = {
  SMTP_URL: { MAIL_FROM: "a@example.com" },
  JIRA_TOKEN: { JIRA_EMAIL: "a@example.com", JIRA_URL: "https://acme.example" },
  MAIL_OAUTH_CLIENT_SECRET: {
    MAIL_OAUTH_TOKEN_URL: "https://login.example.com",
    MAIL_OAUTH_CLIENT_ID: "roadcast",
  },
};

const SECRETS = SETTING_NAMES.filter((name) => SETTINGS[name].isSecret);

Deno.test("Each secret setting is read from the file that NAME_FILE names", () =>
  withFolder(async (folder) => {
    const values = [
      "a-secret-of-many-letters-and-more-of-them",
      "http://me:word@localhost",
      "imaps://me:w@localhost",
      "smtp://me:w@localhost",
      "postgres://me:w@localhost/a",
    ];
    for (const name of SECRETS) {
      const value = values.find((text) => SETTINGS[name].schema.safeParse(text).success)!;
      assert(value, name);
      const path = `${folder}/${name}`;
      const variable = `${name}_FILE`;
      const beside = { ...BESIDE[name], [variable]: path };
      for (const end of ["", "\n", "\r\n"]) {
        await Deno.writeTextFile(path, value + end);
        assertEquals([name, readWith(beside).given[name]!.text], [name, value]);
      }
      throws(() => readWith({ [variable]: path, [name]: value }), {
        name: "ConfigError",
        message: `Set ${name} or ${variable}, not both`,
      });
      await Deno.writeTextFile(path, "\n");
      throws(() => readWith({ [variable]: path }), { message: `${variable}: ${path} is empty` });
      await Deno.remove(path);
      throws(() => readWith({ [variable]: path }), {
        message: `${variable}: cannot read ${path}: No such file or directory`,
      });
      await Deno.mkdir(path);
      throws(() => readWith({ [variable]: path }), {
        message: `${variable}: cannot read ${path}: Is a directory`,
      });
    }
  }));

/** INDEXNOW_KEY is published, as its protocol demands. */
const SAYS_SECRET = /(?<!INDEXNOW_)(?:TOKEN|SECRET|KEY|PASSWORD)$/;

Deno.test("Each setting that is called a secret, or holds a password, is one", () => {
  const secrets: readonly string[] = SECRETS;
  const unmarked = SETTING_NAMES.filter((name) => {
    const takesLogin = ["smtp", "imap", "postgres"].some((scheme) =>
      /_(?:URL|MAILBOX)$/.test(name) &&
      SETTINGS[name].schema.safeParse(`${scheme}://me:word@127.0.0.1/a`).success
    );
    return !secrets.includes(name) && (SAYS_SECRET.test(name) || takesLogin);
  });
  assertEquals(unmarked, []);
});
