import type { Connection } from "../lib/database/database.ts";
import { sql } from "../lib/database/sql.ts";
import { formatQuarter, isoDate } from "../lib/text/dates.ts";

interface Row {
  id: string;
  name: string;
  product: string;
  type: string;
  status: string;
  date: string;
  modified: string;
  active: boolean;
  changes: number;
}

/** The events of a calendar, written by hand for this one purpose. */
export async function writeCalendarByHand(connection: Connection, limit: number): Promise<string> {
  const today = isoDate(new Date());
  const rows = await connection.query<Row>(sql`
    select release_item_id as id, feature_name as name, product_name as product,
      release_type as type, release_status as status, release_date::text as date,
      last_modified::text as modified, active,
      (select count(*)::int from changes where release_item_id = items.release_item_id) as changes
    from items
    where release_date is not null and (active or last_modified >= ${today}::date - 90)
    order by abs(release_date - ${today}::date)
    limit ${limit}
  `);
  let text = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n";
  for (const { id, name, product, type, status, date, modified, active, changes } of rows) {
    const stamp = modified.replaceAll("-", "") + "T000000Z";
    text += "BEGIN:VEVENT\r\n" +
      fold(`UID:${id}@localhost`) +
      `DTSTAMP:${stamp}\r\nLAST-MODIFIED:${stamp}\r\nSEQUENCE:${changes}\r\n` +
      `DTSTART;VALUE=DATE:${date.replaceAll("-", "")}\r\nTRANSP:TRANSPARENT\r\n` +
      (active ? "" : "STATUS:CANCELLED\r\n") +
      fold(`SUMMARY:${escape(`${name} (${product})`)}`) +
      fold(`DESCRIPTION:Release date: ${formatQuarter(date)}\\n${escape(`${status}, ${type}`)}`) +
      fold(`CATEGORIES:${escape(product)},${escape(type)},${escape(status)}`) +
      fold(`URL:http://localhost:8000/release/${id}`) +
      "END:VEVENT\r\n";
  }
  return text + "END:VCALENDAR\r\n";
}

function escape(text: string): string {
  return text.replace(/[\\;,]/g, "\\$&").replace(/\r?\n/g, "\\n");
}

/** The generated items are ASCII, so a character is an octet. */
function fold(line: string): string {
  if (line.length <= 75) return line + "\r\n";
  return line.slice(0, 75) + "\r\n" + line.slice(75).replace(/.{1,74}/g, " $&\r\n");
}
