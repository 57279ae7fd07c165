import type { ComponentChildren } from "preact";

interface PostFormProps {
  action: string;
  fields?: Readonly<Record<string, string | number>>;
  button: string;
  /** What the button is about, for those who do not see the row in which it stands. */
  label?: string;
  /** `second` is the usual weight, `danger` that of what cannot be undone. */
  weight?: "first" | "second" | "danger";
  children?: ComponentChildren;
}

/** A form with one button. */
export function PostForm(
  { action, fields = {}, button, label, weight = "second", children }: PostFormProps,
) {
  return (
    <form method="post" action={action}>
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {children}
      <button
        type="submit"
        class={weight === "first" ? undefined : weight}
        aria-label={label && `${button}: ${label}`}
      >
        {button}
      </button>
    </form>
  );
}

/** What is done for good: the first click asks, the second one does it. */
export function Confirm({ question, ...form }: PostFormProps & { question: string }) {
  return (
    <details class="admin-confirm">
      <summary aria-label={form.label && `${form.button}: ${form.label}`}>{form.button}…</summary>
      <PostForm {...form} weight="danger">
        {form.children}
        <p>{question}</p>
      </PostForm>
    </details>
  );
}

/** A field with its label, and what was wrong with it. */
export function Field(
  { id, label, error, children }: {
    id: string;
    label: string;
    error?: string | null;
    children: ComponentChildren;
  },
) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      {error && <p class="admin-problem" role="alert">{error}</p>}
    </div>
  );
}
