/** The first line of what an error says; libraries add lines that are for their own programmers. */
export function firstLineOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n")[0]!;
}
