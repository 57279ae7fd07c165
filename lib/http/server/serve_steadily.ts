import { getLogger } from "@logtape/logtape";

const log = getLogger(["roadcast", "http"]);

/** The delay before a server that could not accept connections listens again. */
const PAUSE_MS = 50;
/** It is logged at most this often. */
const LOG_EVERY_MS = 60_000;

/**
 * Serves on a port until it is stopped. `Deno.serve` ends for good when the process has no file
 * descriptors left, which any client can cause with enough connections: then idle connections are
 * closed, and it listens again.
 *
 * @throws {Deno.errors.AddrInUse} if another process listens there
 */
export function serveSteadily(
  app: Deno.ServeHandler<Deno.NetAddr>,
  options: { port: number; hostname: string; onListen: (address: Deno.NetAddr) => void },
): { stop(): Promise<void> } {
  let server = open(options.onListen);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;
  let loggedAt = -Infinity;

  function open(onListen: (address: Deno.NetAddr) => void): Deno.HttpServer {
    const opened = Deno.serve({ ...options, onListen }, app);
    opened.finished.catch((error) => {
      opened.shutdown().catch(() => {}); // it has failed already
      openLater(error);
    });
    return opened;
  }

  function openLater(error: unknown): void {
    if (isStopped) return;
    report(error);
    timer = setTimeout(() => {
      try {
        server = open(() => {});
      } catch (error) {
        openLater(error);
      }
    }, PAUSE_MS);
  }

  function report(error: unknown): void {
    const now = performance.now();
    if (now - loggedAt < LOG_EVERY_MS) return;
    loggedAt = now;
    log.error("Cannot accept connections, closing idle ones: {error}", {
      error: String(error),
    });
  }

  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await server.shutdown();
    },
  };
}
