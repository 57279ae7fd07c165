import { ExpectedError, firstLineOf } from "../../expected_error.ts";
import { decodeFile } from "../../text/encodings.ts";
import { MAPPING, type Mapping } from "../mapping/fields.ts";
import { describeFileError } from "./location.ts";

/**
 * Reads a JSON file.
 *
 * @throws {ExpectedError} of the given class, with the file as shown and why it cannot be read
 */
export async function readJsonFile(
  path: string,
  shown: string,
  Failure: new (message: string) => ExpectedError,
): Promise<unknown> {
  try {
    return JSON.parse(decodeFile(await Deno.readFile(path)));
  } catch (error) {
    throw new Failure(
      error instanceof SyntaxError
        ? `${shown} is not JSON: ${firstLineOf(error)}`
        : `Cannot read ${shown}: ${describeFileError(error)}`,
    );
  }
}

/**
 * Reads a mapping from a JSON file.
 *
 * @throws {ExpectedError} that names the file, and each field that is wrong
 */
export async function readFieldsFile(path: string): Promise<Mapping> {
  const value = await readJsonFile(path, path, ExpectedError);
  const { data, error } = MAPPING.safeParse(value);
  if (data) return data;
  const mistakes = error.issues.map(({ path: [field, ...inside], message }) => {
    const keys = [field, ...inside].filter((key) => key !== undefined);
    return [...keys.map((key) => JSON.stringify(key)), message].join(" ");
  });
  throw new ExpectedError(`Cannot use ${path}: ${mistakes.join("; ")}`);
}
