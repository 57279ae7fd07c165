/** The value of an attribute in a tag, with its entities; undefined: it has none. */
export function attribute(tag: string, name: string): string | undefined {
  return new RegExp(`\\s${name}\\s*=\\s*(["'])(.*?)\\1`, "s").exec(tag)?.[2];
}

/** `A` is 1, `Z` is 26, `AA` is 27. */
export function columnNumber(letters: string): number {
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
}

/** A range of merged cells; its numbers begin at 0, and its ends are behind it. */
export interface Merged {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/** The merged cells of a sheet. */
export function listMerged(sheet: string): Merged[] {
  return [...sheet.matchAll(/<(?:\w+:)?mergeCell\s[^<>]*>/g)].flatMap(([tag]) => {
    const found = /^\$?([A-Z]+)\$?(\d+):\$?([A-Z]+)\$?(\d+)$/.exec(attribute(tag, "ref") ?? "");
    if (found === null) return [];
    const [, left, top, right, bottom] = found;
    return [{
      top: Number(top) - 1,
      left: columnNumber(left!) - 1,
      bottom: Number(bottom),
      right: columnNumber(right!),
    }];
  });
}

/** What of a sheet people do not see; its numbers begin at 0. */
export interface Hidden {
  readonly rows: ReadonlySet<number>;
  isColumn(at: number): boolean;
}

/** The rows and columns that are hidden, those that a filter hides included (18.3.1.13, 18.3.1.73). */
export function findHidden(sheet: string): Hidden {
  const rows = new Set<number>();
  let at = -1;
  for (const [tag] of sheet.matchAll(/<(?:\w+:)?row(?:\s[^<>]*)?>/g)) {
    at = Number(attribute(tag, "r") ?? at + 2) - 1;
    if (isOn(attribute(tag, "hidden"))) rows.add(at);
  }
  const columns = [...sheet.matchAll(/<(?:\w+:)?col\s[^<>]*>/g)].map(([tag]) => tag)
    .filter((tag) => isOn(attribute(tag, "hidden")))
    .map((tag) => [Number(attribute(tag, "min")), Number(attribute(tag, "max"))] as const);
  return {
    rows,
    isColumn: (at) => columns.some(([first, last]) => at + 1 >= first && at + 1 <= last),
  };
}

function isOn(value: string | undefined): boolean {
  return value === "1" || value === "true";
}
