/** A server of sources on loopback that records its requests. */
export interface SourceServer extends AsyncDisposable {
  readonly url: string;
  /** Path with query and response status, in the order of the requests. */
  readonly asked: string[];
}

/** Serves with a handler on a free port. */
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

/** A response with an entity tag; 304 if the client has it. */
export function answerConditionally(request: Request, etag: string, body: string): Response {
  const headers = { etag, "content-type": "application/json" };
  return request.headers.get("if-none-match") === etag
    ? new Response(null, { status: 304, headers })
    : new Response(body, { headers });
}
