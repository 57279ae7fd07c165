import { countOf, toLine } from "../text/phrases.ts";

/** What is said of a reading besides its releases, as its import stores it; null: nothing. */
export interface Remarks {
  /** How many characters or escapes of the source were repaired. */
  repaired: number | null;
  /** How many rows were left out, by the reason. */
  left_out: Readonly<Record<string, number>> | null;
  /** What is to be said of its table, each a sentence without its full stop. */
  notes: readonly string[] | null;
}

/** The same in the JSON of an import and of a preview, which lacks what there is nothing of. */
export interface RemarksInJson {
  left_out?: number;
  /** By the reason. */
  left_out_because?: Readonly<Record<string, number>>;
  repaired?: number;
  notes?: readonly string[];
}

/** Remarks without what is none: no repairs, reasons that left nothing out, no notes. */
export function toRemarks(
  { repaired, leftOut, notes }: {
    repaired: number;
    leftOut: Readonly<Record<string, number>>;
    notes: readonly string[];
  },
): Remarks {
  const counted = Object.entries(leftOut).filter(([, count]) => count > 0);
  return {
    repaired: repaired || null,
    left_out: counted.length > 0 ? Object.fromEntries(counted) : null,
    notes: notes.length > 0 ? notes : null,
  };
}

/** Remarks as the JSON of an import and of a preview has them. */
export function remarksInJson({ repaired, left_out: because, notes }: Remarks): RemarksInJson {
  return {
    ...because && {
      left_out: Object.values(because).reduce((sum, count) => sum + count, 0),
      left_out_because: because,
    },
    ...repaired && { repaired },
    ...notes && { notes },
  };
}

/** What an import did besides: `, 2 left out (1 archived, 1 private)`; empty: nothing. */
export function describeBesides({ left_out, left_out_because, repaired }: RemarksInJson): string {
  const left = left_out ? `, ${left_out} left out (${listReasons(left_out_because!)})` : "";
  return left + (repaired ? `, ${countOf(repaired, "place")} of its JSON repaired` : "");
}

/** How many rows were left out for each reason: `3 archived, 1 confidential`. */
export function listReasons(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts).map(([reason, count]) => `${count} ${reason}`).join(", ");
}

/** What is to be said of a table, a line each. */
export function listNotes(notes: readonly string[] | null | undefined): string[] {
  return (notes ?? []).map(toLine);
}
