import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startLine } from "../../support/command.ts";
import { withFolder } from "../../support/folder.ts";
import { startMailServer } from "../../support/servers/mail_server.ts";

const PROJECT = new URL("../../../", import.meta.url);

/** Runs deploy/roadcast with these settings in /etc/roadcast.env, as the user of the tests. */
async function runInstalled(
  folder: string,
  { file, words, runuser = 'shift 3; exec "$@"' }: {
    file: string;
    words: string;
    runuser?: string;
  },
) {
  await Deno.writeTextFile(join(folder, "roadcast.env"), file);
  await Deno.writeTextFile(join(folder, "runuser"), `#!/bin/sh\n${runuser}\n`, { mode: 0o755 });
  const script = (await Deno.readTextFile(new URL("deploy/roadcast", PROJECT)))
    .replace("/opt/roadcast", fileURLToPath(PROJECT))
    .replace("/etc/roadcast.env", join(folder, "roadcast.env"))
    .replace("/var/lib/roadcast", join(folder, "data"))
    .replace("/var/cache/roadcast", '"$DENO_DIR"');
  await Deno.writeTextFile(join(folder, "roadcast"), script, { mode: 0o755 });
  const PATH = `${folder}:${Deno.env.get("PATH")}`;
  const line = `${join(folder, "roadcast")} ${words}`;
  const DENO_DIR = Deno.env.get("DENO_DIR") ?? "";
  return await startLine(line, { PATH, DENO_DIR, HOST: "127.0.0.1", PORT: "0" }, PROJECT).ending;
}

Deno.test("The installed command uses the settings of the service", () =>
  withFolder(async (folder) => {
    const password = "pa$HOMEss";
    await using mail = await startMailServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: (given, _session, done) =>
        given.password === password ? done(null, { user: "u" }) : done(new Error("Wrong password")),
    });
    const { code, out } = await runInstalled(folder, {
      file: [
        "SITE_NAME=Roadmap #1",
        "# Cut or expanded, it would be shorter than 32 characters",
        "TOKEN_SECRET=abcd$efghijklmnopqrstuvwxyz01#89",
        `SMTP_URL=${mail.url.replace("//", `//u:${password}@`)}?ignoreTLS=true`,
        'MAIL_FROM="Roadmap <roadmap@example.com>"',
        "BASE_URL='https://example.com'",
      ].join("\n"),
      words: "doctor",
    });
    match(out, /^ok +settings +Roadcast [\d.]+, "Roadmap #1" at https:\/\/example\.com;/m);
    match(out, /^ok +mail server +/m);
    assertEquals(code, 0, out);
  }));

Deno.test("The installed command reads its file as systemd does", () =>
  withFolder(async (folder) => {
    // systemd.exec(5), EnvironmentFile=
    const { out } = await runInstalled(folder, {
      file: [
        "# A_COMMENT=1",
        "; ANOTHER=1",
        "T_SIGNS=a #b $HOME `c` %d = e ",
        "T_SINGLE='a #b $HOME \\ \"c\" '",
        'T_DOUBLE="a #b \\$HOME \\" \\\\ \\c \'d\'"',
        "T_ESCAPED=a\\$b\\\\c\\d",
        "T_BASE64=YWJjZA==",
        "T_EMPTY=",
        "export T_EXPORTED=1",
        "T-NO=1",
        "no setting",
        "DATA_DIR=/data",
        "T_UNENDED=without an end of line",
      ].join("\n"),
      words: "imports",
      runuser: "env | grep -E '^(A_|ANOTHER|T_|T-|DATA_DIR)' | sort",
    });
    assertEquals(out.split("\n"), [
      "DATA_DIR=/data",
      "T_BASE64=YWJjZA==",
      "T_DOUBLE=a #b $HOME \" \\ \\c 'd'",
      "T_EMPTY=",
      "T_ESCAPED=a$b\\cd",
      "T_SIGNS=a #b $HOME `c` %d = e",
      'T_SINGLE=a #b $HOME \\ "c" ',
      "T_UNENDED=without an end of line",
    ]);
  }));
