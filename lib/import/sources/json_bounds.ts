import { MAX_ITEM_LENGTH } from "../mapping/snapshot_item.ts";
import { SnapshotError } from "../snapshot_error.ts";

const MAX_DEPTH = 64;

/**
 * Checks JSON before it is parsed: a parser would spend memory on every level, and on every
 * character of a value, before it could be refused.
 */
export class JsonBounds {
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** Characters of the item, or of what else there is between two items. */
  #length = 0;
  #column = 0;

  /** @param itemDepth how many levels enclose an item */
  constructor(
    private readonly location: string,
    private readonly itemDepth: number,
    private line = 1,
  ) {}

  /** @throws {SnapshotError} with the place where it is nested too deeply or an item is too long */
  check(text: string): void {
    for (let index = 0; index < text.length; index++) {
      this.#column++;
      if (++this.#length > MAX_ITEM_LENGTH) {
        this.#refuse(`it has an item or a value of more than ${MAX_ITEM_LENGTH} characters`);
      }
      const character = text.charCodeAt(index);
      if (this.#isInString) this.#seeInString(character);
      else this.#seeOutside(character);
    }
  }

  #seeInString(character: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (character === 0x5c /* \ */) this.#isEscaped = true;
    else if (character === 0x22 /* " */) this.#isInString = false;
  }

  #seeOutside(character: number): void {
    switch (character) {
      case 0x22: /* " */
        this.#isInString = true;
        break;
      case 0x5b: /* [ */
      case 0x7b: /* { */
        if (++this.#depth > MAX_DEPTH) this.#refuse(`it nests deeper than ${MAX_DEPTH} levels`);
        this.#startAnew();
        break;
      case 0x5d: /* ] */
      case 0x7d: /* } */
        this.#depth--;
        this.#startAnew();
        break;
      case 0x2c: /* , */
        this.#startAnew();
        break;
      case 0x0a: /* line feed */
        this.line++;
        this.#column = 0;
    }
  }

  #startAnew(): void {
    if (this.#depth <= this.itemDepth) this.#length = 0;
  }

  #refuse(reason: string): never {
    const place = `line ${this.line}, column ${this.#column}`;
    throw new SnapshotError(`Cannot read ${this.location}: ${reason}, at ${place}`);
  }
}
