import { deserialize, serialize } from "node:v8";

/** The length of a frame comes first, as an unsigned 32-bit number (big-endian). */
const LENGTH_BYTES = 4;

/** A stream of bytes to another process, and back. */
export type Wire = Pick<Deno.Conn, "readable" | "writable" | "close">;

/**
 * Values in both directions, one per frame: anything that can be cloned, bytes and dates included.
 */
export class Frames {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
  #chunk = new Uint8Array();

  constructor(private readonly wire: Wire) {
    this.#writer = wire.writable.getWriter();
    this.#reader = wire.readable.getReader();
  }

  async write(value: unknown): Promise<void> {
    const content = serialize(value);
    const frame = new Uint8Array(LENGTH_BYTES + content.length);
    new DataView(frame.buffer).setUint32(0, content.length);
    frame.set(content, LENGTH_BYTES);
    await this.#writer.write(frame);
  }

  /** The next value; null at the end, even within a frame. */
  async read(): Promise<{ value: unknown } | null> {
    const length = await this.#take(LENGTH_BYTES);
    if (length === null) return null;
    const content = await this.#take(new DataView(length.buffer).getUint32(0));
    return content && { value: deserialize(content) };
  }

  close(): void {
    try {
      this.wire.close();
    } catch {
      // It is closed already.
    }
  }

  /** This many bytes; null if the stream ends before. */
  async #take(count: number): Promise<Uint8Array<ArrayBuffer> | null> {
    const taken = new Uint8Array(count);
    for (let filled = 0; filled < count;) {
      if (this.#chunk.length === 0) {
        const { value } = await this.#reader.read().catch(() => ({ value: undefined }));
        if (value === undefined) return null;
        this.#chunk = value;
      }
      const part = this.#chunk.subarray(0, count - filled);
      taken.set(part, filled);
      filled += part.length;
      this.#chunk = this.#chunk.subarray(part.length);
    }
    return taken;
  }
}
