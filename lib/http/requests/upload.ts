import { piecesOf } from "../../work/byte_streams.ts";
import { refuseBody, tooLate } from "./body.ts";
import { Problem } from "../responses/problem.ts";
import { said } from "../../text/said.ts";

/** The idle timeout of a request body. */
const SILENCE_MS = 10_000;
/** The compressed bytes that are expanded at a time; they grow about a thousandfold at most. */
const PACKED_BYTES = 8 * 1024;

/** A large request body, while it arrives. */
interface Upload {
  /** In lower case, without parameters. */
  readonly contentType: string;
  /** From Content-Type; null if absent. */
  readonly charset: string | null;
  /** Uncompressed. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Absent if the client does not state it, or has compressed the body. */
  readonly length: number | null;
}

/**
 * Streams a request body without ever holding it as a whole. Reading it throws a Problem: 413 if it
 * is too long, compressed or not, 408 if it stalls, and 400 if it is not compressed as stated or
 * ends too soon.
 *
 * @throws {Problem} 415 for another media type or content coding; 413 if its stated length is too
 * long
 */
export function readUpload(
  { headers, body }: Request,
  { types, maxBytes }: { types: readonly string[]; maxBytes: number },
): Upload {
  const [type = "", ...parameters] = (headers.get("content-type") ?? "").split(";");
  const contentType = type.trim().toLowerCase();
  if (!types.includes(contentType)) {
    throw new Problem(415, `The Content-Type must be one of ${types.join(", ")}`, {
      headers: { Accept: types.join(", ") },
    });
  }
  const coding = (headers.get("content-encoding") ?? "identity").trim().toLowerCase();
  if (!["identity", "gzip", "x-gzip"].includes(coding)) {
    // RFC 9110, section 12.5.3: the accepted codings.
    throw new Problem(415, "The Content-Encoding must be gzip, or none", {
      headers: { "Accept-Encoding": "gzip" },
    });
  }
  const length = Number(headers.get("content-length")) || null;
  if (length !== null && length > maxBytes) throw tooLarge(maxBytes);
  const isPacked = coding !== "identity";
  const arriving = limit(arrive(body), maxBytes);
  return {
    contentType,
    charset: /charset="?([^";\s]+)/i.exec(parameters.join(";"))?.[1] ?? null,
    chunks: isPacked ? limit(unpack(arriving), maxBytes) : arriving,
    length: isPacked ? null : length,
  };
}

function tooLarge(maxBytes: number): Problem {
  return new Problem(413, `The body must be at most ${maxBytes / 1024 / 1024} MB long, unpacked`);
}

async function* limit(
  chunks: AsyncIterable<Uint8Array<ArrayBuffer>>,
  maxBytes: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    yield chunk;
  }
}

async function* arrive(body: Request["body"]): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const silence = new AbortController();
  const startTimer = () =>
    setTimeout(
      () => silence.abort(tooLate(said("problem.paused", { seconds: SILENCE_MS / 1000 }))),
      SILENCE_MS,
    );
  let timer = startTimer();
  try {
    for await (const piece of piecesOf(body, silence.signal)) {
      clearTimeout(timer);
      yield piece;
      timer = startTimer();
    }
  } catch (error) {
    throw error instanceof Problem ? error : refuseBody("ended before it was complete");
  } finally {
    clearTimeout(timer);
  }
}

async function* unpack(
  chunks: AsyncIterable<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let failure: Problem | null = null;
  const pieces = async function* () {
    try {
      for await (const chunk of chunks) {
        for (let start = 0; start < chunk.length; start += PACKED_BYTES) {
          yield chunk.subarray(start, start + PACKED_BYTES);
        }
      }
    } catch (error) {
      failure = error as Problem;
      throw error;
    }
  };
  try {
    yield* piecesOf(ReadableStream.from(pieces()).pipeThrough(new DecompressionStream("gzip")));
  } catch {
    throw failure ?? refuseBody("is not gzip, as Content-Encoding says");
  }
}
