import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { VERSION } from "../version.ts";
import { getRelease } from "./get_release.ts";
import { listChanges } from "./list_changes.ts";
import { listFilterOptions } from "./list_filter_options.ts";
import { searchReleases } from "./search_releases.ts";
import type { Tool, ToolContext } from "./tool.ts";

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
  const bare = new Request(url, { method, headers, signal });
  const response = await handler.fetch(bare, { parsedBody: message });
  // To its end, while the time and the limits of this request hold.
  const body = await response.arrayBuffer();
  await handler.close();
  return { response, body };
}

function makeServer(
  context: ToolContext,
  explain: (error: unknown, tool: string) => string,
): McpServer {
  const { site: { variant, url }, services: { config: { SITE_NAME: siteName } } } = context;
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
        const { structured, text } = await tool.answer(given, context);
        return { structuredContent: structured, content: [{ type: "text", text }] };
      } catch (error) {
        return { isError: true, content: [{ type: "text", text: explain(error, name) }] };
      }
    });
  }
  return server;
}
