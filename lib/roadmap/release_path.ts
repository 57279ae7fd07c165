import { z } from "zod";
import { uuid } from "../http/parameters.ts";

/** The parameter in the paths of one release. */
export const RELEASE_PATH = z.object({ release_item_id: uuid().describe("Of the release") });
