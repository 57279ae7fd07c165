/** Writes items as NDJSON. */
export async function writeSnapshot(path: string, rows: Iterable<unknown>): Promise<void> {
  const lines = Iterator.from(rows).map((row) => `${JSON.stringify(row)}\n`);
  await Deno.writeTextFile(path, ReadableStream.from(lines));
}
