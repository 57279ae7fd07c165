import ICAL from "ical.js";

/** A time zone by the rules that the machine knows. */
class NamedZone extends ICAL.Timezone {
  /** @param tzid as the calendar names the zone */
  constructor(tzid: string, private readonly known: string) {
    super({ tzid });
  }

  /** Seconds between UTC and what a clock of the zone shows. */
  override utcOffset(time: ICAL.Time): number {
    const { year, month, day, hour, minute, second } = time;
    const clock = new Temporal.PlainDateTime(year, month, day, hour, minute, second);
    return clock.toZonedDateTime(this.known).offsetNanoseconds / 1e9;
  }
}

/**
 * Makes the zones known that a calendar names without the definition which RFC 5545 (3.6.5) wants:
 * else its times would float, and no moment in UTC could be one of them.
 */
export function registerZones(calendar: ICAL.Component): void {
  const entries = calendar.getAllSubcomponents();
  for (const property of entries.flatMap((entry) => entry.getAllProperties())) {
    const tzid = property.getFirstParameter("tzid");
    if (!tzid || ICAL.TimezoneService.has(tzid)) continue;
    const known = [tzid, tzid.split("/").slice(-2).join("/")].find(isKnown);
    if (known !== undefined) ICAL.TimezoneService.register(new NamedZone(tzid, known), tzid);
  }
}

function isKnown(name: string | undefined): boolean {
  try {
    return name !== undefined && Boolean(new Intl.DateTimeFormat("en", { timeZone: name }));
  } catch {
    return false;
  }
}
