import { ExpectedError } from "../../expected_error.ts";
import { FIELDS, type Fields } from "./fields.ts";
import { readJsonFile } from "../fetching/read_json_file.ts";

/** A mapping cannot be used; the message says each mistake. */
export class FieldsError extends ExpectedError {}

/**
 * Reads a mapping from a JSON file.
 *
 * @throws {FieldsError} that names the file, and each field that is wrong
 */
export async function readFieldsFile(path: string): Promise<Fields> {
  const value = await readJsonFile(path, path, FieldsError);
  const { data, error } = FIELDS.safeParse(value);
  if (data) return data;
  const mistakes = error.issues.map(({ path: [field, ...inside], message }) => {
    const keys = [field, ...inside].filter((key) => key !== undefined);
    return [...keys.map((key) => JSON.stringify(key)), message].join(" ");
  });
  throw new FieldsError(`Cannot use ${path}: ${mistakes.join("; ")}`);
}
