/**
 * The first lines of a text that fit into a limit together, with a sign where lines are left out.
 *
 * ```ts
 * if (fitLines(["one", "two"], 7) !== "one\ntwo") throw new Error();
 * if (fitLines(["one", "two", "three"], 9) !== "one\ntwo\n…") throw new Error();
 * ```
 */
export function fitLines(
  lines: readonly string[],
  limit: number,
  measure: (text: string) => number = (text) => text.length,
): string {
  const whole = lines.join("\n");
  if (measure(whole) <= limit) return whole;
  let fitting = "";
  for (const line of lines) {
    const longer = `${fitting}${line}\n`;
    if (measure(`${longer}…`) > limit) break;
    fitting = longer;
  }
  return `${fitting}…`;
}
