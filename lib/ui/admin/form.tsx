import type { ComponentChildren } from "preact";
import { z } from "zod";
import { FieldError } from "../../expected_error.ts";
import { describedBy, Mistake } from "../form_mistakes.tsx";

/** What a form was filled in with, and what is wrong with it. */
export interface Refused {
  readonly form: URLSearchParams;
  readonly errors: Readonly<Record<string, string>>;
}

/** How the element of a field is shown. */
interface Shown {
  readonly attributes: { id: string; name: string } & ReturnType<typeof describedBy>;
  /** What it is filled in with. */
  readonly given: readonly string[];
}

/** A field of a form: how it is shown, and how it is read. */
interface Field<Value> {
  readonly label: string;
  readonly schema: z.ZodType<Value>;
  /** What the schema gets of the values that were sent. */
  take(sent: readonly string[]): unknown;
  show(shown: Shown): ComponentChildren;
  /** Several boxes, each with a label of its own. */
  readonly isGroup?: boolean;
  /** The choices of a menu before it with which it is shown. */
  readonly shownFor?: string;
}

interface TextOptions {
  readonly type?: "email" | "url";
  readonly required?: boolean;
  readonly maxLength?: number;
  readonly autocomplete?: string;
  readonly spellcheck?: boolean;
  readonly shownFor?: string;
  /** What stands below the field. */
  readonly below?: ComponentChildren;
}

/** How a value is read, where that is more than the text. */
interface Read<Value> {
  readonly schema: z.ZodType<Value>;
}

/** A line of text, without the blanks around it. */
export function text(label: string, options?: TextOptions): Field<string>;
export function text<Value>(label: string, options: TextOptions & Read<Value>): Field<Value>;
export function text(
  label: string,
  { schema = z.string(), shownFor, below, type, ...attributes }:
    & TextOptions
    & Partial<Read<unknown>> = {},
): Field<unknown> {
  return {
    label,
    shownFor,
    schema,
    take: ([sent = ""]) => sent.trim(),
    show: ({ attributes: own, given: [value = ""] }) => (
      <>
        <input {...own} {...attributes} type={(type ?? "text") as "text"} value={value} />
        {below}
      </>
    ),
  };
}

/** A text that no page shows again. */
export function secret(label: string, { shownFor }: { shownFor?: string } = {}): Field<string> {
  return {
    label,
    shownFor,
    schema: z.string(),
    take: ([sent = ""]) => sent.trim(),
    show: ({ attributes }) => (
      <input {...attributes} type="password" autocomplete="new-password" maxLength={4000} />
    ),
  };
}

interface LinesOptions {
  readonly rows?: number;
  readonly required?: boolean;
}

/** Texts, one on each line. */
export function lines(label: string, options?: LinesOptions): Field<string[]>;
export function lines<Value>(label: string, options: LinesOptions & Read<Value>): Field<Value>;
export function lines(
  label: string,
  { schema = z.array(z.string()), rows = 2, ...attributes }:
    & LinesOptions
    & Partial<Read<unknown>> = {},
): Field<unknown> {
  return {
    label: `${label}, one per line`,
    schema,
    take: ([sent = ""]) => sent.split("\n").map((line) => line.trim()).filter(Boolean),
    show: ({ attributes: own, given: [value = ""] }) => (
      <textarea {...own} {...attributes} rows={rows}>{value}</textarea>
    ),
  };
}

/** A long text, as it is. */
export function textArea(
  label: string,
  attributes: { rows: number; spellcheck?: boolean },
): Field<string> {
  return {
    label,
    schema: z.string(),
    take: ([sent = ""]) => sent,
    show: ({ attributes: own, given: [value = ""] }) => (
      <textarea {...own} {...attributes}>{value}</textarea>
    ),
  };
}

/** A menu of values with their names. */
export function choice<const Value extends string>(
  label: string,
  choices: Readonly<Record<Value, string>>,
): Field<Value> {
  const values = Object.keys(choices) as Value[];
  return {
    label,
    schema: z.enum(values, `must be one of ${values.join(", ")}`) as unknown as z.ZodType<Value>,
    take: ([sent = values[0]]) => sent,
    show: ({ attributes, given: [chosen] }) => (
      <select {...attributes}>
        {values.map((value) => (
          <option key={value} value={value} selected={value === chosen}>{choices[value]}</option>
        ))}
      </select>
    ),
  };
}

