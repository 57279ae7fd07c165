/// <reference lib="deno.unstable" />

/**
 * Has due work done every minute by `Deno.cron`, where that exists: on Deno Deploy, which starts a
 * stopped process for it, and with `--unstable-cron`. Deploy collects schedules while the main
 * module loads, so this is called before anything is awaited.
 */
export function scheduleDueWork(signal: AbortSignal): void {
  Deno.cron?.("Due work", "* * * * *", { signal }, async () => {
    const { runDueWork } = await import("./serve.ts");
    await runDueWork();
  });
}
