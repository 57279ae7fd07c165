import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { runTask } from "./command.ts";

const PROJECT = fileURLToPath(new URL("../../", import.meta.url));
/** Build output, server data, and files that no task reads. */
const LEFT_OUT = ["dist", "data", "node_modules", ".git", ".env", "docs"];

/** A copy of this project, in which a test may build and change files. */
export interface ProjectCopy extends AsyncDisposable {
  /** Ends with a slash. */
  readonly url: URL;
}

/** Copies the project and installs its packages from Deno's cache. */
export async function copyProject(): Promise<ProjectCopy> {
  const folder = await Deno.makeTempDir();
  for await (const { name } of Deno.readDir(PROJECT)) {
    if (!LEFT_OUT.includes(name)) await copy(join(PROJECT, name), join(folder, name));
  }
  const url = pathToFileURL(`${folder}/`);
  const { code, err } = await runTask(["install"], {}, url);
  if (code !== 0) throw new Error(err);
  return { url, [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }) };
}

async function copy(from: string, to: string): Promise<void> {
  if (!(await Deno.stat(from)).isDirectory) return await Deno.copyFile(from, to);
  await Deno.mkdir(to);
  for await (const { name } of Deno.readDir(from)) {
    if (name !== "node_modules") await copy(join(from, name), join(to, name));
  }
}
