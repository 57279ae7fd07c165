import {
  chosenRows,
  chosenUse,
  type ColumnUse,
  CONSTANTS,
  CONTROL,
  type DateChoice,
  dateNameIn,
  DATES,
  isDate,
  listUses,
  NOT_USED,
  ruleOf,
  ruleOfUse,
  TAGS,
} from "../../admin/uploads/choose_mapping.ts";
import type { UploadOptions } from "../../admin/uploads/uploads_sql.ts";
import { listOutcomes } from "../../import/describe_run.ts";
import { KIND_TITLES } from "../../import/kinds/known_kinds.ts";
import type { WrittenMapping } from "../../import/mapping/describe_columns.ts";
import type { FieldName } from "../../import/mapping/fields.ts";
import type { Preview } from "../../import/preview_snapshot.ts";
import type { SnapshotProblem } from "../../import/snapshot_error.ts";
import { formatDay } from "../../text/dates.ts";
import { countOf, shorten } from "../../text/phrases.ts";
import { describedBy, Mistake } from "../form_mistakes.tsx";
import type { Refused } from "./form.tsx";
import { describeCauses, FIELD_LABELS } from "./page_words.ts";

/** How an upload is read, as its form shows it. */
export interface MappingProps {
  options: UploadOptions;
  preview: Preview;
  /** What was chosen, where something of it cannot be. */
  refused?: Refused;
}

