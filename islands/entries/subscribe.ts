import { SubscribeForm } from "../subscribe/subscribe_form.tsx";
import { hydrateIsland } from "../hydrate_island.ts";

hydrateIsland("subscribe", SubscribeForm);
