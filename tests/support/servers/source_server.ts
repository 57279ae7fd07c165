/** A server of sources on loopback that remembers what it was asked. */
export interface SourceServer extends AsyncDisposable {
  readonly url: string;
  /** Path with query, and the status of the answer, in the order of the requests. */
  readonly asked: string[];
}

/** Serves by a handler on a free port. */
export function serveSource(
  handler: (request: Request, url: URL) => Response | Promise<Response>,
): SourceServer {
  const asked: string[] = [];
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      const url = new URL(request.url);
      const response = await handler(request, url);
      asked.push(`${url.pathname}${url.search} ${response.status}`);
      return response;
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    asked,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** An answer with an entity tag: 304 where the client has it. */
export function answerConditionally(request: Request, etag: string, body: string): Response {
  const headers = { etag, "content-type": "application/json" };
  return request.headers.get("if-none-match") === etag
    ? new Response(null, { status: 304, headers })
    : new Response(body, { headers });
}
