import { findJsonMistake } from "./parse_json.ts";

/** JSON with its repairs, and how many characters or escapes were repaired. */
export interface RepairedJson {
  text: string;
  repaired: number;
}

/** JSON of which more than one reading is possible, or none. */
export class BrokenJson extends Error {
  constructor(readonly line: number, readonly excerpt: string) {
    super(`it is not valid JSON, and cannot be repaired, in line ${line}: ${excerpt}`);
  }
}

/** What follows a name, and what follows a text: the next name, the next object, or the end. */
const AFTER_NAME = /\s*:/y;
const AFTER_TEXT = /\s*(?:,\s*"\w+"\s*:|\}\s*(?:,\s*[{"]|[\]}]|$)|,\s*\{|\])/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-f]{4})/iy;

/**
 * Repairs what a text template breaks in JSON: control characters, wrong escapes, and quotation
 * marks inside texts. Valid JSON stays as it is. jsonrepair 3.15 does not fit: it completes a
 * truncated document, whose other items would be removed, reads `""a""` as fields, refuses control
 * characters, and counts nothing.
 *
 * @throws {BrokenJson} if something else is wrong, or there is more than one way to read it
 */
export function repairJson(text: string): RepairedJson {
  if (isValid(text)) return { text, repaired: 0 };
  const repair = new Repair(text);
  const fixed = repair.run();
  if (!isValid(fixed)) throw repair.refuse(repair.originOf(findJsonMistake(fixed).at));
  return { text: fixed, repaired: repair.places.length };
}

function isValid(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

class Repair {
  /** Where the result has something else, and how many characters more it has there. */
  readonly places: { at: number; more: number }[] = [];
  #parts: string[] = [];
  #length = 0;
  #at = 0;
  /** The last character outside texts that is no white space. */
  #last = "";

  constructor(private readonly text: string) {}

  run(): string {
    while (this.#at < this.text.length) {
      const character = this.text[this.#at]!;
      if (character === '"') this.#readText();
      else {
        if (character.trim() !== "") this.#last = character;
        this.#take(1, character);
      }
    }
    return this.#parts.join("");
  }

  originOf(position: number): number {
    const before = this.places.filter(({ at }) => at < position);
    return position - before.reduce((sum, { more }) => sum + more, 0);
  }

  refuse(index: number): BrokenJson {
    const line = this.text.slice(0, index).split("\n").length;
    const excerpt = this.text.slice(Math.max(0, index - 20), index + 40);
    return new BrokenJson(line, JSON.stringify(excerpt));
  }

  #readText(): void {
    const start = this.#at;
    const after = this.#last === ":" ? AFTER_TEXT : AFTER_NAME;
    this.#last = '"';
    this.#take(1, '"');
    while (this.#at < this.text.length) {
      const character = this.text[this.#at]!;
      if (character === '"') {
        if (this.#readQuotationMarks(after)) return;
      } else if (character === "\\") this.#readEscape();
      else if (character < " ") this.#replace(1, JSON.stringify(character).slice(1, -1));
      else this.#take(1, character);
    }
    throw this.refuse(start);
  }

  /** A Markdown escape such as `\_` means its character; before a letter, a backslash is one. */
  #readEscape(): void {
    const [escape] = this.#match(ESCAPE, this.#at) ?? [];
    if (escape) return this.#take(escape.length, escape);
    const isMarkdown = /[!-/:-@[-`{-~]/.test(this.text[this.#at + 1] ?? "");
    this.#replace(1, isMarkdown ? "" : "\\\\");
  }

  /** Whether they end the text; those inside are doubled (`""preview""`), or single. */
  #readQuotationMarks(after: RegExp): boolean {
    const [marks] = this.#match(/"+/y, this.#at)!;
    const isEnd = this.#match(after, this.#at + marks.length) !== null;
    const inside = isEnd ? marks.length - 1 : marks.length;
    // `"hi""}` may end with a quotation mark, or go on behind a doubled one.
    if (inside > 1 && inside % 2 === 1 || isEnd && inside === 1) throw this.refuse(this.#at);
    for (let pair = 0; pair < inside; pair += 2) this.#replace(Math.min(2, inside), '\\"');
    if (isEnd) this.#take(1, '"');
    return isEnd;
  }

  #match(pattern: RegExp, at: number): RegExpExecArray | null {
    pattern.lastIndex = at;
    return pattern.exec(this.text);
  }

  #replace(count: number, by: string): void {
    this.places.push({ at: this.#length, more: by.length - count });
    this.#take(count, by);
  }

  #take(count: number, as: string): void {
    this.#parts.push(as);
    this.#length += as.length;
    this.#at += count;
  }
}
