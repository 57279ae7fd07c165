import { notifyImmediately } from "../../../lib/delivery/notify_immediately.ts";
import type { Services } from "../../../lib/service/services.ts";
import { today } from "../../route.ts";

/** With what matches are changed. */
export function matchOptions(services: Services) {
  const { config, clock } = services;
  return { asOf: today(services), onChange: notifyImmediately(config, clock) };
}
