/** Whether a visitor has changed a form since the page came, such as before its script did. */
export function isTouched({ elements }: HTMLFormElement): boolean {
  return [...elements].some((field) => {
    if (field instanceof HTMLInputElement) {
      return field.checked !== field.defaultChecked ||
        field.value !== field.defaultValue;
    }
    if (!(field instanceof HTMLSelectElement)) return false;
    const first = [...field.options].findIndex(({ defaultSelected }) => defaultSelected);
    return field.selectedIndex !== Math.max(0, first);
  });
}
