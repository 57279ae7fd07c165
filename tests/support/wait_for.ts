/** Polls until the condition holds. */
export async function waitFor(
  what: string,
  holds: () => boolean | Promise<boolean>,
  withinMs = 60_000,
): Promise<void> {
  const until = performance.now() + withinMs;
  while (!await holds()) {
    if (performance.now() > until) throw new Error(`Waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Reads /health or /ready once its database answers in time, which a busy machine may take a while for. */
// deno-lint-ignore no-explicit-any
export async function readHealth(read: () => Promise<any>): Promise<any> {
  let health;
  await waitFor("the database", async () => (health = await read()).database === "ok");
  return health;
}
