import { type FieldError, Problem } from "../http/responses/problem.ts";
import { PREFERENCE_NAMES, titleList } from "../roadmap/filter/preference_lists.ts";
import { language, say } from "../text/messages.ts";
import { joinSentences } from "../text/phrases.ts";

/** What is wrong with a form: a sentence for each field, by its name; that of the whole is `""`. */
export type Mistakes = Readonly<Record<string, string>>;

/** What is wrong with a form, to be shown in it. @throws any other error, as it is */
export function mistakesIn(error: unknown): Mistakes {
  if (!(error instanceof Problem) || error.status !== 400) throw error;
  const { errors = [] } = error.more;
  if (errors.some(({ name }) => name === "body")) throw error;
  return errors.length > 0 ? toMistakes(errors) : { "": sayProblem(error) };
}

/** What a field is called where a sentence says what is wrong with it. */
function nameField(name: string): string | null {
  switch (name) {
    case "email":
      return say("mistake.email");
    case "cadence":
      return say("mistake.cadence");
    case "paused_until":
      return say("mistake.day");
    case "releases":
      return say("mistake.release");
    case "scope":
      return say("mistake.scope");
    case "upcoming":
    case "reminders":
      return say("mistake.choice");
  }
  const list = PREFERENCE_NAMES.find((one) => one === name);
  return list ? say("mistake.list", { name: titleList(list) }) : null;
}

/** The errors of fields as sentences beside them; of each field the first. */
function toMistakes(errors: readonly FieldError[]): Mistakes {
  const sentences = errors.map((error) => {
    const { name, said } = error;
    const [field] = name.split(".") as [string];
    if (field === "email" && said?.key === "reason.empty") {
      return [field, say("mistake.no_email")] as const;
    }
    const known = nameField(field);
    const subject = known ?? (name || say("mistake.form"));
    const isChoice = said?.key === "reason.one_of";
    // A person chooses among words, and not among the values that programs send.
    const words = known !== null && isChoice ? say("mistake.not_offered") : sayReason(error);
    const sentence = say("mistake.sentence", { subject, reason: words });
    return [known === null ? "" : field, sentence] as const;
  });
  return Object.fromEntries(sentences.reverse());
}

/** Why a field is wrong, behind its name; `must not be empty`. */
export function sayReason({ reason, said }: FieldError): string {
  if (said) return say(said.key, said.values);
  return language().tag === "en" ? reason : say("reason.wrong");
}

/** What is wrong with a request, as a sentence. */
export function sayProblem({ message, said }: Problem): string {
  const words = said
    ? say(said.key, said.values)
    : language().tag === "en"
    ? message.replaceAll("`", "")
    : say("problem.other");
  return /[.?!。؟]$/.test(words) ? words : say("list.sentence", { words });
}

/** What is wrong with a field, below it; with a role it is read out. */
export function Mistake(
  { of, mistakes = {}, role }: { of: string; mistakes?: Mistakes; role?: "alert" },
) {
  const text = mistakes[of];
  return text === undefined ? null : <p class="mistake" id={mistakeId(of)} role={role}>{text}</p>;
}

/** What is wrong with a form and stands beside none of its fields, above it. */
export function FormMistake({ mistakes = {}, fields }: {
  mistakes?: Mistakes;
  /** Those that show what is wrong with them. */
  fields: readonly string[];
}) {
  const others = Object.entries(mistakes).filter(([name]) => !fields.includes(name));
  if (others.length === 0) return null;
  const words = joinSentences(others.map(([, text]) => text));
  return <p class="notice problem" role="alert" tabIndex={-1}>{words}</p>;
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
