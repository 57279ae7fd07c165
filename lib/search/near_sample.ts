import type { Connection } from "../database/database.ts";
import type { DataVersion } from "../database/data_version.ts";
import {
  countPassing,
  MAX_NEAREST,
  type Question,
  readSample,
  SAMPLE_SIZE,
} from "./nearest_sql.ts";
import { AsyncCache } from "../work/async_cache.ts";

/** Vectors of length 1 that stand for all of a set, one after another, and the hashes of their texts. */
interface Sample {
  hashes: readonly string[];
  vectors: Float32Array;
}

/**
 * Tells without counting whether a search by meaning finds as many items as it may: it compares
 * some vectors that are kept until the data changes.
 */
export class NearSample {
  readonly #samples = new AsyncCache<Sample>({ max: 1 });
  readonly #passing = new AsyncCache<ReadonlyMap<string, number>>({ max: 100 });

  constructor(
    private readonly database: Connection,
    private readonly dataVersion: DataVersion,
  ) {}

  /**
   * Reads the sample, and returns the comparison: true if it is practically certain that at least
   * MAX_NEAREST items are near enough.
   */
  async prepare({ set, vector, minSimilarity, filter }: Question): Promise<() => boolean> {
    const key = [this.dataVersion.current, set.set_id];
    const { q: _, ...narrowing } = filter;
    const [sample, passing] = await Promise.all([
      this.#samples.get(
        JSON.stringify(key),
        async () => makeSample(await readSample(this.database, set)),
      ),
      this.#passing.get(
        JSON.stringify([...key, narrowing]),
        () => countPassing(this.database, set, narrowing),
      ),
    ]);
    // So many are expected where MAX_NEAREST items are near enough; by chance there would be so many
    // more (of a Poisson distribution) in one of ten million questions.
    const expected = MAX_NEAREST * Math.min(1, SAMPLE_SIZE / set.embedded);
    const plenty = expected + 5 * Math.sqrt(expected) + 5;
    return () => {
      const direction = normalise(vector);
      let near = 0;
      for (const [place, hash] of sample.hashes.entries()) {
        const items = passing.get(hash) ?? 0;
        if (items > 0 && similarity(sample, place, direction) >= minSimilarity) near += items;
        if (near > plenty) return true;
      }
      return false;
    };
  }
}

function makeSample(read: Awaited<ReturnType<typeof readSample>>): Sample {
  const dimensions = read[0]?.vector.length ?? 0;
  const vectors = new Float32Array(read.length * dimensions);
  read.forEach(({ vector }, place) => {
    vectors.set(normalise(vector), place * dimensions);
  });
  return { hashes: read.map(({ text_hash }) => text_hash), vectors };
}

function normalise(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
}

/** The cosine similarity of a vector of length 1 to one of the sample. */
function similarity({ vectors }: Sample, place: number, direction: Float32Array): number {
  const start = place * direction.length;
  let product = 0;
  for (let index = 0; index < direction.length; index++) {
    product += vectors[start + index]! * direction[index]!;
  }
  return product;
}
