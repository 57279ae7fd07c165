/** A question as a reader types it, with all releases that answer it; none: it should find nothing. */
export interface Question {
  class: string;
  q: string;
  answers: readonly string[];
}

/** What a question found, best first. */
export interface Found {
  ids: readonly string[];
  total: number;
}

/** How well questions were answered. */
export interface Score {
  /** How many have an answer. */
  answerable: number;
  /** The share of these whose first release is an answer. */
  hit1: number;
  /** The share of these with an answer among the first five. */
  hit5: number;
  /** The mean of 1 / the place of the first answer, among the first fifty. */
  mrr: number;
  /** How many have no answer, and how many of these found nothing. */
  nonsense: number;
  silent: number;
}

/** The place of the first answer, from 1; null: none was found. */
export function placeOf({ answers }: Question, { ids }: Found): number | null {
  const index = ids.findIndex((id) => answers.includes(id));
  return index === -1 ? null : index + 1;
}

/** Judges what each question found. */
export function judge(questions: readonly Question[], found: ReadonlyMap<string, Found>): Score {
  const answerable = questions.filter(({ answers }) => answers.length > 0);
  const nonsense = questions.filter(({ answers }) => answers.length === 0);
  const places = answerable.map((question) =>
    placeOf(question, found.get(question.q)!) ?? Infinity
  );
  const share = (count: number) => count / answerable.length;
  return {
    answerable: answerable.length,
    hit1: share(places.filter((place) => place === 1).length),
    hit5: share(places.filter((place) => place <= 5).length),
    mrr: share(places.reduce((sum, place) => sum + 1 / place, 0)),
    nonsense: nonsense.length,
    silent: nonsense.filter(({ q }) => found.get(q)!.total === 0).length,
  };
}
