import type { ComponentChildren } from "preact";

/** A table of figures that scrolls sideways on a small screen, by keyboard as well. */
export function FigureTable({ caption, columns, children }: {
  caption: string;
  /** Their headings; null: a drawing of the figures beside it. */
  columns: readonly (string | null)[];
  /** The rows. */
  children: ComponentChildren;
}) {
  return (
    <div class="table-scroll" role="region" aria-label={caption} tabIndex={0}>
      <table class="figures">
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column ?? <span class="visually-hidden">Drawn</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
