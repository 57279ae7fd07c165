import OpenAI from "openai";
import type { Config } from "../config/config.ts";
import { EmbeddingError } from "./embedding_error.ts";
import { shorten, toLine } from "../text/phrases.ts";
import { secretsIn, withoutSecrets } from "../text/secrets.ts";
import { collectBytes, piecesOf } from "../work/byte_streams.ts";

/** Which model makes the vectors, and how long they are. */
export interface EmbeddingModel {
  model: string;
  dimensions: number;
}

/** What an answer may take for each text, and beside that: 4,000 numbers take 100 KB at most. */
const MAX_BYTES = { text: 2 ** 18, rest: 2 ** 20 };

/** Timeout and retries. */
export interface RequestLimits {
  /** For one attempt, until all of the answer is there, in milliseconds. */
  timeout: number;
  /** How often to retry after 429, 5xx or a lost connection, no sooner than the service asks. */
  maxRetries: number;
  signal?: AbortSignal;
}

/** An OpenAI-compatible embedding service. */
export class EmbeddingService implements EmbeddingModel {
  readonly model: string;
  readonly dimensions: number;
  /** Its origin, without the parts of the URL that may be secret. */
  readonly origin: string;
  readonly #client: OpenAI;
  readonly #apiKey: string | null;
  /** Models that reject the `dimensions` parameter because their length is fixed. */
  readonly #fixedModels = new Set<string>();

  constructor({ apiKey, baseUrl, model, dimensions }: NonNullable<Config["embedding"]>) {
    this.model = model;
    this.dimensions = dimensions;
    this.#apiKey = apiKey;
    this.#client = new OpenAI({
      apiKey: apiKey ?? "none", // the client insists on one, local services ignore it
      baseURL: baseUrl,
      organization: null,
      project: null,
      adminAPIKey: null,
      webhookSecret: null,
      logLevel: "off",
    });
    this.origin = new URL(this.#client.baseURL).origin;
  }

  /**
   * Makes a vector of each text, in the same order; null: what came for a text points nowhere.
   *
   * @throws {EmbeddingError} if the service is unavailable, refuses, or returns something else
   */
  async embed(
    texts: readonly string[],
    { model, dimensions }: EmbeddingModel,
    limits: RequestLimits,
  ): Promise<(Float32Array | null)[]> {
    const vectors = await this.#ask(texts, { model, dimensions }, limits);
    if (vectors.length !== texts.length) {
      throw new EmbeddingError(
        `${this.#name} returned ${vectors.length} vectors for ${texts.length} texts`,
        "perhaps",
      );
    }
    const wrong = vectors.find(({ length }) => length !== dimensions);
    if (wrong) {
      throw new EmbeddingError(
        `${this.#name} returned ${wrong.length} dimensions for ${model} instead of ` +
          `${dimensions}: set EMBEDDING_DIMENSIONS to that of the model`,
        "perhaps",
      );
    }
    return vectors.map((vector) =>
      vector.every(Number.isFinite) && vector.some(Boolean) ? vector : null
    );
  }

  async #ask(
    texts: readonly string[],
    { model, dimensions }: EmbeddingModel,
    limits: RequestLimits,
  ): Promise<Float32Array[]> {
    const length = this.#fixedModels.has(model) ? {} : { dimensions };
    const refused: Refused = { reason: null };
    const maxBytes = MAX_BYTES.rest + texts.length * MAX_BYTES.text;
    const client = this.#client.withOptions({ fetch: boundedFetch(maxBytes, refused) });
    try {
      const { data } = await client.embeddings.create(
        { model, input: [...texts], ...length },
        limits,
      );
      return data.toSorted((a, b) => a.index - b.index)
        .map(({ embedding }) => Float32Array.from(embedding));
    } catch (error) {
      if (!this.#fixedModels.has(model) && refusesDimensions(error)) {
        this.#fixedModels.add(model);
        return await this.#ask(texts, { model, dimensions }, limits);
      }
      if (refused.reason) throw new EmbeddingError(`${this.#name} ${refused.reason}`);
      throw this.#toEmbeddingError(error);
    }
  }

  /** The error of a text without a vector that can be compared. */
  zeroVector(): EmbeddingError {
    return new EmbeddingError(`${this.#name} returned a zero vector`, "certainly");
  }

  get #name(): string {
    return `The embedding service at ${this.origin}`;
  }

  #toEmbeddingError(error: unknown): EmbeddingError {
    if (error instanceof OpenAI.APIConnectionTimeoutError) {
      return new EmbeddingError(`${this.#name} did not answer in time`);
    }
    if (error instanceof OpenAI.APIUserAbortError) {
      return new EmbeddingError("The work was stopped");
    }
    if (error instanceof OpenAI.APIConnectionError) {
      return new EmbeddingError(`${this.#name} cannot be reached`);
    }
    if (error instanceof OpenAI.AuthenticationError) {
      return new EmbeddingError(`${this.#name} rejected the key: check OPENAI_API_KEY`);
    }
    if (error instanceof OpenAI.APIError && error.status !== undefined) {
      const isCertain = [400, 413, 422].includes(error.status) ||
        error.status >= 429 && TOO_LONG.test(error.message);
      const refusesInput = isCertain ? "certainly" : error.status >= 500 ? "perhaps" : false;
      const answer = this.#redact(error.message);
      return new EmbeddingError(`${this.#name} answered ${answer}`, refusesInput);
    }
    return new EmbeddingError(`${this.#name} returned something other than a list of vectors`);
  }

  /** Some services repeat the key in their message. */
  #redact(message: string): string {
    const secrets = [this.#apiKey ?? "", ...secretsIn(this.#client.baseURL)];
    return shorten(toLine(withoutSecrets(message, secrets)), 300);
  }
}

