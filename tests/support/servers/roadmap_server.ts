/** The responses of a roadmap server, by path. */
export type Answers = Record<string, (request: Request) => Response | Promise<Response>>;

/** A server on a free port of loopback; `at` returns the URL of a path. */
export interface RoadmapServer extends AsyncDisposable {
  at(path: string): string;
  /** Path and query of every request, in order. */
  readonly asked: string[];
}

/** Serves the given responses until disposed. */
export function serveRoadmap(answers: Answers): RoadmapServer {
  const asked: string[] = [];
  const hangups = new AbortController();
  const server = Deno.serve({
    port: 0,
    hostname: "127.0.0.1",
    onListen: () => {},
    signal: hangups.signal,
  }, (request) => {
    const { pathname, search } = new URL(request.url);
    asked.push(pathname + search);
    return answers[pathname]?.(request) ?? new Response("Nothing here", { status: 404 });
  });
  return {
    at: (path) => `http://127.0.0.1:${server.addr.port}${path}`,
    asked,
    async [Symbol.asyncDispose]() {
      hangups.abort();
      await server.finished;
    },
  };
}
