import { z } from "zod";
import { parseParameters } from "../../../lib/http/requests/parameters.ts";
import {
  CHANGED_RELEASES,
  CHANGED_RELEASES_QUERY,
  readChangedReleases,
} from "../../../lib/roadmap/changes/read_changes.ts";
import { json, type ReadConfig, type ReadHandlers } from "../../route.ts";

const AFTER = CHANGED_RELEASES_QUERY.shape.after.description!;

export const config: ReadConfig = {
  cache: "data",
  errors: "json",
  summary: "The releases that changed after a cursor",
};

/** Which releases changed after a cursor: how pages know what is new to a visitor. */
export const handler: ReadHandlers = {
  GET: {
    describe: () => ({
      tag: "Changes",
      details: "To mark what is new. Start without `after`, and store `next_after` as in " +
        "`/api/changes`.",
      // What a client sends as a cursor is a text.
      query: z.object({ after: z.string().optional().describe(AFTER) }),
      answers: { 200: { description: "The releases", schema: CHANGED_RELEASES } },
    }),
    read({ query }, { services: { database }, site: { variant } }) {
      const parsed = parseParameters(CHANGED_RELEASES_QUERY, query);
      return {
        normalised: parsed,
        build: async () => json(await readChangedReleases(parsed, { database, variant })),
      };
    },
  },
};
