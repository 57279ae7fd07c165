import { FollowMenu } from "../follow_menu.tsx";
import { hydrateIsland } from "../hydrate_island.ts";

hydrateIsland("follow", FollowMenu);
