import { hydrateIsland } from "../hydrate_island.ts";
import { SearchTimeline } from "../search/search_timeline.tsx";

hydrateIsland("search_timeline", SearchTimeline);
