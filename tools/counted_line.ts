/** A counter in one line on a terminal; elsewhere a line at the start and one at the end. */
export class CountedLine {
  readonly #isCounting = Deno.stderr.isTerminal();
  #done = 0;

  constructor(private readonly total: number) {
    if (this.#isCounting) this.#show();
    else write(`Installing ${total} packages … `);
  }

  step(): void {
    this.#done = Math.min(this.#done + 1, this.total);
    if (this.#isCounting) this.#show();
  }

  end(words: string): void {
    write(`${this.#isCounting ? "\r\x1b[K" : ""}${words}\n`);
  }

  #show(): void {
    write(`\r\x1b[KInstalling packages: ${this.#done} of ${this.total}`);
  }
}

function write(text: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(text));
}
