import { isCancel, log, select, text } from "@clack/prompts";
import type { Config } from "../../lib/config/config.ts";
import { ExpectedError } from "../../lib/expected_error.ts";
import {
  checkMapping,
  chooseMapping,
  chosenRows,
  detailsOf,
  isDate,
  isSplit,
  type Mapping,
  meaningOf,
  missingConstants,
  ruleOf,
  TAGS,
} from "../../lib/admin/uploads/chosen_mapping.ts";
import { sampleColumns } from "../../lib/admin/uploads/sample_columns.ts";
import { Problem } from "../../lib/http/problem.ts";
import type { ImportOptions } from "../../lib/import/import_options.ts";
import { compileDateFormat } from "../../lib/import/mapping/date_format.ts";
import { FIELD_NAMES, FIELDS, type Fields } from "../../lib/import/mapping/fields.ts";
import { FieldsError, readFieldsFile } from "../../lib/import/mapping/read_fields_file.ts";
import { type Preview, previewLocation } from "../../lib/import/preview_snapshot.ts";
import { readJsonFile } from "../../lib/import/reading/read_json_file.ts";
import { describeFileError, showLocation } from "../../lib/import/reading/location.ts";
import { shorten } from "../../lib/text/shorten.ts";
import { toLine } from "../../lib/text/to_line.ts";
import { FIELD_LABELS } from "../../lib/ui/admin/field_labels.ts";
import { withDatabase } from "../command.ts";
import { formatPreview } from "../print_preview.ts";

const NAME_LENGTH = 60;

type Samples = ReadonlyMap<string, readonly string[]>;

/**
 * Asks in the terminal what the columns of a source mean, until the dry run is right, and writes the
 * mapping to the file, whose mapping it begins with if there is one.
 *
 * @throws {ExpectedError} without a terminal, where the source has no columns, or if it is cancelled
 */
export async function setUpMapping(
  location: string,
  { config, options, file }: { config: Config; options: ImportOptions; file: string },
): Promise<Fields> {
  if (!Deno.stdin.isTerminal() || !Deno.stdout.isTerminal()) {
    throw new ExpectedError(
      "--setup asks questions, so it needs a terminal: elsewhere name a mapping with --fields FILE",
    );
  }
  if (/^https?:/i.test(location) && file.startsWith(location)) {
    throw new ExpectedError("--setup of a URL needs --fields FILE, where it writes the mapping");
  }
  let mapping = await readMapping(file);
  const withFields = () => ({ ...options, fields: FIELDS.parse(mapping) });
  const lookAgain = () =>
    withDatabase(config, (database) => previewLocation(database, location, withFields()), {
      migrates: "empty",
    });
  const samples = await sampleColumns(location, withFields());
  let preview = await lookAgain();
  if (samples.size === 0 || preview.columns.length === 0) {
    const shown = showLocation(location);
    throw new ExpectedError(`${shown} has field names of its own: import it without --setup`);
  }
  do {
    try {
      mapping = chooseMapping(mapping, await askForMapping(samples, { fields: mapping, preview }));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      log.error(error.message);
      continue;
    }
    preview = await lookAgain();
    console.log(`\n${formatPreview(preview)}\n`);
  } while (!await isDone(preview));
  await writeMapping(file, mapping);
  console.log(`The mapping is in ${file}: pass it with --fields when you import the next file.`);
  return FIELDS.parse(mapping);
}

async function readMapping(file: string): Promise<Mapping> {
  const isThere = await Deno.stat(file).then(() => true, () => false);
  if (!isThere) return {};
  await readFieldsFile(file); // says what is wrong with it
  return checkMapping(await readJsonFile(file, file, FieldsError));
}

async function writeMapping(file: string, mapping: Mapping): Promise<void> {
  try {
    await Deno.writeTextFile(file, `${JSON.stringify(mapping, null, 2)}\n`);
  } catch (error) {
    throw new ExpectedError(`Cannot write ${file}: ${describeFileError(error)}`);
  }
}

