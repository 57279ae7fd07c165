import { Search } from "../search.tsx";
import { hydrateIsland } from "../hydrate_island.ts";

hydrateIsland("search", Search);
