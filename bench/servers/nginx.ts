import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { findFreePort } from "./process.ts";

const EXAMPLE = new URL("../../deploy/nginx.conf", import.meta.url);
const PLACES = [...(Deno.env.get("PATH") ?? "").split(":"), "/usr/sbin"];
const START_MS = 30_000;

/** nginx before servers; disposing it ends it. */
export interface Nginx extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readErrorLog(): Promise<string>;
}

/** The path of nginx; null where it is not installed. */
export function findNginx(): string | null {
  return PLACES.map((folder) => `${folder}/nginx`).find(existsSync) ?? null;
}

/** Where a test or benchmark departs from the example. */
export interface NginxOptions {
  readonly port?: number;
  /** The rate of requests, where the example's rates are in the way. */
  readonly rate?: string;
  /** More directives of the `http` block. */
  readonly more?: string;
}

/**
 * Runs the example of deploy/nginx.conf before these servers, in a folder of its own, for the Host
 * 127.0.0.1.
 */
export async function startNginx(
  ports: readonly number[],
  { port = findFreePort(), rate, more = "" }: NginxOptions = {},
): Promise<Nginx> {
  const program = findNginx();
  if (program === null) throw new Error("nginx is not installed (Debian: apt-get install nginx)");
  const folder = await Deno.makeTempDir();
  const example = await Deno.readTextFile(EXAMPLE);
  const config = `daemon off;\n${temporaryPaths(example)}`
    .replaceAll("listen 80", `listen 127.0.0.1:${port}`)
    .replace("server_name roadmap.example.com", "server_name 127.0.0.1")
    .replaceAll(/rate=\d+r\/s/g, (example) => rate === undefined ? example : `rate=${rate}`)
    .replace("http {\n", `http {\n${more}\n`)
    .replace(
      /( +server )127\.0\.0\.1:\d+( .*\n)(?:\1.*\n)*/,
      (_, before, after) => ports.map((port) => `${before}127.0.0.1:${port}${after}`).join(""),
    );
  await Deno.writeTextFile(`${folder}/nginx.conf`, config);
  // The workers of a master that runs as root are another user.
  await Deno.chmod(folder, 0o777);
  const nginx = new Deno.Command(program, {
    args: ["-p", folder, "-c", "nginx.conf", "-e", "error.log"],
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  const url = `http://127.0.0.1:${port}`;
  await waitUntilItAnswers(url);
  return {
    url,
    port,
    readErrorLog: () => Deno.readTextFile(`${folder}/error.log`),
    async [Symbol.asyncDispose]() {
      nginx.kill("SIGQUIT");
      await nginx.status;
      await Deno.remove(folder, { recursive: true });
    },
  };
}

async function waitUntilItAnswers(url: string): Promise<void> {
  const until = performance.now() + START_MS;
  const answers = () =>
    fetch(url).then((response) => response.body?.cancel().then(() => true) ?? true, () => false);
  while (!await answers()) {
    if (performance.now() > until) throw new Error("nginx does not answer");
    await delay(20);
  }
}

/** Where nginx puts bodies by default may not be ours to write. */
function temporaryPaths(config: string): string {
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `  ${name}_temp_path temp_${name};`);
  return config.replace("http {\n", `http {\n${paths.join("\n")}\n`);
}
