import { say } from "../lib/text/say.ts";

// Behind all scripts of the page, which bring its messages.
addEventListener("DOMContentLoaded", showOwnTimes);

/** Says beside a time in UTC what it is in the reader's own time zone, where that is another. */
function showOwnTimes(): void {
  for (const element of document.querySelectorAll<HTMLTimeElement>(".own-time")) {
    const time = new Date(element.dateTime);
    if (time.getTimezoneOffset() === 0) continue;
    const words = time.toLocaleString(document.documentElement.lang, {
      ...element.dataset.cadence === "weekly" && { weekday: "long" },
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    });
    element.textContent = say("form.your_time", { time: words });
  }
}