/** vLLM: "Model … does not support matryoshka representation"; OpenAI: "… specifying dimensions". */
function refusesDimensions(error: unknown): boolean {
  return error instanceof OpenAI.APIError && [400, 422].includes(error.status ?? 0) &&
    /dimension|matryoshka/i.test(error.message);
}

/** An answer that was cut off, as the client is to see it: a failure that it does not repeat. */
const NO_RETRY = { "x-should-retry": "false" };

/** What a service says of texts that are too long, whatever the status. */
const TOO_LONG =
  /too (?:large|long|many tokens)|context (?:length|size|window)|batch size|maximum (?:length|input)|token limit|exceeds? /i;

/** Why an answer was not read to its end. */
interface Refused {
  reason: string | null;
}

/**
 * Makes a fetch that follows no redirect and reads at most this many bytes. It returns when all of the
 * answer is read, so that a limit of time holds for that as well.
 *
 * @param refused is filled with the reason why an answer was refused
 */
function boundedFetch(maxBytes: number, refused: Refused): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: "manual" });
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      refused.reason = "redirects elsewhere: set OPENAI_BASE_URL to the address it leads to";
      return new Response(null, { status: 502, headers: NO_RETRY });
    }
    let body: Uint8Array<ArrayBuffer>;
    try {
      body = await collectBytes(piecesOf(response.body), maxBytes, () => {
        refused.reason = `sent more than ${Math.round(maxBytes / 2 ** 20)} MB`;
        throw new Error(refused.reason);
      });
    } catch (error) {
      if (refused.reason === null) throw error;
      return new Response(null, { status: 502, headers: NO_RETRY });
    }
    const headers = new Headers(response.headers);
    const isFinal = response.status >= 500 && TOO_LONG.test(new TextDecoder().decode(body));
    if (isFinal) headers.set("x-should-retry", "false");
    const { status, statusText } = response;
    return new Response(status === 204 ? null : body, { status, statusText, headers });
  };
}
