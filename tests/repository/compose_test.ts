import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { parse } from "yaml";
import { readConfig } from "../../lib/config/config.ts";
import { SETTING_NAMES } from "../../lib/config/settings.ts";

const PROJECT = new URL("../../", import.meta.url);
const DOCKERFILE = await Deno.readTextFile(new URL("Dockerfile", PROJECT));
const FILES = ["compose.yaml", "compose.embedded.yaml"] as const;

// deno-lint-ignore no-explicit-any
type Compose = Record<string, any>;

async function readCompose(file: string): Promise<Compose> {
  return parse(await Deno.readTextFile(new URL(file, PROJECT)), {
    strict: true,
  });
}

for (const file of FILES) {
  Deno.test(`${file} starts Roadcast with settings that it knows, on a port that it publishes`, async () => {
    const { services, volumes } = await readCompose(file);
    const { build, command, environment, ports, volumes: mounts = [] } = services.roadcast;
    assertEquals(build, ".");
    // Its secrets are what `.env` says.
    const settings = Object.fromEntries(
      Object.entries<string>(environment).map(([name, value]) => [
        name,
        value.replace("${POSTGRES_PASSWORD}", "0a1b"),
      ]),
    );
    assertEquals(
      Object.keys(settings).filter((name) => !(SETTING_NAMES as readonly string[]).includes(name)),
      [],
    );
    readConfig(settings);
    assertEquals(ports, [`127.0.0.1:${settings.PORT}:${settings.PORT}`]);
    if (command !== undefined) {
      assertEquals(command.slice(0, 3), ["deno", "task", "start"]);
    }
    for (const mount of mounts) {
      const [volume, folder] = mount.split(":");
      assertEquals([volume in volumes, folder], [true, settings.DATA_DIR]);
      match(DOCKERFILE, new RegExp(`^VOLUME ${folder}$`, "m"));
    }
  });
}

Deno.test("compose.yaml connects Roadcast to the database beside it, once that answers", async () => {
  const { services, volumes } = await readCompose("compose.yaml");
  const { database, roadcast } = services;
  const { environment, healthcheck, volumes: [mount], image } = database;
  const { POSTGRES_USER: user, POSTGRES_DB: name } = environment;
  assertEquals(
    roadcast.environment.DATABASE_URL,
    `postgres://${user}:\${POSTGRES_PASSWORD}@database:5432/${name}`,
  );
  assertEquals(roadcast.depends_on, {
    database: { condition: "service_healthy" },
  });
  match(
    healthcheck.test[1],
    new RegExp(`--username ${user} --dbname ${name}$`),
  );
  assertEquals(mount.split(":")[0] in volumes, true);
  match(image, /^pgvector\/pgvector:0\.\d+\.\d+-pg17$/);
  match(environment.POSTGRES_PASSWORD, /^\$\{POSTGRES_PASSWORD:\?/);
});
