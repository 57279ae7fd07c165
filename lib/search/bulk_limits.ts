import type { RequestLimits } from "./embedding_service.ts";

/** Timeout and retries of requests that no client waits for. */
export const BULK_LIMITS: RequestLimits = { timeout: 60_000, maxRetries: 8 };
