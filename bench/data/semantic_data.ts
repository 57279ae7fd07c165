import { createHash } from "node:crypto";
import { seedRandom } from "./seed_random.ts";

/**
 * Vectors distributed like those of texts: all share a direction, those of one topic are closer,
 * and those of one subject in the topic closer still. The squares of these shares add up to 1.
 */
const ITEM_SHARES = { common: 0.45, topic: 0.55, subject: 0.45, own: 0.55 };
/** A query is short, so it says less about its subject than an item does. */
const QUESTION_SHARES = { common: 0.4, topic: 0.5, subject: 0.4, own: 0.65 };

const TOPICS = 200;
const SUBJECTS_PER_TOPIC = 10;
const PRODUCTS = 14;

/** One item of the benchmark: its filter values and its vector. */
export interface BenchItem {
  number: number;
  product: string;
  status: string;
  type: string;
  vector: Float32Array;
}

/** Makes the same items and the same queries from the same seed. */
export class SemanticData {
  #random: () => number;
  readonly #common: Float32Array;
  readonly #topics: Float32Array[];
  readonly #subjects: Float32Array[];

  constructor(private readonly dimensions: number, private readonly seed: number) {
    this.#random = seedRandom(seed);
    this.#common = this.#direction();
    this.#topics = Array.from({ length: TOPICS }, () => this.#direction());
    this.#subjects = Array.from(
      { length: TOPICS * SUBJECTS_PER_TOPIC },
      () => this.#direction(),
    );
  }

  /** Of 100 items, 50 are planned, 7 of one product, and 1 is a preview; products follow topics. */
  *items(count: number): Generator<BenchItem> {
    this.#random = seedRandom(this.seed + 1);
    for (let number = 0; number < count; number++) {
      const subject = this.#pick(this.#subjects.length);
      const topic = subject % TOPICS;
      const product = this.#random() < 0.8 ? topic % PRODUCTS : this.#pick(PRODUCTS);
      yield {
        number,
        product: `Product ${product}`,
        status: this.#random() < 0.5 ? "Planned" : "Shipped",
        type: this.#random() < 0.01 ? "Preview" : "General availability",
        vector: this.#vector(subject, ITEM_SHARES),
      };
    }
  }

  questions(count: number): Float32Array[] {
    this.#random = seedRandom(this.seed + 2);
    return Array.from(
      { length: count },
      () => this.#vector(this.#pick(this.#subjects.length), QUESTION_SHARES),
    );
  }

  #vector(subject: number, shares: typeof ITEM_SHARES): Float32Array {
    const own = this.#direction();
    const topicDirection = this.#topics[subject % TOPICS]!;
    const subjectDirection = this.#subjects[subject]!;
    return normalise(
      own.map((value, index) =>
        shares.own * value + shares.common * this.#common[index]! +
        shares.topic * topicDirection[index]! + shares.subject * subjectDirection[index]!
      ),
    );
  }

  #direction(): Float32Array {
    return normalise(Float32Array.from({ length: this.dimensions }, () => this.#bell()));
  }

  /** About the normal distribution: four dice. */
  #bell(): number {
    return this.#random() + this.#random() + this.#random() + this.#random() - 2;
  }

  #pick(count: number): number {
    return Math.floor(this.#random() * count);
  }
}

/** The text of an item's name, from which its hash follows. */
export function nameOf(number: number): string {
  return `Feature ${number}`;
}

/** What `items.text_hash` will hold for an item without a description. */
export function textHashOf({ number, product }: BenchItem): Uint8Array {
  return createHash("sha256").update(`${nameOf(number)}\x1f${product}\x1f`).digest();
}

function normalise(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
