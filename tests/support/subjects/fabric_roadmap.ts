import { answerConditionally, serveSource, type SourceServer } from "../servers/source_server.ts";

const FOLDER = new URL("../../fixtures/fabric/", import.meta.url);
const DATA_ENGINEERING = "a731518f-36ca-ee11-9079-000d3a341a60";

/** A document of the fixtures: `broken.txt`, or `old_dates.txt`. */
export const readFabric = (name: string) => Deno.readTextFile(new URL(name, FOLDER));

/**
 * The Fabric roadmap with its 14 product families: the given document is used for Data Engineering,
 * the others have one item each.
 */
export async function serveFabricRoadmap(site: { document: string }): Promise<SourceServer> {
  const page = await readFabric("page.html");
  return serveSource((request, url) => {
    const id = url.searchParams.get("productId");
    const answer = id === null ? page : id === DATA_ENGINEERING ? site.document : documentOf(id);
    return answerConditionally(request, `"${id}-${answer.length}"`, answer);
  });
}

function documentOf(id: string): string {
  const item = {
    ReleaseItemID: id.replace(/^./, "f"),
    FeatureName: "Only one",
    ReleaseDate: "Q4 2026",
    ReleaseType: "Public preview",
    ReleaseStatus: "Planned",
    ProductID: id,
    ProductName: `Product ${id}`,
    isPublishExternally: "true",
    FeatureDescription: "",
  };
  return JSON.stringify({ results: [item] });
}
