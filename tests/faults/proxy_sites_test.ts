import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { findFreePort } from "../../bench/servers/process.ts";
import { findNginx } from "../../bench/servers/nginx.ts";
import { makeItem } from "../support/app.ts";
import { copyMigrated } from "../support/databases.ts";
import { withFolder } from "../support/folder.ts";
import { startServer } from "../support/server.ts";
import { linkOf, startMailServer } from "../support/servers/mail_server.ts";
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
      .replaceAll(/\/etc\/\S*\/(fullchain|privkey)\.pem/g, `${folder}/$1.pem`)
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
    text.replace("roadmap.example.com {", "https://127.0.0.1 {\n\tbind 127.0.0.1")
      .replace("# tls /etc/ssl", "tls /etc/ssl")
      .replaceAll(/\/etc\/ssl\/\S*\/(fullchain|privkey)\.pem/g, `${folder}/$1.pem`)
      .replace("127.0.0.1:8000", `127.0.0.1:${server}`),
};

const SIGNED_IN = (signIn: number, authelia?: string): Site => ({
  ...NGINX,
  file: "deploy/nginx-signed-in.conf",
  adapt: (text, place) => {
    const site = authelia === undefined
      ? text.replaceAll("127.0.0.1:4180", `127.0.0.1:${signIn}`)
      : text.slice(0, text.indexOf("  # oauth2-proxy"))
        .replaceAll("x_auth_request_email", "remote_email") +
        authelia.replaceAll("127.0.0.1:9091", `127.0.0.1:${signIn}`);
    return NGINX.adapt(site, place)
      .replaceAll("/etc/nginx/roadcast-feeds", `${place.folder}/roadcast-feeds`);
  },
});

/** A running site: sends a request to it over TLS. */
type Send = (path: string, init?: RequestInit) => Promise<Response>;

function testSite(
  name: string,
  isInstalled: boolean,
  test: (folder: string) => Promise<void>,
): void {
  // The gate installs both programs.
  Deno.test({ name, ignore: !isInstalled, fn: () => withFolder(test) });
}

/** Runs a server behind a site, which is changed as the documents say. */
async function withSite(
  site: Site,
  folder: string,
  settings: Record<string, string>,
  test: (send: Send, place: Place) => Promise<void>,
): Promise<void> {
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
    ...settings,
  });
  const text = await Deno.readTextFile(new URL(`../../${site.file}`, import.meta.url));
  const place = { folder, server: server.port, http, https };
  await Deno.writeTextFile(join(folder, "site"), site.adapt(text, place));
  // The workers of a master that runs as root are another user.
  await Deno.chmod(folder, 0o777);
  const [program, ...args] = site.command;
  const proxy = new Deno.Command(program!, {
    args: program === NGINX.command[0] ? ["-p", folder, ...args] : args,
    cwd: folder,
    env: { HOME: folder },
    stdout: "null",
    stderr: "null",
  }).spawn();
  using client = Deno.createHttpClient({
    caCerts: [await Deno.readTextFile(join(folder, "fullchain.pem"))],
  });
  const send: Send = (path, init = {}) =>
    fetch(`https://127.0.0.1:${https}${path}`, { redirect: "manual", ...init, client });
  try {
    await waitFor("the proxy", () => statusOf(send("/")).then(() => true, () => false));
    await test(send, place);
  } finally {
    proxy.kill("SIGTERM");
    await proxy.status;
  }
}

async function statusOf(sent: Promise<Response>): Promise<number> {
  const response = await sent;
  await response.body?.cancel();
  return response.status;
}

async function checkSite(send: Send, { http, https }: Place): Promise<void> {
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
  const long = `/api/releases?q=${encodeURIComponent("ж".repeat(1_000))}`;
  assertEquals(await statusOf(send(long)), 200);
  for (const path of PRIVATE) assertEquals([path, await statusOf(send(path))], [path, 404]);
  match(await (await send("/")).text(), new RegExp(`https://127\\.0\\.0\\.1:${https}/`));
}

