import { tellLastVisit } from "../last_visit.ts";

tellLastVisit();
