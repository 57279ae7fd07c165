import { MAX_ITEM_LENGTH } from "../mapping/snapshot_item.ts";
import { SnapshotError } from "../snapshot_error.ts";

const MAX_COLUMNS = 1_000;

/** Checks CSV before it is parsed, since a parser buffers a row until its end. */
export class CsvBounds {
  readonly #delimiter: number;
  #isQuoted = false;
  #length = 0;
  #columns = 1;
  #line = 1;
  /** Where the row begins: it may have line breaks in quotes. */
  #rowLine = 1;

  constructor(private readonly location: string, delimiter: string) {
    this.#delimiter = delimiter.charCodeAt(0);
  }

  /** @throws {SnapshotError} with the line of a row that is too long or has too many columns */
  check(text: string): void {
    for (let index = 0; index < text.length; index++) {
      if (++this.#length > MAX_ITEM_LENGTH) {
        const doubt = this.#isQuoted ? ": is a quotation mark missing?" : "";
        this.#refuse(`is longer than ${MAX_ITEM_LENGTH} characters${doubt}`);
      }
      const character = text.charCodeAt(index);
      if (character === 0x0a /* line feed */) this.#line++;
      if (character === 0x22 /* " */) this.#isQuoted = !this.#isQuoted;
      else if (!this.#isQuoted) this.#seeOutside(character);
    }
  }

  #seeOutside(character: number): void {
    if (character === 0x0a || character === 0x0d /* carriage return */) {
      this.#rowLine = this.#line;
      this.#length = 0;
      this.#columns = 1;
    } else if (character === this.#delimiter && ++this.#columns > MAX_COLUMNS) {
      this.#refuse(`has more than ${MAX_COLUMNS} columns`);
    }
  }

  #refuse(reason: string): never {
    throw new SnapshotError(
      `Cannot read ${this.location}: its row in line ${this.#rowLine} ${reason}`,
    );
  }
}
