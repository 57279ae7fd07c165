import { z } from "zod";
import { parseParameters } from "../../lib/http/parameters.ts";
import {
  CHANGED_RELEASES,
  CHANGED_RELEASES_QUERY,
  readChangedReleases,
} from "../../lib/roadmap/changes/changed_releases.ts";
import { json, type ReadHandler } from "../route.ts";

const AFTER = CHANGED_RELEASES_QUERY.shape.after.description!;

/** Which releases changed after a cursor: how pages know what is new to a visitor. */
export const changedReleases: ReadHandler = {
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
};
