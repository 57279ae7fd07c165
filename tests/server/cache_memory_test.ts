import { ok as assert } from "node:assert/strict";
import { divideCacheMemory } from "../../lib/service/start_service.ts";

Deno.test("All caches together stay within the memory setting, and each gets a share", () => {
  for (const bytes of [1, 3, 64, 65_536].map((megabytes) => megabytes * 1024 * 1024)) {
    const parts = Object.values(divideCacheMemory(bytes));
    assert(parts.reduce((sum, part) => sum + part, 0) <= bytes);
    assert(parts.every((part) => part >= bytes / 32), "each is of use");
  }
});
