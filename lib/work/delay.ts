/** Waits; ends early, and throws the reason, if the signal is aborted. */
export function delay(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const give = () => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", give);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", give, { once: true });
  });
}
