import english from "../../messages/en.json" with { type: "json" };
import { type Key, language, say } from "../text/messages.ts";

/**
 * Programs get what is wrong in English. Where a person reads it, the message is found whose English
 * it is, with its parameters.
 */
const known = {
  reason: listKnown("reason."),
  problem: listKnown("problem."),
};

/** The messages of a group, those with fewer parameters first: they say more. */
function listKnown(group: string) {
  return Object.entries(english).filter(([key]) => key.startsWith(group))
    .map(([key, text]) => ({
      key: key as Key,
      names: [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!),
      pattern: new RegExp(`^${text.split(/\{\w+\}/).map(RegExp.escape).join("(.+?)")}$`, "s"),
    }))
    .sort((one, other) => one.names.length - other.names.length);
}

function find(group: keyof typeof known, text: string) {
  for (const { key, names, pattern } of known[group]) {
    const found = pattern.exec(text);
    if (!found) continue;
    const values = Object.fromEntries(names.map((name, place) => {
      const value = found[place + 1]!;
      // A number chooses a plural.
      return [name, /^\d{1,9}$/.test(value) ? Number(value) : value];
    }));
    return { key, values };
  }
  return null;
}

/** A text of a group in the language; null: no message says it. */
function sayFound(group: keyof typeof known, text: string): string | null {
  if (language().tag === "en") return text;
  const found = find(group, text);
  return found && say(found.key, found.values);
}

/** Why a field is wrong, behind its name; `must not be empty`. */
export function sayReason(reason: string): string {
  return sayFound("reason", reason) ?? say("reason.wrong");
}

/** The message whose English is a reason; null: there is none. */
export function keyOfReason(reason: string): Key | null {
  return find("reason", reason)?.key ?? null;
}

/** What is wrong with a request, as a sentence. */
export function sayProblem(message: string): string {
  const words = sayFound("problem", message.replaceAll("`", "")) ?? say("problem.other");
  return /[.?!。؟]$/.test(words) ? words : say("list.sentence", { words });
}
