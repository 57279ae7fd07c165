import { hydrateIsland } from "../hydrate_island.ts";
import { SearchList } from "../search/search_list.tsx";

hydrateIsland("search_list", SearchList);
