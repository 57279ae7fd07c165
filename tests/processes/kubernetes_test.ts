import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { SETTING_NAMES } from "../../lib/config/settings.ts";
import { withFolder } from "../support/folder.ts";
import { copyStarted } from "../support/databases.ts";
import { startServer } from "../support/server.ts";

const PROJECT = new URL("../../", import.meta.url);
const TYPES = new URL("tests/node_modules/kubernetes-types/", PROJECT);
const FOLDER = new URL("deploy/kubernetes/", PROJECT);
const TEXT = await Deno.readTextFile(new URL("embedded/roadcast.yaml", FOLDER));

// deno-lint-ignore no-explicit-any
type Manifest = Record<string, any>;

function readManifests(text: string): Manifest[] {
  return parseAllDocuments(text).map((document) => {
    assertEquals([...document.errors, ...document.warnings], []);
    return document.toJS();
  });
}

/** What the types of Kubernetes find wrong: unknown and missing keys, and values of another type. */
async function checkTypes(manifests: readonly Manifest[]): Promise<string> {
  let found = "";
  await withFolder(async (folder) => {
    const lines = manifests.map((manifest, place) => {
      const group = manifest.apiVersion.includes("/")
        ? manifest.apiVersion.replace(".k8s.io", "")
        : `core/${manifest.apiVersion}`;
      const file = new URL(`${group}.d.ts`, TYPES);
      return `import type { ${manifest.kind} as Kind${place} } from "${file}";\n` +
        `export const manifest${place}: Kind${place} = ${JSON.stringify(manifest, null, 2)};\n`;
    });
    const file = join(folder, "manifests.ts");
    await Deno.writeTextFile(file, lines.join(""));
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      // The types import each other without an extension.
      args: ["check", "--quiet", "--no-config", "--unstable-sloppy-imports", file],
      env: { NO_COLOR: "1" },
      stderr: "piped",
    }).output();
    if (code !== 0) found = new TextDecoder().decode(stderr);
  });
  return found;
}

/** The manifests that a folder's `kustomization.yaml` makes. Of JSON Patch (RFC 6902), as there, it applies what has no `-`. */
async function readKustomization(folder: URL): Promise<Manifest[]> {
  const read = (name: string) => Deno.readTextFile(new URL(name, folder));
  const { resources, patches = [] } = parse(await read("kustomization.yaml"));
  const manifests: Manifest[] = [];
  for (const resource of resources) {
    manifests.push(
      ...resource.endsWith(".yaml")
        ? readManifests(await read(resource))
        : await readKustomization(new URL(`${resource}/`, folder)),
    );
  }
  for (const { target, patch } of patches) {
    const patched = manifests.filter(({ kind, metadata }) =>
      kind === target.kind && metadata.name === target.name
    );
    assertEquals(patched.length, 1, `${target.kind} ${target.name}`);
    for (const { op, path, value } of parse(patch)) {
      const keys: string[] = path.slice(1).split("/");
      const last = keys.pop()!;
      const parent = keys.reduce((within, key) => within[key], patched[0]!);
      assertEquals([path, last in parent], [path, op !== "add"]);
      if (op === "remove") delete parent[last];
      else parent[last] = value;
    }
  }
  return manifests;
}

Deno.test("The manifests for Kubernetes have the keys and types of its API", async () => {
  assertEquals(await checkTypes(await readKustomization(new URL("postgresql/", FOLDER))), "");
  assertEquals(await checkTypes(await readKustomization(new URL("embedded/", FOLDER))), "");
  // Of each object only the first mistake is named.
  const wrong = [
    ["containerPort:", "containerPorts:"],
    ["readinessProbe:", "readynessProbe:"],
    ["replicas: 1", 'replicas: "1"'],
  ] as const;
  const found = await checkTypes(
    wrong.flatMap(([right, mistake]) => readManifests(TEXT.replace(right, mistake))),
  );
  match(found, /'"readynessProbe"' does not exist/);
  match(found, /'"containerPorts"' does not exist/);
  match(found, /'string' is not assignable to type 'number'/);
});

Deno.test("The manifests for Kubernetes name each other, and a server runs with them", async () => {
  const manifests = readManifests(TEXT);
  const [secret, service, set, ingress] = ["Secret", "Service", "StatefulSet", "Ingress"]
    .map((kind) => manifests.find((manifest) => manifest.kind === kind)!);
  assertEquals(manifests.length, 4);
  const { template, volumeClaimTemplates, selector } = set!.spec;
  const [container] = template.spec.containers;
  assertEquals(template.metadata.labels, selector.matchLabels);
  assertEquals(service!.spec.selector, selector.matchLabels);
  assertEquals(set!.spec.serviceName, service!.metadata.name);
  assertEquals(container.envFrom[0].secretRef.name, secret!.metadata.name);
  const [claim] = volumeClaimTemplates;
  assertEquals(container.volumeMounts, [{ name: claim.metadata.name, mountPath: "/data" }]);
  const [port] = container.ports;
  assertEquals(service!.spec.ports[0].targetPort, port.name);
  const [rule] = ingress!.spec.rules;
  const { backend } = rule.http.paths[0];
  assertEquals(backend.service, { name: service!.metadata.name, port: { name: port.name } });
  const { version } = JSON.parse(await Deno.readTextFile(new URL("deno.json", PROJECT)));
  assertEquals(container.image.split(":").at(-1), version);

  const settings: Record<string, string> = {
    ...secret!.stringData,
    ...Object.fromEntries(container.env.map(({ name, value }: Manifest) => [name, value])),
  };
  const unknown = Object.keys(settings).filter((name) =>
    !(SETTING_NAMES as readonly string[]).includes(name)
  );
  assertEquals(unknown, []);
  assertEquals(settings.PORT, String(port.containerPort));
  assertEquals(new URL(settings.BASE_URL!).host, rule.host);
  const dockerfile = await Deno.readTextFile(new URL("Dockerfile", PROJECT));
  match(dockerfile, new RegExp(`--uid ${template.spec.securityContext.runAsUser} `));
  match(dockerfile, /DATA_DIR=\/data /);

  await withFolder(async (folder) => {
    const { PORT: _port, ...others } = settings;
    const DATA_DIR = join(folder, "data");
    await copyStarted(DATA_DIR);
    await using server = await startServer({ ...others, DATA_DIR });
    for (const probe of ["startupProbe", "livenessProbe", "readinessProbe"]) {
      const { path } = container[probe].httpGet;
      assertEquals(container[probe].httpGet.port, port.name);
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
      await response.body?.cancel();
      assertEquals([path, response.status], [path, 200]);
    }
  });
});

Deno.test("Two replicas on Kubernetes share a PostgreSQL, and nothing on a disk", async () => {
  const manifests = await readKustomization(new URL("postgresql/", FOLDER));
  const [secret, set, budget] = ["Secret", "StatefulSet", "PodDisruptionBudget"]
    .map((kind) => manifests.find((manifest) => manifest.kind === kind)!);
  const { replicas, template, volumeClaimTemplates } = set!.spec;
  const [container] = template.spec.containers;
  assertEquals([replicas, volumeClaimTemplates, container.volumeMounts], [2, undefined, undefined]);
  assertEquals(new URL(secret!.stringData.DATABASE_URL).protocol, "postgres:");
  assertEquals(budget!.spec.selector.matchLabels, template.metadata.labels);
});
