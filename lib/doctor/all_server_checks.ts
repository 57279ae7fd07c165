import type { Check } from "./check.ts";
import { CLOCK_CHECKS, DATABASE_CHECKS, SETTINGS_CHECKS } from "./server_checks.ts";
import { SERVICE_CHECKS } from "./service_checks.ts";

/** The checks of a running server; its port is in use, and its disk only the command looks at. */
export const SERVER_CHECKS: readonly Check[] = [
  ...SETTINGS_CHECKS,
  ...DATABASE_CHECKS,
  ...SERVICE_CHECKS,
  ...CLOCK_CHECKS,
];
