import {
  choiceOf,
  CHOICES,
  chosenRows,
  CONSTANTS,
  currentChoice,
  isDate,
  ruleOf,
  tagChoice,
} from "../../admin/uploads/uploads.ts";
import type { UploadOptions } from "../../admin/uploads/uploads_sql.ts";
import type { WrittenMapping } from "../../import/mapping/describe_columns.ts";
import { FIELD_NAMES, type FieldName } from "../../import/mapping/fields.ts";
import type { Preview } from "../../import/preview_snapshot.ts";
import { describeProblem, type SnapshotProblem } from "../../import/snapshot_error.ts";
import { countOf } from "../../text/phrases.ts";
import { AdminTable } from "./admin_page.tsx";
import { KIND_NAMES } from "./source_form.tsx";

/** Where each field comes from, with menus to change that, and what is wrong with it. */
export function ColumnForm({ id, path, options, preview }: {
  id: string;
  path: string;
  options: UploadOptions;
  preview: Preview;
}) {
  const { fields } = options;
  const samples = new Map(
    preview.columns.flatMap(({ column, samples }) => column === null ? [] : [[column, samples]]),
  );
  const columns = [...samples.keys()];
  return (
    <form method="post" action={`${path}/admin/upload/mapping`}>
      <input type="hidden" name="id" value={id} />
      {columns.length > 0 && (
        <>
          <AdminTable label="Fields" columns={["Field", "Column", "Values found", "Details"]}>
            {FIELD_NAMES.map((field) => (
              <FieldRow
                key={field}
                field={field}
                fields={fields}
                preview={preview}
                samples={samples}
              />
            ))}
          </AdminTable>
          <Tags fields={fields} columns={columns} />
          <Conditions fields={fields} columns={columns} />
        </>
      )}
      <Choices options={options} preview={preview} />
      <p>
        <button type="submit">Apply and check again</button>
      </p>
    </form>
  );
}

interface FieldProps {
  field: FieldName;
  fields: WrittenMapping;
  preview: Preview;
}

function FieldRow(
  { field, fields, preview, samples }: FieldProps & {
    samples: ReadonlyMap<string, readonly string[]>;
  },
) {
  const read = preview.columns.find((read) => read.field === field);
  const values = read?.column ? samples.get(read.column) ?? [] : [];
  return (
    <tr>
      <td>
        <label for={`column-${field}`}>Column of the {FIELD_LABELS[field]}</label>
        {describeCauses(preview.problems.filter((problem) => problem.field === field))
          .map((cause) => <p key={cause} class="admin-problem">{cause}</p>)}
      </td>
      <td>
        <FieldMenu field={field} fields={fields} preview={preview} columns={[...samples.keys()]} />
      </td>
      <td>{values.join(" · ")}</td>
      <td>
        <Details field={field} rule={ruleOf(fields[field])} />
      </td>
    </tr>
  );
}

/** Problems in sentences, one for each cause: its first row, and how many more there are. */
export function describeCauses(problems: readonly SnapshotProblem[]): string[] {
  const causes = Map.groupBy(
    problems,
    ({ field, reason }) => `${field} ${reason.replace(/"[^"]*"|\d+/g, "")}`,
  );
  return [...causes.values()].map(([first, ...others]) => {
    const more = others.length > 0 ? ` (and ${countOf(others.length, "row")} more like it)` : "";
    return describeProblem(first!) + more;
  });
}

function FieldMenu(
  { field, fields, preview, columns }: FieldProps & { columns: readonly string[] },
) {
  const chosen = currentChoice(field, { fields, preview });
  const found = preview.columns.find((read) => read.field === field && read.by === "name")?.column;
  const option = (value: string, text: string) => (
    <option key={value} value={value} selected={value === chosen}>{text}</option>
  );
  return (
    <select id={`column-${field}`} name={`column.${field}`}>
      {option(CHOICES.byName, found ? `(by its name: ${found})` : "(by its name)")}
      {option(CHOICES.none, "(not used)")}
      {CONSTANTS.includes(field) && option(CHOICES.value, "(the same for every item)")}
      {chosen === CHOICES.rule && option(CHOICES.rule, "(as the mapping says)")}
      {columns.map((column) => option(choiceOf(column), column))}
    </select>
  );
}

