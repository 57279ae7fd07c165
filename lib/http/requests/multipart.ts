import { collectBytes } from "../../work/byte_streams.ts";
import { refuseBody } from "./body.ts";

const MAX_HEADER_BYTES = 16 * 1024;
/** More parts than any form of ours has. */
const MAX_PARTS = 100;
const LINE_END = Buffer.from("\r\n");
const BLANK_LINE = Buffer.from("\r\n\r\n");

/** A field or a file of a form; its content has to be read before the next part. */
interface FormPart {
  readonly name: string;
  /** Null: it is no file. */
  readonly fileName: string | null;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/**
 * Reads a form with files while it arrives (RFC 7578), however long a file is.
 *
 * @throws {Problem} 400 if it is not such a form, has more than 100 parts, or ends too soon
 */
export async function* readParts(
  contentType: string,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<FormPart> {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ??
    [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw refuseBody("is not a form");
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const scanner = new Scanner(chunks);
  try {
    for await (const _preamble of scanner.readUntil(delimiter));
    // The delimiter at the end has two dashes, any other one a line end.
    let parts = 0;
    while (!(await scanner.readShort(LINE_END)).startsWith("--")) {
      if (++parts > MAX_PARTS) throw refuseBody(`has more than ${MAX_PARTS} parts`);
      const head = await scanner.readShort(BLANK_LINE);
      const disposition = /^content-disposition:(.*)$/im.exec(head)?.[1] ?? "";
      const content = scanner.readUntil(delimiter);
      yield {
        name: parameterOf("name", disposition) ?? "",
        fileName: parameterOf("filename", disposition),
        chunks: content,
      };
      for await (const _rest of content);
    }
  } finally {
    await scanner.close();
  }
}

/** Browsers write a quotation mark as %22, and keep other characters as UTF-8. */
function parameterOf(name: string, disposition: string): string | null {
  const [, value] = new RegExp(`;\\s*${name}="([^"]*)"`, "i").exec(disposition) ?? [];
  return value?.replaceAll("%22", '"') ?? null;
}

/** Finds delimiters in chunks, of which it holds one at a time. */
class Scanner {
  readonly #chunks: AsyncIterator<Uint8Array>;
  /** A form begins with its delimiter, without the line end before it. */
  #rest: Buffer = LINE_END;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Nothing more is read. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  /** What comes before the delimiter, which is skipped. */
  async *readUntil(delimiter: Buffer): AsyncGenerator<Uint8Array> {
    while (true) {
      const found = this.#rest.indexOf(delimiter);
      if (found >= 0) {
        const before = this.#rest.subarray(0, found);
        this.#rest = this.#rest.subarray(found + delimiter.length);
        if (before.length > 0) yield before;
        return;
      }
      // Its end may be the beginning of a delimiter.
      const safe = Math.max(0, this.#rest.length - delimiter.length + 1);
      const before = this.#rest.subarray(0, safe);
      this.#rest = this.#rest.subarray(safe);
      if (before.length > 0) yield before;
      const { done, value } = await this.#chunks.next();
      // The end of a form has no line end in some programs.
      if (done && delimiter === LINE_END && this.#rest.length > 0) {
        yield this.#rest;
        return;
      }
      if (done) throw refuseBody("is not a form, or ended before it was complete");
      this.#rest = Buffer.concat([this.#rest, value]);
    }
  }

  /** The text before the delimiter, which is short. */
  async readShort(delimiter: Buffer): Promise<string> {
    const bytes = await collectBytes(this.readUntil(delimiter), MAX_HEADER_BYTES, () => {
      throw refuseBody("is not a form");
    });
    return new TextDecoder().decode(bytes);
  }
}
