/** A term of a question as it is searched: words that stand together, mostly only one. */
export interface Term {
  words: readonly WordForms[];
  /** The rarer, the more. */
  weight: number;
}

/** A word in all the forms that count as it. */
export interface WordForms {
  /** Empty where no item has it whole. */
  forms: readonly string[];
  /** A word that begins like this counts as well; null: only whole words count. */
  beginning: string | null;
}

/**
 * A term as a query of full text (tsquery).
 *
 * @param options `inName`: it stands in the name; `isWhole`: nothing unfinished counts, where it
 *   stands whole
 *
 * ```ts
 * const word = { forms: ["sign", "signs"], beginning: "sign" };
 * const query = writeTerm({ words: [word] }, { inName: true });
 * if (query !== "('sign':A|'signs':A|'sign':*A)") throw new Error(query);
 * ```
 */
export function writeTerm(
  { words }: Pick<Term, "words">,
  { inName = false, isWhole = false }: { inName?: boolean; isWhole?: boolean } = {},
): string {
  const weight = inName ? "A" : "";
  const queries = words.map(({ forms, beginning }) => {
    const whole = forms.map((form) => `${quote(form)}${weight && `:${weight}`}`);
    const isOpen = beginning !== null && !(isWhole && forms.length > 0);
    return `(${[...whole, ...isOpen ? [`${quote(beginning)}:*${weight}`] : []].join("|")})`;
  });
  return queries.length === 1 ? queries[0]! : `(${queries.join("<->")})`;
}

function quote(word: string): string {
  return `'${word.replace(/['\\]/g, "$&$&")}'`;
}
