import {
  chosenRows,
  detailsOf,
  isDate,
  isSplit,
  type Mapping,
  meaningOf,
  missingConstants,
  ruleOf,
  TAGS,
} from "../../admin/uploads/chosen_mapping.ts";
import type { UploadOptions } from "../../admin/uploads/uploads_sql.ts";
import { FIELD_NAMES } from "../../import/mapping/fields.ts";
import type { Preview } from "../../import/preview_snapshot.ts";
import { AdminTable } from "./admin_page.tsx";
import { FIELD_LABELS } from "./field_labels.ts";

/** The values of columns, by their names. */
type Samples = ReadonlyMap<string, readonly string[]>;

/** What each column means, with menus to change that. */
export function ColumnForm({ id, path, options, samples, preview }: {
  id: string;
  path: string;
  options: UploadOptions;
  samples: Samples;
  preview: Preview;
}) {
  const { fields } = options;
  return (
    <form method="post" action={`${path}/admin/upload/mapping`}>
      <input type="hidden" name="id" value={id} />
      <AdminTable label="Columns" columns={["Column", "Values found", "Meaning", "Details"]}>
        {[...samples].map(([column, values], place) => {
          const means = meaningOf(column, { fields, preview });
          return (
            <tr key={column}>
              <td>
                {column}
                <input type="hidden" name="column" value={column} />
                <input type="hidden" name={`before.${place}`} value={means} />
              </td>
              <td>{values.join(" · ")}</td>
              <td>
                <MeaningMenu place={place} column={column} means={means} />
              </td>
              <td>
                <ColumnDetails place={place} column={column} means={means} fields={fields} />
              </td>
            </tr>
          );
        })}
      </AdminTable>
      <Constants fields={fields} preview={preview} />
      <Conditions fields={fields} columns={[...samples.keys()]} />
      <Choices options={options} />
      <p>
        <button type="submit">Apply and check again</button>
      </p>
    </form>
  );
}

interface ColumnProps {
  place: number;
  column: string;
  means: string;
}

function MeaningMenu({ place, column, means }: ColumnProps) {
  return (
    <select name={`means.${place}`} aria-label={`Meaning of ${column}`}>
      <option value="" selected={means === ""}>(not used)</option>
      {FIELD_NAMES.map((field) => (
        <option key={field} value={field} selected={field === means}>{FIELD_LABELS[field]}</option>
      ))}
      <option value={TAGS} selected={means === TAGS}>Tags</option>
    </select>
  );
}

function ColumnDetails({ place, column, means, fields }: ColumnProps & { fields: Mapping }) {
  const rule = detailsOf(column, means, fields);
  if (isDate(means)) {
    return (
      <label>
        Date format <input name={`format.${place}`} value={String(rule?.format ?? "")} size={12} />
        {" "}
        <span class="quiet">such as DD.MM.YYYY; empty: the usual forms</span>
      </label>
    );
  }
  if (!isSplit(means)) return null;
  return (
    <label>
      Separator <input name={`split.${place}`} value={String(rule?.split ?? "")} size={4} />{" "}
      <span class="quiet">between several values, such as a comma</span>
    </label>
  );
}

/** The same value for every item, of fields that no column has. */
function Constants({ fields, preview }: { fields: Mapping; preview: Preview }) {
  const missing = missingConstants(preview);
  if (missing.length === 0) return null;
  return (
    <fieldset>
      <legend>The same for every item</legend>
      {missing.map((field) => (
        <p class="field" key={field}>
          <label for={`value-${field}`}>{FIELD_LABELS[field]}</label>
          <input
            id={`value-${field}`}
            name={`value.${field}`}
            value={String(ruleOf(fields[field])?.value ?? "")}
          />
        </p>
      ))}
    </fieldset>
  );
}

/** Which rows belong to the roadmap; conditions that are not this simple are in the JSON only. */
function Conditions({ fields, columns }: { fields: Mapping; columns: readonly string[] }) {
  const chosen = chosenRows(fields);
  if (chosen === null) return null;
  return (
    <fieldset>
      <legend>Only some rows</legend>
      <p class="field">
        <label for="where-column">Rows whose column</label>
        <select id="where-column" name="where_column">
          <option value="" selected={chosen.column === ""}>(all rows)</option>
          {columns.map((column) => (
            <option key={column} value={column} selected={column === chosen.column}>
              {column}
            </option>
          ))}
        </select>
      </p>
      <p class="field">
        <label for="where-values">is one of (separated by commas)</label>
        <input id="where-values" name="where_values" value={chosen.values} />
      </p>
    </fieldset>
  );
}

function Choices({ options: { sheet, partial, allowMassRemoval } }: { options: UploadOptions }) {
  return (
    <fieldset>
      <legend>File</legend>
      <p class="field">
        <label for="sheet">Sheet of a spreadsheet (empty: the first one)</label>
        <input id="sheet" name="sheet" value={sheet ?? ""} />
      </p>
      <p>
        <label>
          <input type="checkbox" name="partial" value="yes" checked={partial} />{" "}
          The file is partial: keep items that are missing from it
        </label>
      </p>
      <p>
        <label>
          <input type="checkbox" name="allow" value="yes" checked={allowMassRemoval} />{" "}
          Accept it even if it removes more than half of the items, or all of a product
        </label>
      </p>
    </fieldset>
  );
}
