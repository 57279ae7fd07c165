import type { ComponentChildren } from "preact";
import { formatDay } from "../../text/dates.ts";

/** What a column shows of a row: one of its values, or what is made of it. */
type Column<Row> = (keyof Row & string) | ((row: Row) => ComponentChildren);

interface TableProps<Row> {
  label: string;
  rows: readonly Row[];
  columns: Readonly<Record<string, Column<Row>>>;
  /** What is said instead of a table without rows. */
  none?: string;
}

/** A table by its columns, whose rows are cards where the window is narrow. */
export function Table<Row>({ label, rows, columns, none }: TableProps<Row>) {
  if (rows.length === 0 && none !== undefined) return <p role="status">{none}</p>;
  const all = Object.entries(columns);
  return (
    <div class="admin-table" role="region" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>{all.map(([name]) => <th key={name} scope="col">{name}</th>)}</tr>
        </thead>
        <tbody>
          {rows.map((row, place) => (
            <tr key={place}>
              {all.map(([name, column]) => (
                <td key={name} data-label={name}>
                  {typeof column === "function"
                    ? column(row)
                    : row[column] as unknown as ComponentChildren}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A moment that the server stored, in UTC. */
export function Moment({ at }: { at: string }) {
  return <time datetime={at}>{`${formatDay(at.slice(0, 10))}, ${at.slice(11, 16)} UTC`}</time>;
}
