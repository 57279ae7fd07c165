import { readBody } from "../lib/http/requests/body.ts";
import { networkOf } from "../lib/http/clients/client_address.ts";
import { Problem } from "../lib/http/responses/problem.ts";
import type { Site } from "../lib/roadmap/sites.ts";
import { parseJson } from "../lib/text/values.ts";
import { toProblem } from "./_error.tsx";
import type { ActionConfig, ActionHandlers } from "./route.ts";

const MAX_BYTES = 64 * 1024;
/** JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = { code: -32700, message: "Parse error: the body is not JSON" };
/** MCP 2025-06-18, Key Changes: there are no batches any more. */
const BATCH_ERROR = { code: -32600, message: "Invalid Request: send one message, not a batch" };

export const config: ActionConfig = {
  errors: "json",
  summary: "The tools for assistants (Model Context Protocol)",
};

/** The Model Context Protocol over Streamable HTTP, stateless: tools for assistants. */
export const handler: ActionHandlers = {
  POST: {
    isOn: ({ MCP: mcp }) => mcp,
    async answer(request, { address, target }, context) {
      refuseOrigin(request, context.site);
      const text = await readBody(request, MAX_BYTES);
      const parsedBody = parseJson(text);
      if (parsedBody === undefined) return refuse(PARSE_ERROR);
      if (Array.isArray(parsedBody)) return refuse(BATCH_ERROR);
      // The library of the protocol takes 30 MB, and most servers are never asked.
      const { answerMessage } = await import("../lib/mcp/answer_message.ts");
      const asking = { ...context, client: networkOf(address) };
      let busy: Problem | undefined;
      const explain = (error: unknown, tool: string) => {
        const problem = toProblem(error, { method: tool, path: target.path });
        if (problem.status === 503) busy = problem;
        return problem.message;
      };
      const { response, body } = await context.services.gate.run(() =>
        answerMessage(request, parsedBody, asking, explain)
      );
      if (busy) throw busy;
      return withoutCache(body.byteLength > 0 ? body : null, response);
    },
  },
};

/**
 * MCP 2025-11-25, Transports, Security Warning: a page of another site must not reach a server
 * through the browser of a person who can (DNS rebinding).
 *
 * @throws {Problem} 403
 */
function refuseOrigin({ headers }: Request, { url }: Site): void {
  const origin = headers.get("origin");
  if (origin === null || origin === new URL(url).origin) return;
  throw new Problem(403, "Requests from pages of other sites are not allowed");
}

function refuse(error: { code: number; message: string }): Response {
  return withoutCache(JSON.stringify({ jsonrpc: "2.0", id: null, error }), {
    status: 400,
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
