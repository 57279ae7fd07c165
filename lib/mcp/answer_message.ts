import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { VERSION } from "../version.ts";
import { getRelease, listChanges, listFilterOptions, searchReleases } from "./tools.ts";
import { readArguments, type Tool, type ToolContext } from "./tool.ts";

const TOOLS: readonly Tool[] = [searchReleases, getRelease, listChanges, listFilterOptions];

/**
 * Answers one message; the Model Context Protocol keeps no state here.
 *
 * @param explain what a caller may know of an error of a tool
 */
export async function answerMessage(
  { url, method, headers, signal }: Request,
  message: unknown,
  context: ToolContext,
  explain: (error: unknown, tool: string) => string,
): Promise<{ response: Response; body: ArrayBuffer }> {
  const handler = createMcpHandler(() => makeServer(context, explain), { maxSubscriptions: 0 });
  // The body is read already; the rest of the request is what the protocol looks at.
  const bare = new Request(url, { method, headers: withAccept(headers), signal });
  const parsedBody = readArguments(message, TOOLS);
  const response = await handler.fetch(bare, { parsedBody });
  // To its end, while the time and the limits of this request hold.
  const body = await response.arrayBuffer();
  await handler.close();
  return withoutEvents(response, body, headers.get("accept"));
}

const EVENTS = "text/event-stream";

/** The protocol asks for both types by name; whoever takes one of them is answered with that. */
function withAccept(headers: Headers): Headers {
  const accept = headers.get("accept") ?? "*/*";
  if (!/\*\/\*|application\/(?:json|\*)|text\/(?:event-stream|\*)/i.test(accept)) return headers;
  const both = new Headers(headers);
  both.set("accept", `application/json, ${EVENTS}`);
  return both;
}

/** A stream of one message as that message, for a client that has not asked for events by name. */
function withoutEvents(response: Response, body: ArrayBuffer, accept: string | null) {
  const isStream = response.headers.get("content-type")?.startsWith(EVENTS) ?? false;
  if (!isStream || accept?.toLowerCase().includes(EVENTS)) return { response, body };
  const lines = new TextDecoder().decode(body).split("\n");
  const data = lines.filter((line) => line.startsWith("data: ")).map((line) => line.slice(6));
  const headers = new Headers(response.headers);
  headers.set("content-type", "application/json");
  return {
    response: new Response(null, { status: response.status, headers }),
    body: new TextEncoder().encode(data.at(-1) ?? "").buffer,
  };
}

function makeServer(
  context: ToolContext,
  explain: (error: unknown, tool: string) => string,
): McpServer {
  const { site: { variant, url }, services: { config: { SITE_NAME: siteName }, oneState } } =
    context;
  const server = new McpServer(
    { name: "roadcast", title: siteName, version: VERSION, websiteUrl: `${url}/` },
    {
      capabilities: { tools: { listChanged: false } },
      instructions: `The release roadmap "${siteName}": features that are planned, in preview or ` +
        "shipped, by product, with dates and with what changed. It can only be read. Name releases " +
        "with the address of their page. Dates are plans and may move.",
    },
  );
  for (const tool of TOOLS) {
    const { name, title, input } = tool;
    server.registerTool(name, {
      title,
      description: tool.description(variant),
      inputSchema: input,
      outputSchema: tool.output(variant),
      annotations: { title, readOnlyHint: true, openWorldHint: false },
    }, async (given) => {
      try {
        const { structured, text } = await oneState.read(() => tool.answer(given, context));
        return { structuredContent: structured, content: [{ type: "text", text }] };
      } catch (error) {
        return { isError: true, content: [{ type: "text", text: explain(error, name) }] };
      }
    });
  }
  return server;
}
