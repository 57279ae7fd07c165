/** How far along a release is, as titles of posts state it. */
export type Phase = "preview" | "general";

const GENERAL = /\bgenerally available\b|\bgeneral availability\b|\bGA\b/gi;
const PREVIEW = /\b(?:(?:public|private) )?preview\b/gi;
/** In parentheses or brackets, where other words of a name cannot be meant. */
const STATED = /[([]([^()[\]]*)[)\]]/g;

/**
 * The phase that a title or a type states; null: none, or both.
 *
 * ```ts
 * const phases = ["Data preview (Generally Available)", "Graph (Preview)", "GA of X", "Graph"].map(phaseOf);
 * if (phases.join() !== "general,preview,general,") throw new Error(phases.join());
 * ```
 */
export function phaseOf(text: string): Phase | null {
  const stated = [...text.matchAll(STATED)].map(([, inside]) => onlyPhase(inside!));
  return stated.find((phase) => phase !== null) ?? onlyPhase(text);
}

function onlyPhase(text: string): Phase | null {
  const isGeneral = text.search(GENERAL) !== -1;
  if (isGeneral === (text.search(PREVIEW) !== -1)) return null;
  return isGeneral ? "general" : "preview";
}

/** A title without its phase. */
export function withoutPhase(title: string): string {
  return title.replace(GENERAL, " ").replace(PREVIEW, " ");
}
