/** The form of an upload as a browser without scripts would send it, with some changes. */
export function fieldsOf(page: string, changes: Record<string, string>): URLSearchParams {
  const form = new URLSearchParams();
  const [, html] = /action="\/admin\/upload\/mapping" class="mapping">(.*?)<\/form>/s.exec(page)!;
  for (const [control] of html!.matchAll(/<input[^>]*>|<select.*?<\/select>/gs)) {
    const name = /name="([^"]*)"/.exec(control)![1]!;
    if (control.includes('type="checkbox"') && !control.includes("checked")) continue;
    const value = control.startsWith("<select")
      ? /<option(?: value="([^"]*)")? selected|<option selected value="([^"]*)"/.exec(control)
        ?.slice(1).find((found) => found !== undefined) ?? ""
      : /value="([^"]*)"/.exec(control)?.[1] ?? "";
    form.append(name, value.replaceAll("&quot;", '"').replaceAll("&amp;", "&"));
  }
  for (const [key, value] of Object.entries(changes)) form.set(key, value);
  return form;
}

/** The same, with the menus of some columns at what they are. */
export function chooseUses(
  page: string,
  uses: Record<string, string>,
  changes = {},
): URLSearchParams {
  const form = fieldsOf(page, changes);
  const columns: string[][] = JSON.parse(form.get("columns")!);
  const before = form.getAll("use");
  form.delete("use");
  for (const [place, [column]] of columns.entries()) {
    form.append("use", uses[column!] ?? before[place]!);
  }
  return form;
}
