import settings from "../deno.json" with { type: "json" };

/** The version of Roadcast that this is. */
export const VERSION: string = settings.version;
