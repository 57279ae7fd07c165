import { VERSION } from "../version.ts";

const CHANGELOG = new URL("../../CHANGELOG.md", import.meta.url);

/** What the changelog says of upgrading to this version, as paragraphs; empty: nothing. */
export async function readUpgradeNotes(): Promise<string[]> {
  const text = await Deno.readTextFile(CHANGELOG).catch(() => "");
  return findUpgradeNotes(text, VERSION);
}

/**
 * The paragraphs between the heading of a version and its first list.
 *
 * ```ts
 * const text = "# Changelog\n\n## 2.0.0\n\nWhen you upgrade:\nback up.\n\n### Added\n\n- A\n";
 * if (findUpgradeNotes(text, "2.0.0")[0] !== "When you upgrade: back up.") throw new Error();
 * if (findUpgradeNotes(text, "1.0.0").length > 0) throw new Error();
 * ```
 */
export function findUpgradeNotes(changelog: string, version: string): string[] {
  const section = changelog.split(/^## /m).find((part) =>
    part.startsWith(`${version} `) || part.startsWith(`${version}\n`)
  );
  const [, ...paragraphs] = (section ?? "").split(/^(?:###|- )/m)[0]!.split(/\n\n+/);
  return paragraphs.map((paragraph) => paragraph.trim().replaceAll("\n", " "))
    .filter((paragraph) => paragraph !== "");
}
