/** A progress bar on a terminal; elsewhere nothing is shown. */
export interface ProgressBar {
  /** Shows how much is done, from 0 to 1; the bar never goes back. */
  show(share: number, words: string): void;
  stop(): void;
}

/** Starts a bar that names the work. */
export async function startProgress(words: string): Promise<ProgressBar> {
  if (!Deno.stdout.isTerminal()) return { show: () => {}, stop: () => {} };
  const { progress } = await import("@clack/prompts");
  const bar = progress({ max: 100 });
  bar.start(words);
  let shown = 0;
  return {
    show(share, words) {
      const percent = Math.floor(share * 100);
      bar.advance(Math.max(0, percent - shown), words);
      shown = Math.max(shown, percent);
    },
    stop: () => bar.stop(),
  };
}