/** The first rows with a menu above each column, and what is wrong at its head. */
export function ColumnTable({ options: { fields }, preview, refused }: MappingProps) {
  const uses = listUses(preview, fields);
  if (uses.length === 0) return null;
  return (
    <div class="mapping-table" role="region" aria-label="Columns" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {uses.map((use) => (
              <ColumnHead
                key={use[0]}
                use={use}
                fields={fields}
                preview={preview}
                refused={refused}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {preview.first_rows.rows.map((row, place) => (
            <tr key={place}>
              {row.map((text, column) => <td key={column} dir="auto">{text}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ColumnHead({ use, fields, preview, refused }: Pick<MappingProps, "preview" | "refused"> & {
  use: ColumnUse;
  fields: WrittenMapping;
}) {
  const [column, ...all] = use;
  const chosen = refused?.form.get(CONTROL.use(use)) ?? chosenUse(use);
  const problems = preview.problems.filter((problem) => problem.column === column);
  const others = all.slice(1).map(labelOf);
  return (
    <th scope="col" class={problems.length > 0 ? "is-wrong" : undefined}>
      <select
        name={CONTROL.use(use)}
        aria-label={`What ${column} is`}
        class={chosen === NOT_USED ? "quiet" : undefined}
        aria-invalid={problems.length > 0 || undefined}
      >
        {[...Object.keys(FIELD_LABELS), DATES, TAGS, NOT_USED].map((name) => (
          <option key={name} value={name} selected={name === chosen}>{labelOf(name)}</option>
        ))}
      </select>
      <div class="mapping-name">
        {column}
        {others.length > 0 && `, also ${others.join(", ")}`}
      </div>
      <ColumnProblems problems={problems} column={column} />
      {all.map((name) => (
        <Details
          key={name}
          use={name}
          column={column}
          rule={ruleOfUse(fields, name)}
          refused={refused}
        />
      ))}
    </th>
  );
}

function labelOf(use: string): string {
  if (use === NOT_USED) return "not used";
  if (use === TAGS || use.startsWith(`${TAGS}:`)) return "Tags";
  if (use === DATES || dateNameIn(use) !== null) return "Another date";
  return FIELD_LABELS[use as FieldName];
}

/** What is wrong with a column; where a date may mean two days, a button for each. */
function ColumnProblems(
  { problems, column }: { problems: readonly SnapshotProblem[]; column: string },
) {
  const doubt = problems.find(({ date }) => date?.readings !== undefined);
  const unread = problems.find(({ date }) => date && date.readings === undefined);
  const others = problems.filter(({ date }) => date === undefined);
  if (problems.length === 0) return null;
  return (
    <div class="mapping-problem">
      {doubt && (
        <p>
          {doubt.date!.text} is {doubt.date!.readings!.map((day, place) => (
            <DateButton
              key={day}
              text={formatDay(day)}
              choice={doubt.date!.formats
                ? { column, field: fieldOf(doubt), format: doubt.date!.formats[place]! }
                : { column, field: fieldOf(doubt), values: { [doubt.date!.text]: day } }}
            />
          ))}
        </p>
      )}
      {unread && (
        <p>
          “{shorten(unread.date!.text, 40)}” is not a date.{" "}
          <DateButton
            text="It means no date"
            choice={{ column, field: fieldOf(unread), none: unread.date!.text }}
          />
        </p>
      )}
      {describeCauses(others).map((cause) => <p key={cause}>{cause}</p>)}
    </div>
  );
}

function fieldOf({ field }: SnapshotProblem): DateChoice["field"] {
  return (field ?? DATES) as DateChoice["field"];
}

function DateButton({ text, choice }: { text: string; choice: DateChoice }) {
  return (
    <button type="submit" class="second small" name="choose" value={JSON.stringify(choice)}>
      {text}
    </button>
  );
}

/** How the column of a date or of products is written. */
function Details({ use, column, rule, refused }: {
  use: string;
  column: string;
  rule: Record<string, unknown> | null;
  refused: Refused | undefined;
}) {
  const isSplit = use === "product_name" && (rule === null || rule.from !== undefined);
  if (!isDate(use) && !isSplit) return null;
  const name = dateNameIn(use);
  const controls = isDate(use)
    ? [
      ...name === null ? [] : [{ what: "name", label: "Name", value: name } as const],
      { what: "format", label: "Format", value: rule?.format, example: "DD.MM.YYYY" },
      { what: "none", label: "Words for no date", value: [rule?.none ?? []].flat().join(", ") },
    ] as const
    : [{ what: "split", label: "Separator of several", value: rule?.split }] as const;
  const all = controls.map((control) => ({
    ...control,
    name: CONTROL.detail(control.what, use, column),
  }));
  return (
    <details class="mapping-details" open={all.some(({ name }) => refused?.errors[name])}>
      <summary>{name === null ? "How it is written" : `${name}: how it is written`}</summary>
      {all.map(({ name, label, value, ...control }) => (
        <Typed
          key={name}
          name={name}
          label={label}
          value={String(value ?? "")}
          placeholder={"example" in control ? control.example : undefined}
          refused={refused}
        />
      ))}
    </details>
  );
}

/** A field of the form with its label, and what is wrong with what was typed. */
function Typed({ name, label, value, placeholder, refused }: {
  name: string;
  label: string;
  value: string;
  placeholder?: string;
  refused: Refused | undefined;
}) {
  const error = refused?.errors[name];
  // The name of a column may hold blanks, which no id may.
  const id = name.replaceAll(/\s/g, "_");
  const mistakes = error === undefined ? {} : { [id]: error };
  return (
    <>
      <label for={id}>{label}</label>{" "}
      <input
        id={id}
        name={name}
        value={refused?.form.get(name) ?? value}
        placeholder={placeholder}
        {...describedBy(id, mistakes)}
      />
      <Mistake of={id} mistakes={mistakes} role="alert" />
    </>
  );
}

/** Which rows belong to the roadmap, and what is the same for all of them. */
export function RowChoices({ options, preview, refused }: MappingProps) {
  const { fields, partial, allowMassRemoval, entry } = options;
  return (
    <section>
      <h2>Which rows</h2>
      <ul class="mapping-list">
        <Conditions
          fields={fields}
          columns={preview.first_rows.columns}
          refused={refused}
        />
        {entry === undefined && (
          <li>
            <label for="missing">Rows missing from this file</label>
            <select id="missing" name="missing">
              <option value="leave" selected={!partial}>leave the roadmap</option>
              <option value="stay" selected={partial}>stay on it</option>
            </select>
          </li>
        )}
        <li>
          <label>
            <input type="checkbox" name="allow" value="yes" checked={allowMassRemoval} />{" "}
            Allow removing more than half of the releases, or all of a product
          </label>
        </li>
        {CONSTANTS.map((field) => (
          <Constant
            key={field}
            field={field}
            fields={fields}
            preview={preview}
            refused={refused}
          />
        ))}
      </ul>
    </section>
  );
}

/** A field without a column may be the same for every row. */
function Constant(
  { field, fields, preview, refused }: Pick<MappingProps, "preview" | "refused"> & {
    field: FieldName;
    fields: WrittenMapping;
  },
) {
  const read = preview.columns.find((read) => read.field === field);
  const rule = ruleOf(fields[field]);
  const isFree = (read?.column ?? null) === null && (rule === null || rule.value !== undefined);
  if (!isFree || preview.columns.length === 0) return null;
  return (
    <li>
      <Typed
        name={CONTROL.value(field)}
        label={`${FIELD_LABELS[field]} of every row`}
        value={String(rule?.value ?? "")}
        placeholder={read?.value}
        refused={refused}
      />
    </li>
  );
}

/** Conditions that are not this simple are in the JSON only. */
function Conditions({ fields, columns, refused }: {
  fields: WrittenMapping;
  columns: readonly string[];
  refused: Refused | undefined;
}) {
  const chosen = chosenRows(fields);
  if (chosen === null || columns.length === 0) return null;
  const names = chosen.column === "" || columns.includes(chosen.column)
    ? columns
    : [...columns, chosen.column];
  return (
    <li>
      <details open={chosen.column !== ""}>
        <summary>{chosen.column === "" ? "All rows · Only some …" : "Only some rows"}</summary>
        <label>
          Rows whose{" "}
          <select name="where_column">
            <option value="" selected={chosen.column === ""}>(all rows)</option>
            {names.map((column) => (
              <option key={column} value={column} selected={column === chosen.column}>
                {column}
              </option>
            ))}
          </select>
        </label>{" "}
        <Typed
          name="where_values"
          label="is one of (separated by commas)"
          value={chosen.values}
          refused={refused}
        />
      </details>
    </li>
  );
}

/** What kind of document it is, and which sheet of a workbook. */
export function KindChoices({ options, preview }: MappingProps) {
  const { kind, sheet } = options;
  const found = kind === undefined && preview.kind
    ? `Found: ${KIND_TITLES[preview.kind]}`
    : "Found";
  const isWorkbook = sheet !== undefined || (preview.kind ?? "xlsx") === "xlsx";
  return (
    <p class="mapping-kind">
      <label>
        Kind{" "}
        <select name="kind">
          <option value="" selected={kind === undefined}>{found}</option>
          {Object.entries(KIND_TITLES).map(([name, text]) => (
            <option key={name} value={name} selected={name === kind}>{text}</option>
          ))}
        </select>
      </label>
      {isWorkbook && (
        <label>
          Sheet <input name="sheet" value={sheet ?? ""} placeholder="the only one with a table" />
        </label>
      )}
    </p>
  );
}

/** What an import would do, in one line; and how many things are to be decided first. */
export function summarize(
  { counts, total_problems: problems, item_count: items }: Preview,
): string {
  if (counts === null) {
    return problems === 0
      ? "Nothing can be imported"
      : `${countOf(problems, "problem")} to solve first`;
  }
  const [first, ...others] = listOutcomes({ ...counts, unchanged: 0 });
  if (first === undefined) return `Nothing changes: ${countOf(items, "release")}`;
  return [
    `${countOf(first[0], "release")} will be ${first[1]}`,
    ...others.map(([count, what]) => `${count} ${what}`),
  ].join(", ");
}
