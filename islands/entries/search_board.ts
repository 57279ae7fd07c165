import { hydrateIsland } from "../hydrate_island.ts";
import { SearchBoard } from "../search/search_board.tsx";

hydrateIsland("search_board", SearchBoard);
