/**
 * Fails the test during which a promise was rejected that nobody ever handled, instead of the
 * module with all tests after it. A promise that is handled later, as one that a test awaits only
 * after other steps, fails nothing.
 */
export function failTestsThatLeaveRejections(): void {
  const left = new Map<Promise<unknown>, unknown>();
  addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    left.set(event.promise, event.reason);
  });
  addEventListener(
    "rejectionhandled",
    (event) => left.delete((event as PromiseRejectionEvent).promise),
  );
  Deno.test.afterEach(() => {
    const [reason] = left.values();
    const count = left.size;
    left.clear();
    if (count > 0) {
      throw new Error("Left a rejected promise unhandled", { cause: reason });
    }
  });
}
