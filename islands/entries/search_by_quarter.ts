import { hydrateIsland } from "../hydrate_island.ts";
import { SearchByQuarter } from "../search/search_by_quarter.tsx";

hydrateIsland("search_by_quarter", SearchByQuarter);