function Details({ field, rule }: { field: FieldName; rule: Record<string, unknown> | null }) {
  const textOf = (name: string) => String(rule?.[name] ?? "");
  if (isDate(field)) {
    return (
      <>
        <label>
          Format <input name={`format.${field}`} value={textOf("format")} size={12} />{" "}
          <span class="quiet">such as DD.MM.YYYY; empty: the usual forms</span>
        </label>{" "}
        <label>
          No date <input name={`none.${field}`} value={[rule?.none ?? []].flat().join(", ")} />{" "}
          <span class="quiet">words such as Later, TBD</span>
        </label>
      </>
    );
  }
  return (
    <>
      {field === "product_name" && (
        <label>
          Separator <input name={`split.${field}`} value={textOf("split")} size={4} />{" "}
          <span class="quiet">between several values, such as a comma</span>
        </label>
      )}
      {CONSTANTS.includes(field) && (
        <label>
          Value <input name={`value.${field}`} value={textOf("value")} />{" "}
          <span class="quiet">the same for every item</span>
        </label>
      )}
    </>
  );
}

/** Each group of tags, and a place for one more. */
function Tags({ fields, columns }: { fields: WrittenMapping; columns: readonly string[] }) {
  const groups = Object.entries(Object(fields.tags) as WrittenMapping);
  return (
    <fieldset>
      <legend>Tags</legend>
      {[...groups, ["", null] as const].map(([group, written]) => {
        const chosen = group === "" ? CHOICES.byName : tagChoice(written, columns);
        return (
          <p class="field" key={group}>
            <input type="hidden" name="tag_group" value={group} />
            <label>
              {group === "" ? "Column of further tags" : `Column of the tags “${group}”`}{" "}
              <select name="tag_column">
                <option value={CHOICES.byName} selected={chosen === CHOICES.byName}>
                  (no tags)
                </option>
                {chosen === CHOICES.rule && (
                  <option value={CHOICES.rule} selected>(as the mapping says)</option>
                )}
                {columns.map((column) => (
                  <option
                    key={column}
                    value={choiceOf(column)}
                    selected={choiceOf(column) === chosen}
                  >
                    {column}
                  </option>
                ))}
              </select>
            </label>{" "}
            <label>
              Separator{" "}
              <input name="tag_split" value={String(ruleOf(written)?.split ?? "")} size={4} />
            </label>
          </p>
        );
      })}
    </fieldset>
  );
}

/** Which rows belong to the roadmap; conditions that are not this simple are in the JSON only. */
function Conditions({ fields, columns }: { fields: WrittenMapping; columns: readonly string[] }) {
  const chosen = chosenRows(fields);
  if (chosen === null) return null;
  const names = chosen.column === "" || columns.includes(chosen.column)
    ? columns
    : [...columns, chosen.column];
  return (
    <fieldset>
      <legend>Only some rows</legend>
      <p class="field">
        <label for="where-column">Rows whose column</label>
        <select id="where-column" name="where_column">
          <option value="" selected={chosen.column === ""}>(all rows)</option>
          {names.map((column) => (
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

function Choices({ options, preview }: { options: UploadOptions; preview: Preview }) {
  const { sheet, kind, partial, allowMassRemoval, entry } = options;
  const found = kind === undefined && preview.kind ? `Found: ${KIND_NAMES[preview.kind]}` : "Found";
  return (
    <fieldset>
      <legend>{entry ? "Source" : "File"}</legend>
      <p class="field">
        <label for="kind">Kind</label>
        <select id="kind" name="kind">
          <option value="" selected={kind === undefined}>{found}</option>
          {Object.entries(KIND_NAMES).map(([name, text]) => (
            <option key={name} value={name} selected={name === kind}>{text}</option>
          ))}
        </select>
      </p>
      <p class="field">
        <label for="sheet">Sheet of a spreadsheet (empty: the first one)</label>
        <input id="sheet" name="sheet" value={sheet ?? ""} />
      </p>
      {entry === undefined && (
        <p>
          <label>
            <input type="checkbox" name="partial" value="yes" checked={partial} />{" "}
            The file is partial: keep items that are missing from it
          </label>
        </p>
      )}
      <p>
        <label>
          <input type="checkbox" name="allow" value="yes" checked={allowMassRemoval} />{" "}
          Accept it even if it removes more than half of the items, or all of a product
        </label>
      </p>
    </fieldset>
  );
}

/** The fields of an item, in words that follow "column of the". */
const FIELD_LABELS: Readonly<Record<FieldName, string>> = {
  release_item_id: "id",
  feature_name: "name",
  release_date: "date",
  release_type: "type",
  release_status: "status",
  product_id: "product id",
  product_name: "product",
  feature_description: "description",
  blog_title: "title of a blog post",
  blog_url: "address of a blog post",
  last_modified: "last modification",
  created: "creation",
  active: "mark of active items",
};
