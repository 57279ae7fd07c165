/** A line on a terminal that says how far work has come; elsewhere nothing is shown. */
export interface ProgressLine {
  /** Shows how much is done, from 0 to 1. */
  show(share: number, words: string): void;
  stop(): void;
}

/** Starts a line that names the work. */
export function startProgress(words: string): ProgressLine {
  if (!Deno.stdout.isTerminal()) return { show: () => {}, stop: () => {} };
  const write = (line: string) =>
    Deno.stdout.writeSync(new TextEncoder().encode(`\r\x1b[K${line}`));
  write(words);
  return {
    show: (share, words) => write(`${words} (${Math.floor(share * 100)}%)`),
    stop: () => write(""),
  };
}
