import type { ExpectedError } from "../../expected_error.ts";
import { describeFileError } from "./location.ts";
import { firstLineOf } from "../../expected_error.ts";

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
    return JSON.parse((await Deno.readTextFile(path)).replace(/^\ufeff/, ""));
  } catch (error) {
    throw new Failure(
      error instanceof SyntaxError
        ? `${shown} is not JSON: ${firstLineOf(error)}`
        : `Cannot read ${shown}: ${describeFileError(error)}`,
    );
  }
}
