import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { VERSION } from "../version.ts";
import { getRelease } from "./get_release.ts";
import { listChanges } from "./list_changes.ts";
import { listFilterOptions } from "./list_filter_options.ts";
import { searchReleases } from "./search_releases.ts";
import type { Tool, ToolAnswer, ToolContext } from "./tool.ts";

const TOOLS: readonly Tool[] = [searchReleases, getRelease, listChanges, listFilterOptions];

/** How a tool is run, so that it is bound as any other answer is. */
export interface ToolRunner {
  /** Runs as soon as there is room for an answer of so many bytes. */
  build(bytes: number | undefined, work: () => Promise<ToolAnswer>): Promise<ToolAnswer>;
  /** What a caller may know of an error. */
  explain(error: unknown, tool: string): string;
}

/** Answers one message; the Model Context Protocol keeps no state here. */
export async function answerMessage(
  { url, method, headers, signal }: Request,
  message: unknown,
  context: ToolContext,
  runner: ToolRunner,
): Promise<{ response: Response; body: ArrayBuffer }> {
  const handler = createMcpHandler(() => makeServer(context, runner), { maxSubscriptions: 0 });
  // The body is read already; the rest of the request is what the protocol looks at.
  const bare = new Request(url, { method, headers, signal });
  const response = await handler.fetch(bare, { parsedBody: message });
  // To its end, while the time and the limits of this request hold.
  const body = await response.arrayBuffer();
  await handler.close();
  return { response, body };
}

function makeServer(context: ToolContext, { build, explain }: ToolRunner): McpServer {
  const { site: { variant, url }, services: { config: { siteName } } } = context;
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
    const { name, title, input, bytes } = tool;
    server.registerTool(name, {
      title,
      description: tool.description(variant),
      inputSchema: input,
      outputSchema: tool.output(variant),
      annotations: { title, readOnlyHint: true, openWorldHint: false },
    }, async (given) => {
      try {
        const { structured, text } = await build(bytes, () => tool.answer(given, context));
        return { structuredContent: structured, content: [{ type: "text", text }] };
      } catch (error) {
        return { isError: true, content: [{ type: "text", text: explain(error, name) }] };
      }
    });
  }
  return server;
}
