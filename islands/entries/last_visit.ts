import { showLastVisit } from "../last_visit.ts";

showLastVisit();
