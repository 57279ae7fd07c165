/** The form of an upload as a browser without scripts would send it, with some changes. */
export function fieldsOf(page: string, changes: Record<string, string>): URLSearchParams {
  const form = new URLSearchParams();
  const [, html] = /<form method="post" class="mapping">(.*?)<\/form>/s.exec(page)!;
  form.set("id", /\/admin\/upload\/fields\?id=([^"]*)"/.exec(page)![1]!);
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
  for (const name of [...form.keys()]) {
    const [, column] = /^use\.\w+\.(.*)$/s.exec(name) ?? [];
    if (column !== undefined && column in uses) form.set(name, uses[column]!);
  }
  return form;
}
