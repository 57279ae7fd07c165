/** The times of the operator's pages in the zone of the browser, which the server does not know. */
const FORMAT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

for (const time of document.querySelectorAll<HTMLTimeElement>("time[datetime]")) {
  time.title = time.textContent!;
  time.textContent = FORMAT.format(new Date(time.dateTime));
}
