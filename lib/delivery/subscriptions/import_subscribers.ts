import type { Database } from "../../database/database.ts";
import type { VariantName } from "../../roadmap/variant.ts";
import { countOf } from "../../text/phrases.ts";
import { countKnown, invite } from "./import_subscribers_sql.ts";
import type { SubscriberFile } from "./subscriber_file.ts";
import type { SubscriptionState } from "./subscriptions_sql.ts";

/** So many are stored by one statement. */
const AT_ONCE = 1_000;
/** The most rows that are named. */
const MAX_NAMED = 20;

/** What an import of subscribers did, or would do. */
interface SubscribersBrought {
  /** Who gets an email to confirm. */
  invited: number;
  /** Who stays as they are, by their state here. */
  known: Partial<Record<SubscriptionState, number>>;
}

/** What an import of a file would do. */
export async function previewSubscribers(
  database: Database,
  { subscribers }: SubscriberFile,
): Promise<SubscribersBrought> {
  const { new: invited = 0, ...known } = await countKnown(
    database,
    subscribers.map(({ email }) => email),
  );
  return { invited, known };
}

/**
 * Brings the subscribers of a file along: each of whom nothing is known gets one email to confirm, as
 * fast as emails are sent, behind those that somebody waits for.
 */
export async function importSubscribers(
  database: Database,
  file: SubscriberFile,
  { variants, now }: {
    /** Those that are served; the first one is that of who names none. */
    variants: readonly VariantName[];
    now: Date;
  },
): Promise<SubscribersBrought> {
  const { known } = await previewSubscribers(database, file);
  let invited = 0;
  for (let place = 0; place < file.subscribers.length; place += AT_ONCE) {
    const some = file.subscribers.slice(place, place + AT_ONCE);
    // What is not said is what a request that does not say it gets.
    const completed = some.map(({ email, preferences, variant: named }) => {
      const cadence = preferences.cadence ?? "weekly";
      return {
        ...preferences,
        email,
        variant: variants.find((variant) => variant === named) ?? variants[0]!,
        cadence,
        upcoming: preferences.upcoming ?? cadence === "weekly",
        reminders: preferences.reminders ?? true,
      };
    });
    invited += await invite(database, completed, now);
  }
  return { invited, known };
}

/** What became of each row of a file, in lines: how many, and why. */
export function describeBrought(
  { repeated, leftOut, problems }: SubscriberFile,
  { invited, known }: SubscribersBrought,
  { isDone }: { isDone: boolean },
): string[] {
  const rows = (count: number) => count.toLocaleString("en");
  return [
    `${countOf(invited, "email")} to confirm ${isDone ? "will be sent" : "would be sent"}`,
    ...Object.entries(known).map(([state, count]) =>
      `${rows(count)} already known here as ${state}: left as they are`
    ),
    ...[...leftOut].map(([said, count]) => `${rows(count)} left out: the file says "${said}"`),
    ...repeated > 0 ? [`${rows(repeated)} repeated in the file`] : [],
    ...problems.length > 0 ? [`${countOf(problems.length, "row")} cannot be read:`] : [],
    ...problems.slice(0, MAX_NAMED).map(({ row, reason }) => `  row ${row}: ${reason}`),
    ...problems.length > MAX_NAMED ? [`  and ${rows(problems.length - MAX_NAMED)} more`] : [],
  ];
}