/** The answers, as the form of an upload has them. */
async function askForMapping(
  samples: Samples,
  { fields, preview }: { fields: Mapping; preview: Preview },
): Promise<URLSearchParams> {
  const form = new URLSearchParams();
  for (const [place, [column, values]] of [...samples].entries()) {
    const before = meaningOf(column, { fields, preview });
    const taken = FIELD_NAMES.filter((field) => isTaken(form, field));
    const means = await ask(select({
      message: `What is "${nameOf(column)}"? It has: ${values.join(" · ")}`,
      options: [
        { value: "", label: "(not used)" },
        ...FIELD_NAMES.filter((field) => !taken.includes(field))
          .map((field) => ({ value: field as string, label: FIELD_LABELS[field] })),
        { value: TAGS, label: "Tags" },
      ],
      initialValue: taken.some((field) => field === before) ? "" : before,
    }));
    form.append("column", column);
    form.set(`before.${place}`, before);
    form.set(`means.${place}`, means);
    await askForDetails(form, { place, rule: detailsOf(column, means, fields), means });
  }
  for (const field of missingConstants(preview).filter((field) => !isTaken(form, field))) {
    form.set(
      `value.${field}`,
      await askForText(`${FIELD_LABELS[field]} of every item (empty: none)`, {
        initialValue: ruleOf(fields[field])?.value,
      }),
    );
  }
  await askForRows(form, { samples, fields });
  return form;
}

function isTaken(form: URLSearchParams, field: string): boolean {
  return [...form].some(([name, value]) => name.startsWith("means.") && value === field);
}

async function askForDetails(
  form: URLSearchParams,
  { place, rule, means }: { place: number; rule: Mapping | null; means: string },
): Promise<void> {
  if (isDate(means)) {
    const format = await askForText("How are its dates written? (empty: in the usual forms)", {
      initialValue: rule?.format,
      placeholder: "DD.MM.YYYY",
      validate: (format) =>
        !format?.trim() || compileDateFormat(format.trim())
          ? undefined
          : "Write it with YYYY, YY, MMMM, MMM, MM, M, DD and D, such as DD.MM.YYYY",
    });
    form.set(`format.${place}`, format);
  }
  if (isSplit(means)) {
    const split = await askForText("What stands between several values? (empty: it has one)", {
      initialValue: rule?.split,
      placeholder: ",",
    });
    form.set(`split.${place}`, split);
  }
}

async function askForRows(
  form: URLSearchParams,
  { samples, fields }: { samples: Samples; fields: Mapping },
): Promise<void> {
  const chosen = chosenRows(fields);
  if (chosen === null) return;
  const column = await ask(select({
    message: "Which rows belong to the roadmap?",
    options: [
      { value: "", label: "All rows" },
      ...[...samples.keys()].map((column) => (
        { value: column, label: `Rows with certain values of "${nameOf(column)}"` }
      )),
    ],
    initialValue: chosen.column,
  }));
  form.set("where_column", column);
  if (column === "") return;
  form.set(
    "where_values",
    await askForText("Which values, separated by commas?", {
      initialValue: column === chosen.column ? chosen.values : "",
    }),
  );
}

async function isDone({ total_problems: problems }: Preview): Promise<boolean> {
  const next = await ask(select({
    message: problems > 0 ? "It cannot be imported like this." : "Is this right?",
    options: [
      ...problems > 0 ? [] : [{ value: "import", label: "Yes, import it" }],
      { value: "change", label: "Change the mapping" },
      { value: "stop", label: "Stop without importing" },
    ],
  }));
  if (next === "stop") throw cancelled();
  return next === "import";
}

function askForText(
  message: string,
  { initialValue, ...options }: {
    initialValue: unknown;
    placeholder?: string;
    validate?: (value: string | undefined) => string | undefined;
  },
): Promise<string> {
  const given = typeof initialValue === "string" ? initialValue : "";
  return ask(text({ message, initialValue: given, defaultValue: "", ...options }));
}

async function ask(question: Promise<string | symbol>): Promise<string> {
  const answer = await question;
  if (isCancel(answer)) throw cancelled();
  return answer as string;
}

function cancelled(): ExpectedError {
  return new ExpectedError("Cancelled: nothing was imported");
}

function nameOf(column: string): string {
  return shorten(toLine(column), NAME_LENGTH);
}
