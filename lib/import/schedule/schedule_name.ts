/** The name of the schedule of a source. */
export function scheduleOf(source: string): string {
  return `sync ${source}`;
}

/** The name of the schedule of a source's announcements. */
export function announcementsScheduleOf(source: string): string {
  return `announcements ${source}`;
}
