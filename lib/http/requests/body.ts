import { collectBytes, piecesOf } from "../../work/byte_streams.ts";
import { Problem } from "../responses/problem.ts";
import { countFields } from "./target.ts";
import { type Said, said } from "../../text/said.ts";

/** The limits of a request body: its size in bytes, and the time to receive it. */
const MAX_BYTES = 32 * 1024;
const MAX_MS = 10_000;
/** The most fields of a form: more than most pages have, and few enough for whatever looks at them. */
const MAX_FIELDS = 1_000;
const FORM_TYPES = ["application/x-www-form-urlencoded", "multipart/form-data"];

/**
 * Reads the JSON body of a request.
 *
 * @throws {Problem} 415 for another media type, 413 if it is longer than 32 KB, 408 if it is
 * incomplete, 400 if it is not JSON
 */
export async function readJson(request: Request): Promise<unknown> {
  if (mediaType(request) !== "application/json") {
    throw new Problem(415, "The body must be JSON, with Content-Type: application/json", {
      headers: { Accept: "application/json" },
    });
  }
  return parseBody(await readBody(request));
}

/** Parses a body, whatever its media type. @throws {Problem} 400 if it is not JSON */
export function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refuseBody("is not JSON");
  }
}

/**
 * Reads the fields of an HTML form, at most 1,000 unless more are allowed; files count as absent.
 *
 * @throws {Problem} 415, 413, 408 or 400, as `readJson`; 413 for more fields
 */
export async function readForm(
  request: Request,
  { maxBytes = MAX_BYTES, maxFields = MAX_FIELDS }: { maxBytes?: number; maxFields?: number } = {},
): Promise<URLSearchParams> {
  const type = mediaType(request);
  if (type === "application/x-www-form-urlencoded") {
    const body = await readBody(request, maxBytes);
    refuseManyFields(countFields(body), maxFields);
    return new URLSearchParams(body);
  }
  if (type !== "multipart/form-data") {
    throw new Problem(415, said("problem.not_a_form"), {
      headers: { Accept: FORM_TYPES.join(", ") },
    });
  }
  const body = await readBytes(request, maxBytes);
  const headers = { "Content-Type": request.headers.get("content-type")! };
  const form = await new Response(body, { headers }).formData()
    .catch(() => {
      throw refuseBody("is not a form");
    });
  const fields = [...form].filter(([, value]) => typeof value === "string");
  refuseManyFields(fields.length, maxFields);
  return new URLSearchParams(fields as [string, string][]);
}

function refuseManyFields(count: number, most: number): void {
  if (count <= most) return;
  throw new Problem(413, said("problem.fields", { count: String(most) }));
}

/**
 * Reads the body of a request that may be JSON or the fields of a form.
 *
 * @throws {Problem} 415, 413, 408 or 400, as `readJson`
 */
export async function readJsonOrForm(request: Request): Promise<unknown> {
  return FORM_TYPES.includes(mediaType(request))
    ? Object.fromEntries(await readForm(request))
    : await readJson(request);
}

/** A body that is not what it has to be. */
export function refuseBody(reason: string): Problem {
  return new Problem(400, `The body ${reason}`, { errors: [{ name: "body", reason }] });
}

function mediaType(request: Request): string {
  return (request.headers.get("content-type") ?? "").split(";")[0]!.trim().toLowerCase();
}

/**
 * Reads the text of a request, whatever its media type.
 *
 * @throws {Problem} 413, 408 or 400, as `readJson`
 */
export async function readBody(request: Request, maxBytes = MAX_BYTES): Promise<string> {
  const bytes = await readBytes(request, maxBytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw refuseBody("is not UTF-8");
  }
}

/** Enforces both limits, whatever Content-Length says. */
async function readBytes(
  { headers, body }: Request,
  maxBytes = MAX_BYTES,
): Promise<Uint8Array<ArrayBuffer>> {
  const tooLarge = () => new Problem(413, said("problem.too_large", { size: maxBytes / 1024 }));
  if (Number(headers.get("content-length")) > maxBytes) throw tooLarge();
  // Only what has arrived takes memory, however long a client says that its body is.
  const lateness = new AbortController();
  const timer = setTimeout(() => lateness.abort(), MAX_MS);
  try {
    return await collectBytes(piecesOf(body, lateness.signal), maxBytes, () => {
      throw tooLarge();
    });
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw lateness.signal.aborted
      ? tooLate(said("problem.too_slow", { seconds: MAX_MS / 1000 }))
      : refuseBody("ended before it was complete");
  } finally {
    clearTimeout(timer);
  }
}

/** RFC 9110, section 15.5.9: the connection cannot be reused. */
export function tooLate(detail: Said): Problem {
  return new Problem(408, detail, { headers: { Connection: "close" } });
}
