/** Counts of what was compared, each with some examples. */
export class Tally {
  readonly #counts = new Map<string, string[]>();
  unexplained = 0;

  note(kind: string, example: string): void {
    if (kind.startsWith("UNEXPLAINED")) this.unexplained++;
    const examples = this.#counts.get(kind) ?? [];
    examples.push(example);
    this.#counts.set(kind, examples);
  }

  print(title: string): void {
    console.log(`\n${title}`);
    for (const [kind, examples] of this.#counts) {
      console.log(`${String(examples.length).padStart(6)}  ${kind}`);
      const isShown = kind.startsWith("UNEXPLAINED");
      for (const example of isShown ? examples.slice(0, 5) : []) {
        console.log(`          ${example}`);
      }
    }
  }
}
