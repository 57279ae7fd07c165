/** The name of the schedule of a source. */
export function scheduleOf(source: string): string {
  return `sync ${source}`;
}
