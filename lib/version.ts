import settings from "../deno.json" with { type: "json" };

const PROJECT = new URL("../", import.meta.url);
const SHOWN_DIGITS = 7;

/** The version of Roadcast that this is. */
export const VERSION: string = settings.version;

/** The commit that this is made of, in seven digits: of a package, an image or a clone; else null. */
export function readCommit(): string | null {
  const commit = readText("dist/commit") ?? readHead();
  return commit && /^[0-9a-f]{7,}$/.test(commit) ? commit.slice(0, SHOWN_DIGITS) : null;
}

/** The commit of a clone, as git keeps it (gitrepository-layout). */
function readHead(): string | null {
  const head = readText(".git/HEAD");
  const branch = head && /^ref: (.+)$/.exec(head)?.[1];
  if (!branch) return head;
  const packed = readText(".git/packed-refs")?.split("\n")
    .find((line) => line.endsWith(` ${branch}`))?.split(" ")[0];
  return readText(`.git/${branch}`) ?? packed ?? null;
}

function readText(path: string): string | null {
  try {
    return Deno.readTextFileSync(new URL(path, PROJECT)).trim();
  } catch {
    return null;
  }
}
