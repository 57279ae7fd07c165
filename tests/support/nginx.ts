import { findFreePort } from "./server.ts";
import { waitFor } from "./wait_for.ts";

const NGINX = "/usr/sbin/nginx";
const EXAMPLE = new URL("../../deploy/nginx.conf", import.meta.url);

/** Tells whether nginx is installed. */
export function hasNginx(): boolean {
  try {
    return Deno.statSync(NGINX).isFile;
  } catch {
    return false;
  }
}

/**
 * Runs the example of deploy/nginx.conf before two servers, in a folder of its own, for the Host
 * 127.0.0.1; with another rate of requests where the example's is in the way.
 */
export async function startNginx(
  ports: readonly [number, number],
  { rate = "20r/s" }: { rate?: string } = {},
): Promise<{ url: string; port: number } & AsyncDisposable> {
  const port = findFreePort();
  const folder = await Deno.makeTempDir();
  const example = await Deno.readTextFile(EXAMPLE);
  const config = `daemon off;\n${temporaryPaths(example)}`
    .replaceAll("listen 80", `listen 127.0.0.1:${port}`)
    .replace("server_name roadmap.example.com", "server_name 127.0.0.1")
    .replace("rate=20r/s", `rate=${rate}`)
    .replace("127.0.0.1:8001", `127.0.0.1:${ports[0]}`)
    .replace("127.0.0.1:8002", `127.0.0.1:${ports[1]}`);
  await Deno.writeTextFile(`${folder}/nginx.conf`, config);
  // The workers of a master that runs as root are another user.
  await Deno.chmod(folder, 0o777);
  const nginx = new Deno.Command(NGINX, {
    args: ["-p", folder, "-c", "nginx.conf", "-e", "error.log"],
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  const url = `http://127.0.0.1:${port}`;
  await waitFor(
    "nginx",
    () =>
      fetch(url).then((response) => response.body?.cancel().then(() => true) ?? true, () => false),
  );
  return {
    url,
    port,
    async [Symbol.asyncDispose]() {
      nginx.kill("SIGQUIT");
      await nginx.status;
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Where nginx puts bodies by default may not be ours to write. */
function temporaryPaths(config: string): string {
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `  ${name}_temp_path temp_${name};`);
  return config.replace("http {\n", `http {\n${paths.join("\n")}\n`);
}
