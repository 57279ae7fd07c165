import { deepStrictEqual as assertEquals, match, throws } from "node:assert/strict";
import postgres from "postgres";
import { queryOne } from "../../lib/database/database.ts";
import { openEmbedded } from "../../lib/database/embedded/embedded.ts";
import { sql } from "../../lib/database/sql.ts";
import { contrastOf, GROUNDS } from "../../lib/config/accent.ts";
import { readConfig } from "../../lib/config/config.ts";
import { runCommand, runHere, runTask } from "../support/command.ts";
import {
  copyMigrated,
  copyStarted,
  createScratchDatabase,
  TEST_DATABASE_URL,
} from "../support/databases.ts";
import { withFolder } from "../support/folder.ts";
import { startRefusingPostgres } from "../support/servers/refusing_postgres.ts";
import { findFreePort } from "../support/server.ts";

const FIXTURE = new URL("../fixtures/fabric.json", import.meta.url).pathname;

/** Runs a command that must exit with status 1 and one line, and returns that line. */
async function fail(words: string[], settings: Record<string, string>): Promise<string> {
  const { code, err } = await (words[0] === "serve" ? runCommand : runHere)(words, settings);
  assertEquals([code, err.split("\n").length], [1, 1], err);
  return err;
}

Deno.test("A server that cannot listen says why, and exits", async () => {
  const folder = await Deno.makeTempDir();
  await copyStarted(folder);
  const other = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  try {
    const PORT = String(other.addr.port);
    const taken = { DATA_DIR: folder, HOST: "127.0.0.1", PORT, ROADMAP_SOURCE: FIXTURE };
    assertEquals(
      await fail(["serve"], taken),
      `Cannot listen on 127.0.0.1:${PORT}: another process is listening there. ` +
        "Stop it, or set PORT to a free port",
    );
    const free = { DATA_DIR: folder, PORT: String(findFreePort()) };
    assertEquals(
      await fail(["serve"], { ...free, HOST: "2001:db8::1" }),
      `Cannot listen on [2001:db8::1]:${free.PORT}: this machine has no such address. ` +
        "Set HOST to one of this machine, or to 0.0.0.0 for all",
    );
    assertEquals(
      (await fail(["serve"], { ...free, HOST: "nowhere.invalid" })).replace(/: failed.*known/, ""),
      `Cannot listen on nowhere.invalid:${free.PORT}. ` +
        "Set HOST to an address of this machine, such as 127.0.0.1 or ::",
    );
  } finally {
    other.close();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test({
  name: "A server on PostgreSQL that cannot listen exits as well",
  ignore: TEST_DATABASE_URL === null,
  async fn() {
    const { url, drop } = await createScratchDatabase();
    using other = Deno.listen({ port: 0, hostname: "127.0.0.1" });
    const PORT = String(other.addr.port);
    const settings = { DATABASE_URL: url, HOST: "127.0.0.1", PORT, ROADMAP_SOURCE: FIXTURE };
    assertEquals(
      await fail(["serve"], settings),
      `Cannot listen on 127.0.0.1:${PORT}: another process is listening there. ` +
        "Stop it, or set PORT to a free port",
    );
    await drop();
  },
});

Deno.test({
  name: "A port that needs more privileges is reported",
  ignore: !await mayLoseRights(),
  async fn() {
    const folder = await Deno.makeTempDir();
    await copyStarted(folder);
    const { code, stderr } = await new Deno.Command("setpriv", {
      args: [
        "--bounding-set=-net_bind_service",
        "--inh-caps=-net_bind_service",
        Deno.execPath(),
        ...["run", "--quiet", "--no-prompt", "--allow-all", "main.ts", "serve"],
      ],
      cwd: new URL("../../", import.meta.url),
      env: { DATA_DIR: folder, DATABASE_URL: "", HOST: "127.0.0.1", PORT: "81", NO_COLOR: "1" },
    }).output();
    assertEquals([code, new TextDecoder().decode(stderr)], [
      1,
      "Cannot listen on 127.0.0.1:81: ports below 1024 need more privileges. Set PORT to a higher one, or give the process CAP_NET_BIND_SERVICE\n",
    ]);
    await Deno.remove(folder, { recursive: true });
  },
});

/** Only root can drop the privilege for a test, and only where low ports need it. */
async function mayLoseRights(): Promise<boolean> {
  const lowest = await Deno.readTextFile("/proc/sys/net/ipv4/ip_unprivileged_port_start")
    .catch(() => "0");
  const has = await new Deno.Command("setpriv", { args: ["--version"] }).output()
    .then(({ success }) => success, () => false);
  return has && Deno.uid() === 0 && Number(lowest) > 81;
}

const REFUSALS = {
  "28P01": {
    message: 'password authentication failed for user "roadcast"',
    advice: "Set its user and password to those of a role that may log in",
  },
  "28000": {
    message: 'no pg_hba.conf entry for host "127.0.0.1", no encryption',
    advice: "Set its user to a role that may log in there, and sslmode=require if it requires TLS",
  },
  "3D000": {
    message: 'database "roadcast" does not exist',
    advice: "Create that database, or set another one",
  },
  "42501": {
    message: 'permission denied for database "roadcast"',
    advice: "Let the role connect to that database, or set another one",
  },
  "XX000": {
    message: "Tenant or user not found",
    advice: "Set DATABASE_URL to a PostgreSQL that accepts it",
  },
};

for (const [code, { message, advice }] of Object.entries(REFUSALS)) {
  Deno.test(`A database that refuses with ${code} is reported in one line`, async () => {
    await using server = startRefusingPostgres({ code, message });
    for (const command of ["migrate", "imports"]) {
      assertEquals(
        await fail([command], { DATABASE_URL: server.url }),
        `The PostgreSQL of DATABASE_URL refuses the connection: ${message}. ${advice}`,
      );
    }
  });
}

Deno.test("A database without TLS, or an unreachable one, is reported in one line", async () => {
  await using server = startRefusingPostgres({ code: "28P01", message: "never said" });
  assertEquals(
    await fail(["migrate"], { DATABASE_URL: `${server.url}?sslmode=require` }),
    "The PostgreSQL of DATABASE_URL does not support TLS: leave sslmode out of DATABASE_URL, or enable TLS there",
  );
  assertEquals(
    await fail(["migrate"], { DATABASE_URL: "postgres://127.0.0.1:1/none" }),
    "The database cannot be reached: connect ECONNREFUSED 127.0.0.1:1. Start the PostgreSQL, or " +
      "set DATABASE_URL to a running one",
  );
});

Deno.test({
  name: "A role without privileges, and a read-only server, are reported in one line",
  ignore: TEST_DATABASE_URL === null,
  async fn() {
    const { url, drop } = await createScratchDatabase();
    const admin = postgres(url, { max: 1, onnotice: () => {} });
    const role = `roadcast_${crypto.randomUUID().slice(0, 8)}`;
    try {
      await admin.unsafe(`create role ${role} login`);
      const weak = new URL(url);
      weak.username = role;
      const advice = "give the role the right to use its schema and to create tables and " +
        "extensions there, or let an administrator create the extension";
      assertEquals(
        await fail(["migrate"], { DATABASE_URL: weak.href }),
        `Cannot migrate the database of DATABASE_URL: permission denied for schema public: ${advice}`,
      );
      await admin.unsafe(`alter database ${new URL(url).pathname.slice(1)}
        set default_transaction_read_only = on`);
      assertEquals(
        await fail(["migrate"], { DATABASE_URL: url }),
        "Cannot migrate the database of DATABASE_URL: cannot execute CREATE TABLE in a read-only " +
          "transaction: set DATABASE_URL to the primary server",
      );
    } finally {
      await admin.unsafe(`set transaction read write; drop owned by ${role}; drop role ${role}`);
      await admin.end();
      await drop();
    }
  },
});

Deno.test("A path works whatever characters it has", async () => {
  const folder = await Deno.makeTempDir();
  const DATA_DIR = `${folder}/a, "b" it's $(touch created) \`touch created\` * ; & é`;
  assertEquals((await runTask(["migrate"], { DATA_DIR })).code, 0);
  const taken = await runTask(["imports"], { DATA_DIR });
  assertEquals(taken, { code: 0, out: "No imports yet", err: "" });
  assertEquals(await runHere(["imports"], { DATA_DIR }), taken);
  const created = [
    ...Deno.readDirSync(folder),
    ...Deno.readDirSync(new URL("../../", import.meta.url)),
  ];
  assertEquals(created.some(({ name }) => name === "created"), false);
  await Deno.remove(folder, { recursive: true });
});

for (
  const [lost, reason] of [
    ["global/pg_control", "PostgreSQL does not start with it"],
    ["pg_wal", "PostgreSQL does not start with it"],
    ["base/5/1259", "PostgreSQL does not start with it"],
    ["PG_VERSION", "PG_VERSION is missing"],
  ]
) {
  Deno.test(`An embedded database without ${lost} stops a start with advice, and stays`, () =>
    withFolder(async (folder) => {
      await copyMigrated(folder);
      const cluster = `${folder}/postgres`;
      await Deno.remove(`${cluster}/${lost}`, { recursive: true });
      const before = await Deno.stat(`${cluster}/base/1`);
      for (const command of ["imports", "serve"]) {
        assertEquals(
          await fail([command], { DATA_DIR: folder, PORT: "0" }),
          `The embedded database in ${folder} is damaged (${reason}): move ${cluster} away, and ` +
            "run `deno task restore FILE` with its latest backup",
        );
      }
      assertEquals((await Deno.stat(`${cluster}/base/1`)).ino, before.ino);
      assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name).sort(), [
        "postgres",
        "roadcast.lock",
      ]);
    }));
}

Deno.test("A missing table file fails a command with one line", () =>
  withFolder(async (folder) => {
    await copyMigrated(folder);
    const database = await openEmbedded(folder);
    const { path } = await queryOne<{ path: string }>(
      database,
      sql`select pg_relation_filepath('import_runs') as path`,
    );
    await database.close();
    await Deno.remove(`${folder}/postgres/${path}`);
    assertEquals(
      await fail(["imports"], { DATA_DIR: folder }),
      `The database is damaged (could not open file "${path}": No such file or directory): ` +
        "restore the latest backup",
    );
  }));

Deno.test({
  name: "Another user's folder is reported in one line, and by the doctor",
  ignore: !await mayLoseRights(),
  fn: () =>
    withFolder(async (folder) => {
      await Deno.chmod(folder, 0o755);
      const DATA_DIR = `${folder}/data`;
      await copyMigrated(DATA_DIR);
      await Deno.chmod(DATA_DIR, 0o700);
      const asNobody = async (settings: Record<string, string>, ...words: string[]) => {
        const { code, stdout, stderr } = await new Deno.Command("setpriv", {
          args: [
            ...["--reuid=nobody", "--regid=nogroup", "--clear-groups", "--inh-caps=-all"],
            Deno.execPath(),
            ...["run", "--quiet", "--no-prompt", "--allow-all", "main.ts", ...words],
          ],
          cwd: new URL("../../", import.meta.url),
          env: { DATABASE_URL: "", PORT: "0", NO_COLOR: "1", HOME: folder, ...settings },
        }).output();
        const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes).trim();
        return { code, out: decode(stdout), err: decode(stderr) };
      };
      const advice = "set DATA_DIR to a writable folder";
      const refusal =
        `Cannot use the embedded database in ${DATA_DIR}: Permission denied; ${advice}`;
      for (const words of [["serve"], ["imports"], ["backup", `${folder}/file`]]) {
        assertEquals(await asNobody({ DATA_DIR }, ...words), { code: 1, out: "", err: refusal });
      }
      await Deno.chmod(DATA_DIR, 0o755); // the folder can be read, its files cannot be written
      match(
        (await asNobody({ DATA_DIR }, "imports")).err,
        /^Cannot use [^\n]+ Permission denied; /,
      );
      const places = { [DATA_DIR]: 0o700, [`${folder}/none`]: null, [`${folder}/empty`]: 0o755 };
      for (const [place, mode] of Object.entries(places)) {
        if (mode !== null) await Deno.mkdir(place, { recursive: true });
        if (mode !== null) await Deno.chmod(place, mode);
        const { code, out } = await asNobody({ DATA_DIR: place }, "doctor");
        assertEquals(code, 1, out);
        match(
          out,
          /^fail +database +Cannot use the embedded database in .*: Permission denied; /m,
        );
        match(out, /^off +disk +/m);
      }
    }),
});

