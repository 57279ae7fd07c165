import { TryApi } from "../api/try_api.tsx";
import { hydrateIsland } from "../hydrate_island.ts";

hydrateIsland("try_api", TryApi);
