/** How the server fails a request. */
export type Trouble =
  | { kind: "status"; status: number; message?: string; headers?: Record<string, string> }
  | { kind: "hang" }
  | { kind: "dimensions"; dimensions: number }
  | { kind: "garbage" };

/** One request as the server saw it. */
export interface EmbeddingRequest {
  input: string[];
  model: string;
  dimensions?: number;
  authorization: string | null;
}

/** An OpenAI-compatible embedding service on loopback with predictable vectors. */
export interface EmbeddingServer extends AsyncDisposable {
  /** The value of OPENAI_BASE_URL. */
  readonly url: string;
  readonly requests: EmbeddingRequest[];
  /** How the next requests fail, one after the other; later ones succeed. */
  readonly troubles: Trouble[];
  /** How every request fails; null: they succeed. */
  trouble: Trouble | null;
  /** Decides for each request how it fails; null: it succeeds. */
  judge: (request: EmbeddingRequest) => Trouble | null;
  /** The server waits for this before each response. */
  gate: Promise<void>;
}

export function startEmbeddingServer(
  embed: (text: string, dimensions: number, model: string) => ArrayLike<number> = embedWords,
): EmbeddingServer {
  const stopping = new AbortController();
  const served: EmbeddingServer = {
    url: "",
    requests: [],
    troubles: [],
    trouble: null,
    judge: () => null,
    gate: Promise.resolve(),
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await server.finished;
    },
  };
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", signal: stopping.signal, onListen: () => {} },
    async (request) => {
      const body = await request.json();
      const { model, dimensions } = body;
      const asked: EmbeddingRequest = {
        input: [body.input].flat(),
        model,
        dimensions,
        authorization: request.headers.get("authorization"),
      };
      served.requests.push(asked);
      await served.gate;
      const trouble = served.troubles.shift() ?? served.trouble ?? served.judge(asked);
      if (trouble?.kind === "hang") await aborted(stopping.signal);
      if (trouble?.kind === "garbage") return new Response("<p>Welcome</p>");
      if (trouble?.kind === "status") {
        const { status, headers, message = "It does not work" } = trouble;
        return Response.json({ error: { message, type: "test", code: null } }, { status, headers });
      }
      const length = trouble?.kind === "dimensions" ? trouble.dimensions : dimensions ?? 1536;
      const data = asked.input.map((text, index) => ({
        object: "embedding",
        index,
        embedding: encode(embed(text, length, model), body.encoding_format),
      }));
      return Response.json({ object: "list", model, data, usage: { total_tokens: 1 } });
    },
  );
  return Object.assign(served, { url: `http://127.0.0.1:${server.addr.port}/v1` });
}

function encode(vector: ArrayLike<number>, format: string | undefined) {
  const numbers = Float32Array.from(vector);
  return format === "base64" ? new Uint8Array(numbers.buffer).toBase64() : [...numbers];
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) =>
    signal.addEventListener("abort", () => resolve(), { once: true })
  );
}

const SYNONYMS = [
  ["car", "automobile", "vehicle"],
  ["dark", "night"],
  ["message", "chat", "conversation"],
];

/** A vector in which every word has its own direction, and synonyms are close together. */
export function embedWords(text: string, dimensions: number): number[] {
  const vector = new Array<number>(dimensions).fill(0);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    const group = SYNONYMS.find((words) => words.includes(word));
    vector[directionOf(group?.[0] ?? word, dimensions)]! += 1;
    if (group) vector[directionOf(`only ${word}`, dimensions)]! += 0.2;
  }
  if (!vector.some(Boolean)) vector[0] = 1;
  return vector;
}

/** FNV-1a */
function directionOf(word: string, dimensions: number): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(word)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0) % dimensions;
}
