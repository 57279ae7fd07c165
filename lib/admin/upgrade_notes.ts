import { VERSION } from "../version.ts";

const CHANGELOG = new URL("../../CHANGELOG.md", import.meta.url);

/** What the changelog says of upgrading to this version, as paragraphs; empty: nothing. */
export async function readUpgradeNotes(): Promise<string[]> {
  const text = await Deno.readTextFile(CHANGELOG).catch(() => "");
  return findUpgradeNotes(text, VERSION);
}

/**
 * The paragraphs and items of the section "Before an upgrade" of a version.
 *
 * ```ts
 * const text = "# Changelog\n\n## 2.0.0\n\n### Before an upgrade\n\n- Back\n  up.\n- Stop.\n\n### Added\n\n- A\n";
 * const notes = findUpgradeNotes(text, "2.0.0");
 * if (notes.join("|") !== "Back up.|Stop.") throw new Error(notes.join("|"));
 * if (findUpgradeNotes(text, "1.0.0").length > 0) throw new Error();
 * ```
 */
export function findUpgradeNotes(changelog: string, version: string): string[] {
  const ofVersion =
    changelog.split(/^## /m).find((part) =>
      part.startsWith(`${version} `) || part.startsWith(`${version}\n`)
    ) ?? "";
  const [, section = ""] = ofVersion.split(/^### Before an upgrade$/m);
  return section.split(/^### /m)[0]!.split(/\n\n+|^- /m)
    .map((note) => note.split("\n").map((line) => line.trim()).join(" ").trim())
    .filter((note) => note !== "");
}
