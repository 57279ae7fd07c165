/** How the real server words its changes, and why its words may differ from ours. */

/** The real server's labels, and what we call the same field. */
export const LABELS: readonly [theirs: RegExp, ours: string][] = [
  [/^Added to roadmap$/, "Roadmap Item Added"],
  [/^Description updated$/, "Feature Description "],
  [/^Name /, "Feature Name "],
  [/^Workload /, "Product Name "],
];

/** The real server keeps the first of two changes on a day; its own /api/releases has the second. */
export const FIRST_OF_TWO =
  "field of an entry: theirs is as the first of two changes that day left it, ours as its own /api/releases says";
export const LATER_SNAPSHOT =
  "field of an entry: ours is as the snapshot says, its own /api/releases was not captured (caveat 2)";
export const FIRST_OF_TWO_WORDS = "second change of one day, which theirs drops";

export const FIELD_LABELS: Readonly<Record<string, string>> = {
  feature_name: "Feature Name",
  product_name: "Product Name",
  release_type: "Release Type",
  release_status: "Release Status",
  release_date: "Release Date",
};

export function matchesLabel(theirs: string, ours: string): boolean {
  const [, label] = LABELS.find(([pattern]) => pattern.test(theirs)) ?? [];
  return label ? ours.startsWith(label) : theirs.split(" ", 2).join() === ours.split(" ", 2).join();
}

export function explainWords(words: string, ours: string[]): string {
  if (/^Semester /.test(words)) return "Semester: a field that items do not have";
  if (ours.includes("Roadmap Item Added")) {
    return "the item entered the captured window that day, so that its change is unknown (caveat 1)";
  }
  if (ours.length === 0) {
    return "the day is a changelog's, the fields are older captures, so that nothing differed (caveat 2)";
  }
  if (/^Release Date /.test(words)) {
    const own = ours.find((text) => text.startsWith("Release Date "));
    return own
      ? "a date inside a quarter: the source says the quarter only, stored as its last day"
      : "a date moved inside its quarter, which the source does not show";
  }
  return "UNEXPLAINED description of theirs";
}

export function explainOwnWords(own: string, theirs: string[]): string {
  if (own === "Roadmap Item Added") return "entered the captured window that day (caveat 1)";
  if (/^Blog /.test(own)) return "blog fields: theirs are not in its changelog";
  if (/^Product Id /.test(own)) return "product_id: theirs is not in its changelog";
  if (theirs.some((words) => words.startsWith(own.split(" ").slice(0, 2).join(" ")))) {
    return "the same field, with the last day of its quarter for a date";
  }
  return "UNEXPLAINED description of ours";
}
