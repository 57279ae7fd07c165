import { deepStrictEqual as assertEquals, match, rejects } from "node:assert/strict";
import { buildImage, expectSuccess, runIn } from "../support/dockerfile.ts";
import { findFreePort } from "../support/server.ts";
import { waitFor } from "../support/wait_for.ts";

/** The Debian trixie in which `.ci/postgres` runs its server. */
const DEBIAN = Deno.env.get("FAULTS_POSTGRES_FOLDER");
/** The build arguments with which this machine reaches a registry. */
const BUILD_ENV = Object.fromEntries(
  ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "HTTPS_PROXY", "NPM_CONFIG_REGISTRY"]
    .map((name) => [name, Deno.env.get(name)]).filter(([, value]) => value),
);

if (DEBIAN && Deno.uid() === 0) {
  Deno.test("The image builds and serves as its user, using only what it contains", async () => {
    const folder = await Deno.makeTempDir();
    await using stack = new AsyncDisposableStack();
    stack.defer(() => Deno.remove(folder, { recursive: true }));
    const buildEnv = { ...BUILD_ENV, COMMIT: "0123456789abcdef0123456789abcdef01234567" };
    const image = await buildImage(folder, { makeBase, buildEnv });
    const told = await runIn(image, ["deno", "task", "-q", "import", "--version"]).output();
    match(new TextDecoder().decode(told.stdout), /^Roadcast \S+ \(0123456\)\n$/);
    assertEquals(image.user, "roadcast");
    await rejects(expectSuccess(runIn(image, ["touch", "/app/file"])), /Permission denied/);
    await rejects(Deno.stat(`${image.root}/app/tests`), Deno.errors.NotFound);

    const port = String(findFreePort());
    const settings = { PORT: port, HOST: "127.0.0.1" };
    const server = runIn(image, image.command, settings);
    const output = Promise.all([server.stdout.text(), server.stderr.text()]);
    await waitFor("the container", async () => {
      const response = await fetch(`http://127.0.0.1:${port}/health`).catch(() => null);
      await response?.body?.cancel();
      return response?.status === 200;
    }, 120_000);
    await expectSuccess(runIn(image, image.healthCheck, settings));
    await rejects(expectSuccess(runIn(image, image.healthCheck, { PORT: "1" })));
    const page = await fetch(`http://127.0.0.1:${port}/`);
    match(await page.text(), /type="module"/);
    server.kill("SIGTERM");
    assertEquals((await server.status).code, 0);
    const [out, err] = await output;
    assertEquals(/Download|Installing|Built /.test(out + err), false);
  });
}

/** Makes a base image of the Dockerfile (Debian, one with Node and npm) from this machine. */
async function makeBase(root: string, name: string): Promise<void> {
  await runScript(COPY_DEBIAN, [DEBIAN!, root]);
  if (name.startsWith("node:")) await runScript(COPY_NODE, [root]);
  else if (!name.startsWith("debian:trixie-")) throw new Error(`No base image ${name} here`);
}

const COPY_DEBIAN = `
  mkdir -p "$2"
  tar -C "$1" --one-file-system -cf - --exclude=./srv --exclude=./proc --exclude=./sys \
    --exclude=./usr/lib/postgresql --exclude=./usr/share . | tar -C "$2" -xf -
  mkdir -p "$2/proc" "$2/sys" "$2/usr/share"
  cp /etc/resolv.conf /etc/hosts "$2/etc/"
`;
const COPY_NODE = `
  node=$(readlink -f "$(command -v node)") npm=$(readlink -f "$(command -v npm)")
  mkdir -p "$1/usr/local/lib/node_modules" "$1/etc/ssl/certs"
  cp "$node" "$1/usr/local/bin/node"
  cp -r "\${npm%/bin/npm-cli.js}" "$1/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$1/usr/local/bin/npm"
  cp -L /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/certs/"
`;

async function runScript(script: string, words: string[]): Promise<void> {
  const args = ["-euc", script, "sh", ...words];
  const output = { stdout: "piped", stderr: "piped" } as const;
  await expectSuccess(new Deno.Command("/bin/sh", { args, ...output }).spawn());
}
