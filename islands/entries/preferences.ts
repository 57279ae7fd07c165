import { showOwnTimes } from "../subscribe/show_own_times.ts";

showOwnTimes();
