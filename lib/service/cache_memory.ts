/** How the memory for caches is divided, in sixty-fourths. */
const SHARES = {
  responses: 32,
  selections: 8,
  items: 12,
  addresses: 8,
  webhookBodies: 4,
} as const;

/** The most bytes that each cache of a process may take. */
export type CacheMemory = Readonly<Record<keyof typeof SHARES, number>>;

/** Divides the memory for caches (`CACHE_MEMORY_MB`) over them. */
export function divideCacheMemory(bytes: number): CacheMemory {
  return Object.fromEntries(
    Object.entries(SHARES).map(([cache, share]) => [cache, Math.floor(bytes * share / 64)]),
  ) as CacheMemory;
}
