import { getLogger } from "@logtape/logtape";
import type { Connection, Database } from "../database/database.ts";
import { doWhenDue } from "../database/leases.ts";
import {
  announceEmbeddings,
  countUnembedded,
  dropForgotten,
  type EmbeddingSet,
  findSet,
  PgvectorMissing,
  prepareSet,
  readNoise,
  readUnembedded,
  storeEmbeddings,
  storeMinSimilarity,
  type UnembeddedItem,
} from "./embeddings_sql.ts";
import { EmbeddingError } from "./embedding_error.ts";
import type { EmbeddingService, RequestLimits } from "./embedding_service.ts";
import type { SemanticSearch } from "./semantic_search.ts";
import type { Item } from "../roadmap/item.ts";

const log = getLogger(["roadcast", "semantic"]);

/** Bounds of one call: OpenAI takes 2,048 texts and 300,000 tokens; a token is one byte at least. */
const BATCH = { texts: 256, bytes: 250_000 };
/** If this many texts in a row are refused one by one, the service is at fault, not the texts. */
const MAX_REFUSED_IN_A_ROW = 3;
/** While many items are embedded, cached responses are invalidated this often. */
const ANNOUNCE_MS = 5_000;

/** The services of our settings take 8,191 tokens; a token is one byte at least. */
const MAX_BYTES = 8_000;
/** Timeout and retries of requests that no client waits for. */
const BULK_LIMITS: RequestLimits = { timeout: 60_000, maxRetries: 8 };

/** Queries that no roadmap answers, from different parts of life. */
const UNRELATED = `
  apple pie recipe, train to the mountains, birthday presents, rain and snow tomorrow, feeding
  a cat, beach holiday with children, haircut, violin concert, secondhand bicycle, when to
  plant tomatoes, sore throat, fresh bread, winter coat, museum opening hours, names for a
  baby girl, washing wool, mushroom soup, marathon training plan, goldfish, repairing a leaky
  roof
`.trim().split(/,\s+/);

interface EmbedCounts {
  /** Texts that got a vector. */
  embedded: number;
  /** Texts that the service refuses; they are found by substring, and tried again in the next run. */
  refused: number;
  /** The first of these, and why. */
  skipped: { name: string; reason: string }[];
}

/** No more of what was refused is named. */
const MAX_SKIPPED = 10;

export interface EmbedOptions {
  onProgress?: (progress: { done: number; total: number }) => void;
  /** Measures the minimum similarity of a model that is new, or of items that mostly are. */
  measures?: boolean;
  /** Stops the work after the current call; stored vectors stay. */
  signal?: AbortSignal;
}

/**
 * Embeds every item text that has no vector of the configured model; null if another process is
 * doing so. Each batch is stored at once, so an interrupted run resumes where it stopped.
 *
 * @throws {EmbeddingError} where the service fails
 * @throws {PgvectorMissing} where the database cannot hold vectors
 */
export async function embedItems(
  database: Database,
  service: EmbeddingService,
  options: EmbedOptions = {},
): Promise<EmbedCounts | null> {
  let counts: EmbedCounts | null = null;
  // It may begin at any time, but in one process at once.
  await doWhenDue(database, { name: "embedding", everySeconds: 0 }, async () => {
    const set = await prepareSet(database, service);
    counts = await new EmbedRun(database, service, set, options).run();
    if (options.signal?.aborted) return;
    await dropForgotten(database, set);
    const isNew = set.min_similarity === null ||
      counts.embedded > 0 && counts.embedded * 2 >= (await findSet(database, service))!.embedded;
    if (options.measures && isNew) {
      await measureMinSimilarity(database, service, { set, signal: options.signal });
    }
  });
  return counts;
}

/**
 * What has no vector in a set: how many texts, the name of the release with the first of them, and why
 * the service makes none of it, which it is asked once more; null: it was not asked yet, or nothing lacks
 * one.
 */
export async function explainUnembedded(
  connection: Connection,
  service: EmbeddingService,
  set: EmbeddingSet,
  limits: RequestLimits,
): Promise<{ count: number; name: string; reason: string | null } | null> {
  const [first] = await readUnembedded(connection, set, { after: "", limit: 1 });
  if (first === undefined) return null;
  const asked = service.embed([embeddingText(first)], set, limits);
  const error = await asked.then(([vector]) => vector ? null : service.zeroVector(), (error) => {
    if (error instanceof EmbeddingError && error.refusesInput) return error;
    throw error;
  });
  return {
    count: await countUnembedded(connection, set),
    name: first.feature_name,
    reason: error?.message ?? null,
  };
}

type Text = UnembeddedItem & { text: string };

/** One pass over all texts without a vector. */
class EmbedRun {
  readonly #counts: EmbedCounts = { embedded: 0, refused: 0, skipped: [] };
  #refusedInARow = 0;
  #maxTexts = BATCH.texts;
  /** What it was before a batch was split; null: none is. */
  #splitFrom: number | null = null;
  #refusal: EmbeddingError | null = null;
  /** A call that failed each time is not repeated as often when it is split. */
  #limits = BULK_LIMITS;
  #announcedAt = performance.now();
  #hasNews = false;

  constructor(
    private readonly database: Database,
    private readonly service: EmbeddingService,
    private readonly set: EmbeddingSet,
    private readonly options: EmbedOptions,
  ) {}