/** Boxes of which any number is ticked. */
export function boxes<Value extends string>(
  label: string,
  choices: Readonly<Record<Value, string>>,
  schema: z.ZodType<Value[]>,
): Field<Value[]> {
  return {
    label,
    isGroup: true,
    schema,
    take: (sent) => sent,
    show: ({ attributes: { name }, given }) => (
      <div class="choices in-line">
        {Object.entries(choices).map(([value, words]) => (
          <label key={value} class="check">
            <input type="checkbox" name={name} value={value} checked={given.includes(value)} />
            {words as string}
          </label>
        ))}
      </div>
    ),
  };
}

/** A text that a function reads, which throws what is wrong with it as a `FieldError`. */
export function readBy<Value>(read: (text: string) => Value): z.ZodType<Value> {
  return z.string().transform((text, context) => {
    try {
      return read(text);
    } catch (error) {
      if (!(error instanceof FieldError)) throw error;
      context.addIssue(error.message);
      return z.NEVER;
    }
  });
}

type Fields = Readonly<Record<string, Field<unknown>>>;
type ValuesOf<All extends Fields> = {
  [Name in keyof All]: All[Name] extends Field<infer Value> ? Value : never;
};

interface FieldsProps<Name> {
  /** What was sent, if it was wrong. */
  refused?: Refused;
  /** What the fields are filled in with otherwise, by their names. */
  given?: URLSearchParams;
  /** Only these of the fields. */
  only?: readonly Name[];
  /** Where a page has the form several times: what is added to each id. */
  place?: number;
}

/** A form, described once: its fields are shown, and read, by the same description. */
export function form<All extends Fields>(fields: All) {
  return {
    /** @throws {FieldError} that names every field that is wrong */
    read(sent: URLSearchParams): ValuesOf<All> {
      const values: Record<string, unknown> = {};
      const errors: Record<string, string> = {};
      for (const [name, { label, schema, take }] of Object.entries(fields)) {
        const { data, error } = schema.safeParse(take(sent.getAll(name)));
        if (error) errors[name] = sentence(label, error.issues[0]!.message);
        else values[name] = data;
      }
      if (Object.keys(errors).length > 0) throw new FieldError(errors);
      return values as ValuesOf<All>;
    },
    Fields({ refused, given, only, place }: FieldsProps<keyof All>) {
      const filled = refused?.form ?? given;
      return (
        <>
          {Object.entries(fields).filter(([name]) => only?.includes(name) ?? true)
            .map(([name, field]) => (
              <FormField
                key={name}
                id={place === undefined ? name : `${name}-${place}`}
                name={name}
                field={field}
                given={filled?.getAll(name) ?? []}
                error={refused?.errors[name]}
              />
            ))}
        </>
      );
    },
  };
}

/** A reason that begins in lower case goes on from the label, without what stands behind its comma. */
function sentence(label: string, reason: string): string {
  return /^\p{Ll}/u.test(reason) ? `${label.split(",")[0]} ${reason}` : reason;
}

/** A field with its label, and what was wrong with it, to which it leads. */
function FormField({ id, name, field, given, error }: {
  id: string;
  name: string;
  field: Field<unknown>;
  given: readonly string[];
  error: string | undefined;
}) {
  const { label, isGroup, shownFor, show } = field;
  const mistakes = error === undefined ? {} : { [id]: error };
  const described = describedBy(id, mistakes);
  const shown = show({ attributes: { id, name, ...described }, given });
  const mistake = <Mistake of={id} mistakes={mistakes} role="alert" />;
  if (isGroup) {
    return (
      <fieldset class="preferences" aria-describedby={described["aria-describedby"]}>
        <legend>{label}</legend>
        {shown}
        {mistake}
      </fieldset>
    );
  }
  return (
    <div class="field" data-for={shownFor}>
      <label for={id}>{label}</label>
      {shown}
      {mistake}
    </div>
  );
}
