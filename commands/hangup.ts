/**
 * SIGHUP, which has two meanings: a supervisor sends it to have the settings read again, and the
 * system where the terminal is gone that the process was started in.
 */
export class Hangup {
  /** Fulfilled when the terminal of the process is gone. */
  readonly terminalClosed: Promise<void>;
  #reload: () => unknown = () => {};

  constructor() {
    const hadTerminal = Deno.stdin.isTerminal();
    this.terminalClosed = new Promise((resolve) => {
      Deno.addSignalListener("SIGHUP", () => {
        if (hadTerminal && !Deno.stdin.isTerminal()) resolve();
        else this.#reload();
      });
    });
  }

  onReload(reload: () => unknown): void {
    this.#reload = reload;
  }
}
