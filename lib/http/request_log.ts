import { getLogger, withContext } from "@logtape/logtape";
import type { Config } from "../config.ts";
import type { Metrics } from "./metrics.ts";
import type { Target } from "./target.ts";

const log = getLogger(["roadcast", "requests"]);

/** What a proxy or a client may call a request; another name is replaced. */
const REQUEST_ID = /^[\w.+\/=:@-]{1,128}$/;

/** Where a request went, told by whoever knows. */
export interface Walk {
  /** Null: the request does not say it clearly, and went nowhere. */
  readonly target: Target | null;
  /** The path of the route as in the table of routes; absent: no route took it. */
  route?: string;
}

/** Counts requests, and names and logs those that the settings want logged. */
export class RequestLog {
  constructor(
    private readonly metrics: Metrics,
    private readonly logs: Config["logRequests"],
  ) {}

  /** An answer that lay ready in memory: it gets an id only where one is asked for or logged. */
  noteFromMemory(request: Request, response: Response, target: Target): Response {
    this.metrics.countFromMemory(response.status);
    const given = request.headers.get("x-request-id");
    if (given === null && this.logs !== "all") return response;
    const id = requestId(given);
    response.headers.set("X-Request-Id", id);
    if (this.logs === "all") {
      this.#log(request, response, { target, request_id: id, cache: "memory" });
    }
    return response;
  }

  /** Has a request answered by the work; whatever that logs bears the id of the request. */
  async walk(request: Request, walk: Walk, work: () => Response | Promise<Response>) {
    const id = requestId(request.headers.get("x-request-id"));
    const started = performance.now();
    const response = await withContext({ request_id: id }, work);
    const seconds = (performance.now() - started) / 1000;
    this.metrics.countWalked(walk.route ?? "(none)", response, seconds);
    response.headers.set("X-Request-Id", id);
    if (this.logs !== "off") {
      const milliseconds = Math.round(seconds * 10_000) / 10;
      const { target, route } = walk;
      this.#log(request, response, { target, request_id: id, route, milliseconds });
    }
    return response;
  }

  /** The query stays away: it may hold a token, an address or what somebody looks for. */
  #log(
    { method }: Request,
    { status }: Response,
    { target, ...more }: { target: Target | null } & Record<string, unknown>,
  ): void {
    const path = target?.path ?? "(none)";
    log.info("{method} {path} {status}", { method, path, status, ...more });
  }
}

function requestId(given: string | null): string {
  return given !== null && REQUEST_ID.test(given) ? given : crypto.randomUUID();
}
