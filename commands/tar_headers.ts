/** Headers and contents fill blocks of this size (POSIX.1-2017, pax, "ustar Interchange Format"). */
const BLOCK = 512;
const SIZE = { start: 124, end: 136 };
const CHECKSUM = { start: 148, end: 156 };
const MAGIC = { start: 257, end: 262 };

/** Checks the headers of a tar archive while it arrives, and refuses anything else. */
export class TarHeaders {
  #bytes = 0;
  #entries = 0;
  #hasEnded = false;
  readonly #header = new Uint8Array(BLOCK);
  #filled = 0;
  /** What is left of the content of an entry, with what fills its last block. */
  #content = 0;

  /** What the archive takes, as far as its headers tell. */
  get bytes(): number {
    return this.#bytes + this.#content;
  }

  /** @throws where a header is none */
  read(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    for (let at = 0; at < chunk.length && !this.#hasEnded;) {
      const skipped = Math.min(this.#content, chunk.length - at);
      this.#content -= skipped;
      const part = chunk.subarray(at + skipped, at + skipped + BLOCK - this.#filled);
      this.#header.set(part, this.#filled);
      this.#filled += part.length;
      at += skipped + part.length;
      if (this.#filled === BLOCK) this.#readHeader();
    }
  }

  /** @throws where the archive ends within an entry, or has none */
  end(): void {
    if (this.#content > 0 || this.#filled > 0) throw new Error("it ends within a file");
    if (this.#entries === 0) throw new Error("it holds no files");
  }

  #readHeader(): void {
    this.#filled = 0;
    this.#hasEnded = this.#header.every((byte) => byte === 0);
    if (this.#hasEnded) return this.end();
    if (this.#text(MAGIC) !== "ustar" || this.#number(CHECKSUM) !== this.#checksum()) {
      throw new Error("it is not a tar archive");
    }
    const size = this.#number(SIZE);
    if (!Number.isFinite(size)) throw new Error("it is not a tar archive");
    this.#entries++;
    this.#content = Math.ceil(size / BLOCK) * BLOCK;
  }

  #text({ start, end }: { start: number; end: number }): string {
    return new TextDecoder().decode(this.#header.subarray(start, end));
  }

  /** Numbers are octal digits. */
  #number(place: { start: number; end: number }): number {
    return parseInt(this.#text(place), 8);
  }

  /** The sum of all bytes, with the checksum field itself counted as blanks. */
  #checksum(): number {
    const { start, end } = CHECKSUM;
    return this.#header.reduce(
      (sum, byte, place) => sum + (place >= start && place < end ? 32 : byte),
      0,
    );
  }
}
