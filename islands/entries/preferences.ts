import { searchChoices } from "../subscribe/search_choices.ts";
import { showOwnTimes } from "../subscribe/show_own_times.ts";

searchChoices();
showOwnTimes();
