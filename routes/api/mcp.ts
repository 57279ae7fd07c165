import { readBody } from "../../lib/http/body.ts";
import { networkOf } from "../../lib/http/client_address.ts";
import { Problem } from "../../lib/http/problem.ts";
import type { Site } from "../../lib/roadmap/sites.ts";
import { toProblem } from "../_error.tsx";
import type { ActionHandler } from "../route.ts";

const MOST_BYTES = 64 * 1024;
/** JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = { code: -32700, message: "Parse error: the body is not JSON" };

/** The Model Context Protocol over Streamable HTTP, stateless: tools for assistants. */
export const mcp: ActionHandler = {
  isOn: ({ mcp }) => mcp,
  async answer(request, { address, target }, context) {
    refuseOrigin(request, context.site);
    const text = await readBody(request, MOST_BYTES);
    const parsedBody = parse(text);
    if (parsedBody === undefined) {
      return answerJson({ jsonrpc: "2.0", id: null, error: PARSE_ERROR }, 400);
    }
    // The library of the protocol takes 30 MB, and most servers are never asked.
    const { answerMessage } = await import("../../lib/mcp/answer_message.ts");
    const { buildLimit } = context.services;
    const asking = { ...context, client: networkOf(address) };
    const { response, body } = await answerMessage(request, parsedBody, asking, {
      build: (bytes, work) => buildLimit.build(bytes, work),
      explain: (error, tool) => toProblem(error, { method: tool, path: target.path }).message,
    });
    return withoutCache(body.byteLength > 0 ? body : null, response);
  },
};

/**
 * MCP 2025-11-25, Transports, Security Warning: a page of another site must not reach a server
 * through the browser of somebody who can (DNS rebinding).
 *
 * @throws {Problem} 403
 */
function refuseOrigin({ headers }: Request, { url }: Site): void {
  const origin = headers.get("origin");
  if (origin === null || origin === new URL(url).origin) return;
  throw new Problem(403, "A page of another site cannot ask this for its visitors");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function answerJson(value: unknown, status: number): Response {
  return withoutCache(JSON.stringify(value), {
    status,
    headers: new Headers({ "Content-Type": "application/json" }),
  });
}

function withoutCache(
  body: BodyInit | null,
  { status, headers }: Pick<Response, "status" | "headers">,
): Response {
  const all = new Headers(headers);
  all.set("Cache-Control", "no-store");
  return new Response(body, { status, headers: all });
}
