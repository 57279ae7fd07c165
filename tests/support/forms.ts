/** A field of a form, as its page has it. */
export interface Field {
  name: string;
  value: string;
  type: string;
  isChecked: boolean;
  html: string;
}

/** A form that is posted. */
export interface Form {
  action: string;
  fields: Field[];
  /** Where its buttons lead instead. */
  formActions: string[];
}

/** The value of an attribute of an element. */
export function attribute(html: string, name: string): string | undefined {
  const value = new RegExp(`\\s${name}(?:="([^"]*)"|(?=[\\s/>]))`).exec(html);
  return value === null ? undefined : decode(value[1] ?? "");
}

function decode(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
}

const FIELD =
  /(<(?:input|select|textarea)(?:"[^"]*"|[^">])*>)(?:(?<=<select[^>]*>)(.*?)<\/select>|(?<=<textarea[^>]*>)(.*?)<\/textarea>)?/gs;
const CHOSEN = /<option(?: value(?:="([^"]*)")?)? selected[^>]*>([^<]*)/;
const FIRST = /<option(?: value(?:="([^"]*)")?)?[^>]*>([^<]*)/;

/** The forms of a page that are posted; one without an address is posted to that of its page. */
export function formsIn(html: string, address = ""): Form[] {
  return [...html.matchAll(/<form([^>]*)>(.*?)<\/form>/gs)]
    .filter(([, form]) => attribute(form!, "method") === "post")
    .map(([, form, inside]) => ({
      action: attribute(form!, "action") ?? address,
      fields: [
        ...pressed(inside!),
        ...[...inside!.matchAll(FIELD)].map(([, html, options, text]) => {
          const [option, value, words] = CHOSEN.exec(options ?? "") ?? FIRST.exec(options ?? "") ??
            [];
          const chosen = option?.startsWith("<option value") ? value ?? "" : words;
          return {
            name: attribute(html!, "name") ?? "",
            value: decode(text ?? chosen ?? "") || (attribute(html!, "value") ?? ""),
            type: attribute(html!, "type") ?? "text",
            isChecked: attribute(html!, "checked") !== undefined,
            html: html!,
          };
        }).filter(({ name }) => name !== ""),
      ],
      formActions: [...inside!.matchAll(/ formaction="([^"]*)"/gi)].map(([, to]) => to!),
    }));
}

/** What the first of its buttons says, unless a field does. */
function pressed(inside: string): Field[] {
  if (/<input[^>]* name="do"/.test(inside)) return [];
  const [html] = /<button[^>]* name="do"[^>]*>/.exec(inside) ?? [];
  if (html === undefined) return [];
  return [{ name: "do", value: attribute(html, "value")!, type: "hidden", isChecked: false, html }];
}

/** Whether a field is ticked, not typed. */
export const isBox = ({ type }: Pick<Field, "type">) => type === "checkbox" || type === "radio";

/** What a browser sends of a form as the page shows it, with this address. */
function sentBy({ fields }: Form, email: string): [string, string][] {
  return fields.filter((field) => !isBox(field) || field.isChecked)
    .map(({ name, value }) => [name, name === "email" ? email : value]);
}

/** What nobody may enter anywhere, and what is too much of it. */
const WRONG = ["no\0thing", "x".repeat(5_000), "<i>", " ", "2026-99-99", "a@b"];

/** Ways to fill in a form wrongly, each with the field that it is about. */
export function wrongly(form: Form, email: string): { field: string; sent: [string, string][] }[] {
  const sent = sentBy(form, email);
  const names = new Set(
    form.fields.filter(({ type }) => type !== "hidden").map(({ name }) => name),
  );
  return [...names].flatMap((name) => {
    const others = sent.filter(([other]) => other !== name);
    return [
      { field: name, sent: others },
      { field: name, sent: [...others, [name, ""] as [string, string]] },
      ...WRONG.map((value) => ({
        field: name,
        sent: [...others, [name, value] as [string, string]],
      })),
    ];
  });
}

/** What a page says where a value was not there. */
export const UNMEANT = /\bNaN\b|\bundefined\b|\[object /;
