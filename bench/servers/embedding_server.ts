/** An OpenAI-compatible embedding service on loopback that returns the given vectors. */
export function startEmbeddingServer(
  vectorOf: (text: string) => Float32Array | Promise<Float32Array>,
): { url: string } & AsyncDisposable {
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      const { input, model } = await request.json();
      const vectors = await Promise.all([input].flat().map(vectorOf));
      const data = vectors.map((vector, index) => ({
        object: "embedding",
        index,
        embedding: new Uint8Array(vector.slice().buffer).toBase64(),
      }));
      return Response.json({ object: "list", model, data, usage: { total_tokens: 1 } });
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}/v1`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
