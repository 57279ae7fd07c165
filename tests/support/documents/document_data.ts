import type { Database } from "../../../lib/database/database.ts";
import { sql } from "../../../lib/database/sql.ts";
import { readConfig } from "../../../lib/config/config.ts";
import { importLocation } from "../../../lib/import/import_snapshot.ts";
import type { ConfiguredSource } from "../../../lib/import/sources/configured_source.ts";
import { ScheduledImport } from "../../../lib/import/sources/scheduled_import.ts";
import { importItems, makeItem, startApp } from "../app.ts";
import { linkOf } from "../servers/mail_server.ts";
import { startWithMail, subscribe } from "../subjects/subscribing.ts";
import { verifyAll } from "../subjects/clock.ts";

const ANN = "ann@example.com";

/** A number of snapshot items, numbered from `from`. */
export function makeItems(count: number, from = 1): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, index) => makeItem(from + index));
}

/** A number of items in the format of the Microsoft Fabric roadmap. */
export function makeFabric(count: number) {
  const results = makeItems(count).map(({ release_item_id, feature_name }) => ({
    ReleaseItemID: release_item_id,
    FeatureName: feature_name,
    ReleaseType: "Public preview",
    ReleaseStatus: "Planned",
    ProductName: "Product",
  }));
  return { results };
}

/** A snapshot as CSV with the required columns. */
export function makeTable(count: number): string {
  const columns = "release_item_id,feature_name,release_type,release_status,product_name";
  const rows = makeItems(count).map((item) =>
    columns.split(",").map((name) => item[name]).join(",")
  );
  return [columns, ...rows].join("\n");
}

/** Imports two items; a search for "vehicle" finds one of them only by its meaning. */
export function importTwo(database: Database) {
  return importItems(database, [
    makeItem(1, { feature_name: "Rent an automobile", feature_description: null }),
    makeItem(2, { feature_name: "Night theme", feature_description: null }),
  ]);
}

/** Adds a subscriber whose mailbox is set aside after bounces. */
export async function setAnnAside(database: Database): Promise<void> {
  await using app = await startApp(database);
  await subscribe(app, { email: ANN });
  await verifyAll(database);
  await database.query(sql`
    update subscriptions set state = 'bounced', refused_at = now(),
      refusal_reason = 'Can''t send mail - all recipients were rejected: 550 No such user'
  `);
}

/** Makes the two changes of docs/subscriptions.md, not yet sent to a verified subscriber. */
export async function changeQuietly(database: Database): Promise<void> {
  const text =
    "Sign in with the fingerprint or the face that unlocks your device, which replaces " +
    "the password. It is ";
  const theme = {
    release_item_id: "6f1a1a3e-52c1-4d8f-9c55-0a1b2c3d4e5f",
    feature_name: "Dark theme for reports",
    product_name: "Reports",
    last_modified: null,
  };
  const passkeys = {
    release_item_id: "0c6ad9c1-5f0e-4f0b-8a3b-8f4f7d2f6a10",
    feature_name: "Sign-in with passkeys",
    product_name: "Gorselight",
    release_type: "Public preview",
    feature_description: `${text}on by default.`,
    last_modified: null,
  };
  const rewritten = { ...passkeys, feature_description: `${text}off by default.` };
  const later = { ...theme, release_date: "Q4 2026" };
  const take = (asOf: string, ...items: Record<string, unknown>[]) =>
    importItems(database, items.map((item) => makeItem(1, item)), { asOf });
  await take("2026-11-01", theme, passkeys);
  await using services = await startWithMail(database);
  // Upcoming releases depend on the day on which this runs.
  await subscribe(services.app, { email: ANN, upcoming: false });
  await services.app.sendMails();
  await services.app.fetch(linkOf(services.mail.received[0]!, "/verify-email"));
  await take("2026-11-18", theme, rewritten);
  await take("2026-11-20", later, rewritten);
}

/** Makes the database look as if a version without the newest migration had left it. */
export function forgetMigration(database: Database): Promise<void> {
  return database.script("delete from migrations where name = (select max(name) from migrations)");
}

/** Imports a source once on its schedule. */
export async function syncOnce(
  database: Database,
  source: Pick<ConfiguredSource, "name" | "from" | "kind">,
): Promise<void> {
  const clock = () => new Date("2026-11-21T12:00:00Z");
  const config = { ...readConfig({}), clock };
  const scheduled = new ScheduledImport(database, { ...source, everyMinutes: 60 }, config);
  await scheduled.makeDue();
  await scheduled.importIfDue(new AbortController().signal);
}

/** Imports several snapshots of one address in turn; null: it no longer exists. */
export async function importInTurn(
  database: Database,
  { address, serve }: { address: string; serve: (snapshot: unknown) => void },
  snapshots: readonly unknown[],
): Promise<void> {
  for (const snapshot of snapshots) {
    serve(snapshot);
    await importLocation(database, address, { asOf: "2026-11-21" }).catch(() => {});
  }
}