/** The shell block of the documents with this word, run in a folder. */
async function runBlock(folder: string, word: string, change: (text: string) => string) {
  const text = await readBlock("sh", word);
  const { success, stderr } = await new Deno.Command("sh", {
    args: ["-eu", "-c", change(text)],
    cwd: folder,
    stderr: "piped",
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

async function readBlock(language: string, word: string): Promise<string> {
  const text = await Deno.readTextFile(new URL("../../docs/install.md", import.meta.url));
  const blocks = [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)];
  return blocks.find(([, kind, lines]) => kind === language && lines!.includes(word))![2]!;
}

/** Makes the certificate of the documents, of 127.0.0.1. */
function makeCertificate(folder: string): Promise<void> {
  return runBlock(
    folder,
    "openssl req",
    (text) =>
      text.replaceAll("DNS:roadmap.example.com", "IP:127.0.0.1")
        .replaceAll("roadmap.example.com", "127.0.0.1"),
  );
}

/** Plays oauth2-proxy or Authelia: the cookie `user` is a session. */
function startSignIn(): { port: number } & AsyncDisposable {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { pathname, searchParams } = new URL(request.url);
    const user = /(?:^|; )user=(\w+)/.exec(request.headers.get("cookie") ?? "")?.[1];
    if (pathname === "/oauth2/sign_in") {
      const back = request.headers.get("x-auth-request-redirect");
      return new Response(`Sign in for ${back}`, { status: 403 });
    }
    if (pathname === "/oauth2/auth") {
      if (user === undefined) return new Response("Unauthorized", { status: 401 });
      const groups = searchParams.get("allowed_groups");
      if (groups !== null && !(user === "olga" && groups === "roadcast-operators")) {
        return new Response("Forbidden", { status: 403 });
      }
      const headers = {
        "x-auth-request-user": user,
        "x-auth-request-email": `${user}@example.com`,
      };
      return new Response(null, { status: 202, headers });
    }
    if (pathname === "/api/authz/auth-request") {
      if (user === undefined) return new Response("Unauthorized", { status: 401 });
      const asked = new URL(request.headers.get("x-original-url")!);
      if (/^\/admin(\/|$)/.test(asked.pathname) && user !== "olga") {
        return new Response("Forbidden", { status: 403 });
      }
      const headers = { "remote-user": user, "remote-email": `${user}@example.com` };
      return new Response(null, { headers });
    }
    return new Response("Not found", { status: 404 });
  });
  return {
    port: (server.addr as Deno.NetAddr).port,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

const ANN = { cookie: "user=ann" };
const OLGA = { cookie: "user=olga" };
const PRIVATE = ["/health", "/ready", "/metrics", "/Health", "/health/"];
const FEEDS = ["/rss", "/rss.xml", "/atom.xml", "/feed.json", "/calendar.ics", "/feeds.opml"];
/** Other spellings of addresses that need a sign-in. */
const ODD = [
  "/digest/../changelog",
  "/digest%2f..%2fchangelog",
  "/assets/..%5c..%5cchangelog",
  "/assets/..\\..\\changelog",
  "/assets/%2e%2e/changelog",
  "/changelog/..%2fdigest",
  "/changelog;/rss",
  "//changelog",
  "/rss/../api/releases",
  "/api/import/../releases",
];

/** Readers need a sign-in; feeds, links in emails and scripts go on; operators have a name. */
async function checkSignedIn(
  signIn: { port: number },
  folder: string,
  authelia?: string,
): Promise<void> {
  await using mail = await startMailServer();
  const settings = {
    ADMIN_USER_HEADER: "X-Forwarded-User",
    LINK_ACTION: "confirm",
    SMTP_URL: mail.url,
    MAIL_FROM: "roadmap@example.com",
  };
  await runBlock(
    folder,
    "openssl passwd",
    (text) => text.replaceAll("/etc/nginx", folder).replace("-apr1", "-apr1 a-password"),
  );
  await withSite(SIGNED_IN(signIn.port, authelia), folder, settings, async (send, { server }) => {
    const status = (path: string, headers: Record<string, string> = {}, method = "GET") =>
      statusOf(send(path, { method, headers }));
    const shown = async (path: string, headers: Record<string, string>) =>
      await (await send(path, { headers })).text();
    const sent = await send("/api/import", {
      method: "POST",
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
      body: JSON.stringify([makeItem(1)]),
    });
    assertEquals((await sent.json()).added, 1);

    // Readers.
    const { release_item_id: id } = makeItem(1);
    for (const path of ["/", `/release/${id}`, "/api/releases", "/openapi.json", ...ODD]) {
      const response = await send(path);
      const text = await response.text();
      assertEquals([path, /Feature 1|release_item_id/.test(text)], [path, false]);
      if (!ODD.includes(path)) {
        assertEquals([path, response.status], [path, authelia === undefined ? 403 : 302]);
      }
    }
    const asked = await send("/?status=planned&status=shipped");
    if (authelia === undefined) {
      assertEquals(await asked.text(), "Sign in for /?status=planned&status=shipped");
    } else {
      await asked.body?.cancel();
      match(asked.headers.get("location")!, /^https:\/\/auth\.example\.com\/\?rd=https:\/\/127/);
    }
    match(await shown("/", ANN), /Feature 1/);
    for (const path of PRIVATE) assertEquals([path, await status(path, ANN)], [path, 404]);

    // Feeds and calendars have a password of their own.
    const authorization = `Basic ${btoa("feeds:a-password")}`;
    for (const path of FEEDS) {
      const refused = await send(path);
      await refused.body?.cancel();
      assertEquals([path, refused.status], [path, 401]);
      match(refused.headers.get("www-authenticate")!, /^Basic /);
      assertEquals([path, await status(path, { authorization })], [path, 200]);
      assertEquals([path, await status(path, ANN)], [path, 200]);
    }
    assertEquals(await status("/rss", { authorization: `Basic ${btoa("feeds:wrong")}` }), 401);
    assertEquals(await status("/", { authorization }), authelia === undefined ? 403 : 302);

    // Emails: their links need no sign-in.
    const subscribed = await send("/subscribe", {
      method: "POST",
      headers: ANN,
      body: new URLSearchParams({ email: "ann@example.com" }),
    });
    assertEquals([subscribed.status, /Feature/.test(await subscribed.text())], [202, false]);
    const [first] = await mail.receive(1);
    const verify = linkOf(first!, "/verify-email").replace(/^https:\/\/[^/]+/, "");
    const page = await (await send(verify)).text();
    const token = /name="token" value="([^"]+)"/.exec(page)![1]!;
    const [style] = /\/assets\/[\w.-]+\.css/.exec(page)!;
    assertEquals(await status(style), 200);
    const post = (path: string, fields: Record<string, string>) =>
      send(path, { method: "POST", body: new URLSearchParams(fields) });
    const verified = await (await post("/verify-email", { token })).text();
    const links = [...verified.matchAll(/\/(?:preferences|unsubscribe)\?token=[^"]+/g)];
    const [preferences, unsubscribe] = links.map(([link]) => link);
    assertEquals(await status(preferences!), 200);
    const oneClick = { "List-Unsubscribe": "One-Click" };
    assertEquals(await statusOf(post(unsubscribe!, oneClick)), 200);

    // Operators: a group, a name, and no way to bring one's own.
    const forged = { "x-forwarded-user": "boss@example.com", "x-auth-request-email": "boss@a.b" };
    assertEquals(await status("/admin"), authelia === undefined ? 403 : 302);
    for (const path of ["/admin", "/admin/audit", "/x/../admin", "//admin", "/%61dmin"]) {
      const refused = /^\/\/|%/.test(path) ? 404 : 403;
      assertEquals([path, await status(path, { ...ANN, ...forged })], [path, refused]);
      assertEquals([path, await status(path, forged) !== 200], [path, true]);
    }
    for (const path of ["/admin\\", "/digest\\..\\admin", "/assets/..%2f..%2fadmin", "/admin;"]) {
      const text = await shown(path, { ...ANN, ...forged });
      assertEquals([path, text.includes("Signed in as")], [path, false]);
    }
    match(await shown("/admin", { ...OLGA, ...forged }), /Signed in as olga@example\.com/);
    const added = await send("/admin/tokens", {
      method: "POST",
      headers: { ...OLGA, ...forged, "sec-fetch-site": "same-origin" },
      body: new URLSearchParams({ do: "add", name: "build", sources: "default" }),
    });
    assertEquals([added.status, /rct_|shown/.test(await added.text())], [200, true]);
    const audit = await shown("/admin/audit", OLGA);
    match(audit, /olga@example\.com<\/td><td[^>]*>added a token/);
    assertEquals(audit.includes("boss"), false);
    // Around the proxy anyone of this machine could name a user: HOST=127.0.0.1 keeps others out.
    assertEquals(await statusOf(fetch(`http://127.0.0.1:${server}/admin`)), 403);
  });
}

for (const site of [NGINX, CADDYFILE]) {
  testSite(
    `${site.file} serves one process with TLS by a certificate of one's own`,
    site === NGINX ? findNginx() !== null : CADDY !== undefined,
    (folder) => withSite(site, folder, {}, checkSite),
  );
}

for (const name of ["oauth2-proxy", "Authelia"]) {
  testSite(
    `deploy/nginx-signed-in.conf lets in readers and operators whom ${name} knows`,
    findNginx() !== null,
    async (folder) => {
      await using signIn = startSignIn();
      const block = name === "Authelia" ? await readBlock("nginx", "127.0.0.1:9091") : undefined;
      await checkSignedIn(signIn, folder, block);
    },
  );
}
