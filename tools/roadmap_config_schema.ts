/**
 * Writes the JSON Schema of ROADMAP_CONFIG, with which an editor completes and validates the file:
 *
 *     deno task generate
 */
import { z } from "zod";
import { SOURCES_FILE } from "../lib/import/sources/source_config.ts";

const FILE = new URL("../docs/roadmap-config.schema.json", import.meta.url);

if (import.meta.main) await Deno.writeTextFile(FILE, formatConfigSchema());

/** The schema as it should be. */
export function formatConfigSchema(): string {
  const schema = z.toJSONSchema(SOURCES_FILE, {
    io: "input",
    unrepresentable: "any",
    reused: "ref",
  });
  return `${JSON.stringify(schema, null, 2)}\n`;
}