Deno.test("A server whose logo is missing exits with one line", async () => {
  const DATA_DIR = await Deno.makeTempDir();
  await copyMigrated(DATA_DIR);
  const SITE_LOGO = `${DATA_DIR}/none.png`;
  const { code, err } = await runCommand(["serve"], { DATA_DIR, SITE_LOGO, PORT: "0" });
  assertEquals(code, 1);
  match(err, /^SITE_LOGO: \S+ cannot be read: No such file[^\n]*$/);
  await Deno.remove(DATA_DIR, { recursive: true });
});

Deno.test("An accent with too little contrast stops the start and names a valid one", async () => {
  const { code, err } = await runHere(["serve"], { SITE_ACCENT: "ffcc00" });
  assertEquals(code, 78);
  match(
    err,
    /^SITE_ACCENT: #ffcc00 has a contrast of 1\.4:1 to the light background #fbfaf8, and text needs 4\.5:1; #[\da-f]{6} has enough$/,
  );
  // The suggested colour has enough contrast, and so has what the dark theme makes of it.
  const [, suggested] = /; (#\w{6}) /.exec(err)!;
  const { accent } = readConfig({ SITE_ACCENT: suggested });
  assertEquals(accent!.light, suggested);
  assertEquals(contrastOf(accent!.dark, GROUNDS.dark.ground) >= 4.5, true);
  throws(() => readConfig({ SITE_ACCENT: "#fbfaf8" }), /contrast of 1:1/);
});

Deno.test("Wrong settings stop the start with a line each, without secrets", async () => {
  const unit = await Deno.readTextFile(new URL("../../deploy/roadcast.service", import.meta.url));
  match(unit, /^RestartPreventExitStatus=78$/m);
  for (const command of ["serve", "import", "migrate"]) {
    const { code, out, err } = await runHere([command, "x"], {
      PORT: "high",
      ROADMAP_VARIANT: "c",
      DATABASE_URL: "mysql://root:hunter2@localhost/x",
    });
    assertEquals([code, out], [78, ""]);
    assertEquals(err.split("\n"), [
      'PORT takes a port number from 0 to 65535, not "high"',
      'ROADMAP_VARIANT takes a, b or both, not "c"',
      "DATABASE_URL takes the address of a PostgreSQL, such as postgres://user:password@host:5432/name, with /, ?, #, @ and % in the password written as %2F, %3F, %23, %40 and %25, not the value given",
    ]);
  }
});
