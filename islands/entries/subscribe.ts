import { SubscribeForm } from "../subscribe/subscribe_form.tsx";
import { hydrateIsland } from "../hydrate_island.ts";
import { searchChoices } from "../subscribe/search_choices.ts";
import { showOwnTimes } from "../subscribe/show_own_times.ts";

hydrateIsland("subscribe", SubscribeForm);
searchChoices();
showOwnTimes();
