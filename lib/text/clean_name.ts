import { decodeEntities } from "./decode_entities.ts";
import { toLine } from "./to_line.ts";

/**
 * The name of a release as people read it. What programs get is the name as the source has it.
 *
 * ```ts
 * if (cleanName(" R&amp;D\u202e\n") !== "R&D") throw new Error();
 * ```
 */
export function cleanName(name: string): string {
  return toLine(decodeEntities(name));
}
