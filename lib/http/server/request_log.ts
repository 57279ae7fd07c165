import { getLogger, withContext } from "@logtape/logtape";
import type { Metrics } from "./metrics.ts";
import type { Target } from "../requests/target.ts";
import { shorten } from "../../text/phrases.ts";

const NO_ROUTE = "(none)";
/** A longer path is cut in the log: what a client sends must not fill the disk. */
const MAX_PATH_LENGTH = 500;

const log = getLogger(["roadcast", "requests"]);

/** A valid request id of a proxy or client; any other is replaced. */
const REQUEST_ID = /^[\w.+\/=:@-]{1,128}$/;

/** What is known about a running request, for the log. */
export interface RunningRequest {
  readonly target: Target;
  /** The matched route, as in the route table, below its site. */
  routeName?: string;
}

/** Counts requests, gives them ids, and logs those that no cache in memory answers. */
export class RequestLog {
  constructor(private readonly metrics: Metrics) {}

  /** A response from memory, which is not logged: it gets an id only if the request has one. */
  noteCached(request: Request, response: Response): Response {
    const given = request.headers.get("x-request-id");
    if (given !== null) response.headers.set("X-Request-Id", requestId(given));
    return response;
  }

  /** A response to what cannot be routed. */
  note(request: Request, response: Response): Response {
    const id = requestId(request.headers.get("x-request-id"));
    this.metrics.countRouted(NO_ROUTE, response, 0);
    response.headers.set("X-Request-Id", id);
    this.#log(request, response, { target: null, request_id: id });
    return response;
  }

  /** Gives a request an id and times it; everything logged meanwhile has that id. */
  async time(
    request: Request,
    running: RunningRequest,
    answer: () => Response | Promise<Response>,
  ): Promise<Response> {
    const id = requestId(request.headers.get("x-request-id"));
    const started = performance.now();
    const response = await withContext({ request_id: id }, answer);
    const seconds = (performance.now() - started) / 1000;
    const { target, routeName: route } = running;
    this.metrics.countRouted(route ?? NO_ROUTE, response, seconds);
    response.headers.set("X-Request-Id", id);
    const milliseconds = Math.round(seconds * 10_000) / 10;
    this.#log(request, response, { target, request_id: id, route, milliseconds });
    return response;
  }

  /** The query is left out: it may contain a token, an address or a search. */
  #log(
    { method }: Request,
    { status }: Response,
    { target, route = NO_ROUTE, ...more }: { target: Target | null } & Record<string, unknown>,
  ): void {
    const path = cutPath(target?.path ?? "(none)");
    // The message names the route and not the path, so that a line has that once.
    log.info("{method} {route} {status}", { method, route, path, status, ...more });
  }
}

export function cutPath(path: string): string {
  return shorten(path, MAX_PATH_LENGTH);
}

function requestId(given: string | null): string {
  return given !== null && REQUEST_ID.test(given) ? given : crypto.randomUUID();
}
