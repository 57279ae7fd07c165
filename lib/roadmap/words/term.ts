/** A term of a question as it is searched: words that stand together, mostly only one. */
export interface Term {
  words: readonly WordForms[];
  /** What hyphens join, as one word; absent: they join nothing. */
  joined?: WordForms;
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
 * const form = (word: string) => ({ forms: [word], beginning: null });
 * const joined = writeTerm({ words: [form("e"), form("mail")], joined: form("email") });
 * if (joined !== "((('e')<->('mail'))|('email'))") throw new Error(joined);
 * ```
 */
export function writeTerm(
  { words, joined }: Omit<Term, "weight">,
  { inName = false, isWhole = false }: { inName?: boolean; isWhole?: boolean } = {},
): string {
  const weight = inName ? "A" : "";
  const write = ({ forms, beginning }: WordForms) => {
    const whole = forms.map((form) => `${quote(form)}${weight && `:${weight}`}`);
    const isOpen = beginning !== null && !(isWhole && forms.length > 0);
    return `(${[...whole, ...isOpen ? [`${quote(beginning)}:*${weight}`] : []].join("|")})`;
  };
  const together = words.length === 1 ? write(words[0]!) : `(${words.map(write).join("<->")})`;
  return joined ? `(${together}|${write(joined)})` : together;
}

function quote(word: string): string {
  return `'${word.replace(/['\\]/g, "$&$&")}'`;
}
