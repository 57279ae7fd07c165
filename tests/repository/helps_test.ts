import { deepStrictEqual as assertEquals } from "node:assert/strict";
import type { Help } from "../../commands/help.ts";
import { HELPS } from "../../commands/helps.ts";

const OPTION = /--[a-z-]+/g;

Deno.test("The usage of each command names the options that it takes, and which may be repeated", () => {
  for (const [command, help] of Object.entries<Help>(HELPS)) {
    const { usage, words = {} } = help;
    const options = Object.entries(words).filter(([word]) => word.startsWith("--"));
    const namesOf = (texts: readonly string[]) =>
      [...new Set(texts.flatMap((text) => text.match(OPTION) ?? []))].sort();
    assertEquals([command, namesOf([usage])], [
      command,
      namesOf(options.map(([word]) => word)),
    ]);
    const repeatable = options.filter(([, meaning]) => typeof meaning !== "string");
    const shownRepeated = usage.match(/\[--[a-z-]+ (?:…\]|[A-Z:]+\]…)/g) ?? [];
    assertEquals([command, namesOf(shownRepeated)], [
      command,
      namesOf(repeatable.map(([word]) => word)),
    ]);
  }
});
