/** How V8 and malloc manage the memory of a server; docs/operation.md, "Memory", says why. */
export const SERVER_MEMORY = {
  v8Flags: "--v8-flags=" + [
    "--memory-saver-mode",
    "--heap-growing-percent=100",
    "--min-semi-space-size=4",
    "--max-semi-space-size=4",
    "--max-old-space-size=512",
    "--no-concurrent-array-buffer-sweeping",
    "--wasm-num-compilation-tasks=1",
  ].join(","),
  environment: { MALLOC_TRIM_THRESHOLD_: "33554432", MALLOC_ARENA_MAX: "2" },
};
