import { type Mistakes, toMistakes } from "../../components/form_mistakes.ts";
import { Problem } from "../http/responses/problem.ts";

/** What is wrong with a form, to be shown in it. @throws any other error, as it is */
export function mistakesIn(error: unknown): Mistakes {
  if (!(error instanceof Problem) || error.status !== 400) throw error;
  const { message, more: { errors = [] } } = error;
  if (errors.some(({ name }) => name === "body")) throw error;
  return errors.length > 0 ? toMistakes(errors) : { "": `${message}.` };
}

/** What is wrong with a field, below it. */
export function Mistake({ of, mistakes = {} }: { of: string; mistakes?: Mistakes }) {
  const text = mistakes[of];
  return text === undefined ? null : <p class="mistake" id={mistakeId(of)}>{text}</p>;
}

/** What is wrong with a form and stands beside none of its fields, above it. */
export function FormMistake({ mistakes = {}, fields }: {
  mistakes?: Mistakes;
  /** Those that show what is wrong with them. */
  fields: readonly string[];
}) {
  const others = Object.entries(mistakes).filter(([name]) => !fields.includes(name));
  if (others.length === 0) return null;
  return <p class="notice problem" role="alert">{others.map(([, text]) => text).join(" ")}</p>;
}

/** The attributes of a field: they lead a screen reader to what is wrong with it, and to its hint. */
export function describedBy(name: string, mistakes: Mistakes = {}, hint?: string) {
  const isWrong = Object.hasOwn(mistakes, name);
  const ids = [...isWrong ? [mistakeId(name)] : [], ...hint ? [hint] : []];
  return {
    "aria-invalid": isWrong ? true : undefined,
    "aria-describedby": ids.length > 0 ? ids.join(" ") : undefined,
  };
}

function mistakeId(name: string): string {
  return `${name}-mistake`;
}
