/**
 * SIGHUP has two meanings: a supervisor sends it to reload the settings, and the system when the
 * terminal of the process is closed.
 */
export class Hangup {
  /** Resolved when the terminal of the process is closed. */
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
