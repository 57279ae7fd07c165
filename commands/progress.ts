/** Shows how much is done, from 0 to 1, and of what. */
type Show = (share: number, words: string) => void;

/** Does work beside a line on a terminal that says how far it has come; elsewhere nothing is shown. */
export async function withProgress<Result>(
  words: string,
  work: (show: Show) => Promise<Result>,
): Promise<Result> {
  if (!Deno.stdout.isTerminal()) return await work(() => {});
  const write = (line: string) =>
    Deno.stdout.writeSync(new TextEncoder().encode(`\r\x1b[K${line}`));
  write(words);
  return await work((share, words) => write(`${words} (${Math.floor(share * 100)}%)`))
    .finally(() => write(""));
}
