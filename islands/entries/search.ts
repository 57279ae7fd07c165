import { hydrateIsland } from "../hydrate_island.ts";
import { Search } from "../search/search.tsx";

hydrateIsland("search", Search);