  async run(): Promise<EmbedCounts> {
    try {
      return await this.#embedAll();
    } finally {
      if (this.#hasNews) await announceEmbeddings(this.database);
    }
  }

  async #embedAll(): Promise<EmbedCounts> {
    const total = await countUnembedded(this.database, this.set);
    let after = "";
    while (!this.options.signal?.aborted) {
      const done = this.#counts.embedded + this.#counts.refused;
      this.options.onProgress?.({ done, total: Math.max(done, total) });
      const page = { after, limit: this.#maxTexts };
      const items = await readUnembedded(this.database, this.set, page);
      if (items.length === 0) break;
      const batch = fitBytes(items.map((item) => ({ ...item, text: embeddingText(item) })));
      if (await this.#embedBatch(batch)) after = batch.at(-1)!.text_hash;
    }
    return this.#counts;
  }

  /** Stores the vectors of a batch; false if it was too large and must be split. */
  async #embedBatch(batch: readonly Text[]): Promise<boolean> {
    const vectors = await this.#ask(batch);
    if (vectors === null) return false;
    const made = batch.flatMap(({ text_hash }, index) => {
      const vector = vectors[index];
      return vector ? [{ text_hash, vector }] : [];
    });
    const announce = this.#isTimeToAnnounce();
    await storeEmbeddings(this.database, this.set, { embeddings: made, announce });
    this.#hasNews = !announce && (this.#hasNews || made.length > 0);
    this.#counts.embedded += made.length;
    batch.forEach((item, index) => {
      const vector = vectors[index];
      if (vector) this.#refusedInARow = 0;
      else this.#passOver(item, vector === null ? this.service.zeroVector() : this.#refusal!);
    });
    return true;
  }

  /** The vectors of a batch, none for one text that is refused; null: the batch must be split. */
  async #ask(batch: readonly Text[]): Promise<(Float32Array | null)[] | null> {
    try {
      return await this.service.embed(batch.map(({ text }) => text), this.set, {
        ...this.#limits,
        signal: this.options.signal,
      });
    } catch (error) {
      if (this.options.signal?.aborted) return null;
      if (!(error instanceof EmbeddingError) || !error.refusesInput) throw error;
      if (error.refusesInput === "perhaps") this.#limits = { ...BULK_LIMITS, maxRetries: 1 };
      if (batch.length > 1) {
        this.#splitFrom ??= this.#maxTexts;
        this.#maxTexts = Math.ceil(batch.length / 2);
        return null;
      }
      // It was this text, and not their number.
      this.#maxTexts = this.#splitFrom ?? this.#maxTexts;
      this.#splitFrom = null;
      this.#refusal = error;
      return [];
    }
  }

  /** Goes on without a text that gets no vector; several in a row are the fault of the service. */
  #passOver({ release_item_id, feature_name }: Text, error: EmbeddingError): void {
    this.#counts.refused++;
    if (++this.#refusedInARow >= MAX_REFUSED_IN_A_ROW) throw error;
    const { skipped } = this.#counts;
    if (skipped.length < MAX_SKIPPED) skipped.push({ name: feature_name, reason: error.message });
    log.warn("Passed over {name} ({id}), which is found by its words: {reason}", {
      name: feature_name,
      id: release_item_id,
      reason: error.message,
    });
  }

  #isTimeToAnnounce(): boolean {
    const now = performance.now();
    if (now - this.#announcedAt < ANNOUNCE_MS) return false;
    this.#announcedAt = now;
    return true;
  }
}

/** As many leading texts as fit into one call, at least one. */
function fitBytes(texts: readonly Text[]): Text[] {
  let bytes = 0;
  const end = texts.findIndex(({ text }, index) => {
    bytes += new TextEncoder().encode(text).length;
    return index > 0 && bytes > BATCH.bytes;
  });
  return texts.slice(0, end === -1 ? texts.length : end);
}

/**
 * Embeds new and changed texts, unless another process does; the next run takes up what failed.
 * `failed` counts runs that the service or the database ended.
 */
export async function embedDueItems(
  database: Database,
  semantic: SemanticSearch,
  signal: AbortSignal,
): Promise<Record<"embedded" | "refused" | "failed", number>> {
  try {
    const counts = await embedItems(database, semantic.service, {
      signal,
      measures: semantic.usesMeasured,
    });
    const { embedded = 0, refused = 0 } = counts ?? {};
    if (embedded > 0) log.info("Embedded items: {counts}", { counts: { embedded, refused } });
    return { embedded, refused, failed: 0 };
  } catch (error) {
    if (!(error instanceof EmbeddingError || error instanceof PgvectorMissing)) throw error;
    semantic.warn(error.message);
    return { embedded: 0, refused: 0, failed: 1 };
  }
}

/**
 * What is embedded of an item; what the hash `items.text_hash` covers, and nothing else.
 *
 * ```ts
 * const item = { feature_name: "Dark mode", product_name: "Teams", feature_description: null };
 * if (embeddingText(item) !== "Dark mode\nTeams") throw new Error(embeddingText(item));
 * ```
 */
export function embeddingText(
  item: Pick<Item, "feature_name" | "product_name" | "feature_description">,
): string {
  const { feature_name, product_name, feature_description } = item;
  const text = [feature_name, product_name, feature_description].filter(Boolean).join("\n");
  // It ends with a whole character.
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(MAX_BYTES));
  return text.slice(0, read);
}

/**
 * Measures how similar items are to queries that have nothing to do with them, and stores the least
 * similarity with which nine in ten of these find nothing; null: there are no items.
 *
 * @throws {EmbeddingError} where the service fails
 */
export async function measureMinSimilarity(
  database: Database,
  service: EmbeddingService,
  { set, signal }: { set: EmbeddingSet; signal?: AbortSignal },
): Promise<number | null> {
  const vectors = await service.embed(UNRELATED, set, { ...BULK_LIMITS, signal });
  const noise = await readNoise(database, set, vectors.filter((vector) => vector !== null));
  if (noise === null) return null;
  const measured = Math.min(1, (Math.floor(noise * 100) + 1) / 100);
  await storeMinSimilarity(database, set, measured);
  return measured;
}
