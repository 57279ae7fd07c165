import { ExpectedError, firstLineOf } from "../../expected_error.ts";
import { FIELDS, type Fields } from "./fields.ts";

/** A mapping cannot be used; the message says each mistake. */
export class FieldsError extends ExpectedError {}

/**
 * Reads a mapping from a JSON file.
 *
 * @throws {FieldsError} that names the file, and each field that is wrong
 */
export async function readFieldsFile(path: string): Promise<Fields> {
  const value = await readJson(path);
  const { data, error } = FIELDS.safeParse(value);
  if (data) return data;
  const mistakes = error.issues.map(({ path: [field, ...inside], message }) => {
    const keys = [field, ...inside].filter((key) => key !== undefined);
    return [...keys.map((key) => JSON.stringify(key)), message].join(" ");
  });
  throw new FieldsError(`Cannot use ${path}: ${mistakes.join("; ")}`);
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse((await Deno.readTextFile(path)).replace(/^\ufeff/, ""));
  } catch (error) {
    if (error instanceof SyntaxError) throw new FieldsError(`Cannot use ${path}: it is not JSON`);
    const isMissing = error instanceof Deno.errors.NotFound;
    throw new FieldsError(
      `Cannot read ${path}: ${isMissing ? "there is no such file" : firstLineOf(error)}`,
    );
  }
}
