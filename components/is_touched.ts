/** A field of a form; which properties it has depends on its kind. */
type Field = Partial<HTMLInputElement & Pick<HTMLSelectElement, "options">>;

/** Whether a visitor has changed a form since the page came, such as before its script did. */
export function isTouched({ elements }: HTMLFormElement): boolean {
  return ([...elements] as Field[]).some((field) =>
    field.options
      ? [...field.options].some((option) => option.selected !== option.defaultSelected)
      : field.type !== "submit" &&
        (field.checked !== field.defaultChecked || field.value !== field.defaultValue)
  );
}
