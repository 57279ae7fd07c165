/** The times of the operator's pages in the zone of the browser, which the server does not know. */
const FORMAT = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

const RELOAD_MS = 5_000;

// What is going on is shown as it is by then; without this script "Reload" does it.
if (document.querySelector("[data-live]")) setTimeout(() => location.reload(), RELOAD_MS);

for (const time of document.querySelectorAll<HTMLTimeElement>("time[datetime]")) {
  time.title = time.textContent!;
  time.textContent = FORMAT.format(new Date(time.dateTime));
}

// A choice shows at once what it does; without this script "Apply" does it.
const mapping = document.querySelector<HTMLFormElement>("form.mapping");
mapping?.addEventListener("change", ({ target }) => {
  if (target instanceof HTMLSelectElement) mapping.requestSubmit();
});
