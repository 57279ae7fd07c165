const FLAGS = [
  "--memory-saver-mode",
  "--heap-growing-percent=100",
  "--max-old-space-size=512",
  "--no-concurrent-array-buffer-sweeping",
];

/** With a PostgreSQL, for many requests a second. */
const FOR_SPEED = {
  flags: [...FLAGS, "--min-semi-space-size=4", "--max-semi-space-size=4"],
  environment: { MALLOC_TRIM_THRESHOLD_: "33554432", MALLOC_ARENA_MAX: "2" },
};

/** With the embedded database, for small machines. */
const FOR_MEMORY = {
  flags: [
    ...FLAGS,
    "--min-semi-space-size=1",
    "--max-semi-space-size=1",
    "--wasm-num-compilation-tasks=1",
    "--wasm-tiering-budget=260000000",
    "--no-wasm-inlining",
  ],
  environment: { MALLOC_TRIM_THRESHOLD_: "1048576", MALLOC_ARENA_MAX: "1" },
};

/**
 * How V8 and malloc manage the memory of a server or an import with or without a `DATABASE_URL`;
 * docs/operation.md, "Memory", says why.
 */
export function serverMemory(databaseUrl: string | undefined): {
  v8Flags: string;
  environment: Record<string, string>;
} {
  const { flags, environment } = databaseUrl ? FOR_SPEED : FOR_MEMORY;
  return { v8Flags: `--v8-flags=${flags.join(",")}`, environment };
}
