import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { findFreePort } from "../../bench/servers/process.ts";
import { findNginx } from "../../bench/servers/nginx.ts";
import { makeItem } from "../support/app.ts";
import { copyMigrated } from "../support/databases.ts";
import { withFolder } from "../support/folder.ts";
import { startServer } from "../support/server.ts";
import { waitFor } from "../support/wait_for.ts";

const TOKEN = "a-token-of-the-operator-0123456789";
const CADDY = ["/usr/bin/caddy", "/usr/local/bin/caddy"].find((path) => existsSync(path));

/** What the documents give people to copy, changed as they have to change it. */
interface Site {
  readonly file: string;
  /** The program, and its arguments for the file `site` in its folder. */
  readonly command: readonly string[];
  adapt(text: string, place: Place): string;
}

interface Place {
  readonly folder: string;
  readonly server: number;
  readonly http: number;
  readonly https: number;
}

const NGINX: Site = {
  file: "deploy/nginx-site.conf",
  command: [findNginx() ?? "nginx", "-c", "site", "-e", "stderr"],
  adapt: (text, { folder, server, http, https }) => {
    const site = text.replaceAll(/.*\[::\].*\n/g, "")
      .replace("listen 80", `listen 127.0.0.1:${http}`)
      .replace("listen 443", `listen 127.0.0.1:${https}`)
      .replaceAll("server_name roadmap.example.com", "server_name 127.0.0.1")
      .replace("$host$request_uri", `$host:${https}$request_uri`)
      .replaceAll(/\/etc\/letsencrypt\S*\/(fullchain|privkey)\.pem/g, `${folder}/$1.pem`)
      .replaceAll("127.0.0.1:8000", `127.0.0.1:${server}`);
    const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map((name) => `${name}_temp_path ${folder}/${name};`).join("\n");
    return `daemon off;\npid ${folder}/pid;\nevents {}\nhttp {\naccess_log off;\n${places}\n${site}}\n`;
  },
};

const CADDYFILE: Site = {
  file: "deploy/Caddyfile",
  command: [CADDY ?? "caddy", "run", "--adapter", "caddyfile", "--config", "site"],
  adapt: (text, { folder, server, http, https }) =>
    `{\n\tadmin off\n\thttp_port ${http}\n\thttps_port ${https}\n}\n` +
    text.replace(
      "roadmap.example.com {",
      `https://127.0.0.1 {\n\tbind 127.0.0.1\n\ttls ${folder}/fullchain.pem ${folder}/privkey.pem`,
    ).replace("127.0.0.1:8000", `127.0.0.1:${server}`),
};

function testSite(site: Site, isInstalled: boolean): void {
  Deno.test({
    name: `${site.file} serves one process with TLS`,
    ignore: !isInstalled, // the gate installs both programs
    fn: () => withFolder((folder) => checkSite(site, folder)),
  });
}

async function checkSite(site: Site, folder: string): Promise<void> {
  await makeCertificate(folder);
  const [http, https] = [findFreePort(), findFreePort()];
  const DATA_DIR = join(folder, "data");
  await copyMigrated(DATA_DIR);
  await using server = await startServer({
    DATA_DIR,
    HOST: "127.0.0.1",
    TRUSTED_PROXIES: "1",
    BASE_URL: `https://127.0.0.1:${https}`,
    ADMIN_TOKEN: TOKEN,
  });
  const text = await Deno.readTextFile(new URL(`../../${site.file}`, import.meta.url));
  const place = { folder, server: server.port, http, https };
  await Deno.writeTextFile(join(folder, "site"), site.adapt(text, place));
  // The workers of a master that runs as root are another user.
  await Deno.chmod(folder, 0o777);
  const [program, ...args] = site.command;
  const proxy = new Deno.Command(program!, {
    args: site === NGINX ? ["-p", folder, ...args] : args,
    cwd: folder,
    env: { HOME: folder },
    stdout: "null",
    stderr: "null",
  }).spawn();
  using client = Deno.createHttpClient({
    caCerts: [await Deno.readTextFile(join(folder, "fullchain.pem"))],
  });
  const send = (path: string, init: RequestInit = {}) =>
    fetch(`https://127.0.0.1:${https}${path}`, { ...init, client });
  const statusOf = async (path: string) => {
    const response = await send(path);
    await response.body?.cancel();
    return response.status;
  };
  try {
    await waitFor("the proxy", () => statusOf("/").then(() => true, () => false));
    const plain = await fetch(`http://127.0.0.1:${http}/changelog?kind=shipped`, {
      redirect: "manual",
    });
    await plain.body?.cancel();
    assertEquals([301, 308].includes(plain.status), true);
    match(plain.headers.get("location")!, /^https:\/\/127\.0\.0\.1.*\/changelog\?kind=shipped$/);
    const snapshot = JSON.stringify([
      makeItem(1, { feature_description: "word ".repeat(400_000).slice(0, 20_000) }),
      ...Array.from(
        { length: 100 },
        (_, at) => makeItem(at + 2, { feature_description: "x ".repeat(9_000) }),
      ),
    ]);
    const sent = await send("/api/import", {
      method: "POST",
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
      body: snapshot,
    });
    assertEquals((await sent.json()).added, 101);
    const { links } = await (await send("/api/releases?page_size=1")).json();
    match(links.next, /page=2/);
    assertEquals(await statusOf(`/api/releases?q=${encodeURIComponent("ж".repeat(1_000))}`), 200);
    for (const path of ["/health", "/ready", "/metrics", "/Health", "/health/"]) {
      assertEquals([path, await statusOf(path)], [path, 404]);
    }
    const page = await (await send("/")).text();
    match(page, new RegExp(`https://127\\.0\\.0\\.1:${https}/`));
  } finally {
    proxy.kill("SIGTERM");
    await proxy.status;
  }
}

/** Makes a certificate of 127.0.0.1 that it signs itself. */
async function makeCertificate(folder: string): Promise<void> {
  const { success, stderr } = await new Deno.Command("openssl", {
    args: [
      ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"],
      ...[
        "-addext",
        "subjectAltName=IP:127.0.0.1",
        "-addext",
        "basicConstraints=critical,CA:FALSE",
      ],
      ...["-keyout", join(folder, "privkey.pem"), "-out", join(folder, "fullchain.pem")],
    ],
    stderr: "piped",
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

testSite(NGINX, findNginx() !== null);
testSite(CADDYFILE, CADDY !== undefined);
