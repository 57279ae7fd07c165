import { getLogger } from "@logtape/logtape";
import { ExpectedError } from "../lib/expected_error.ts";
import type { Config } from "../lib/config/config.ts";

const log = getLogger(["roadcast", "http"]);

/** The delay before a server that could not accept connections listens again. */
const PAUSE_MS = 50;
const LOG_EVERY_MS = 60_000;

/** The configured address cannot be listened on; the message says what to set instead. */
class ListenError extends ExpectedError {}

/**
 * Listens on the configured address, until it is stopped. `Deno.serve` ends for good when the process
 * has no file descriptors left, which any client can cause with enough connections: then idle
 * connections are closed, and it listens again.
 *
 * @throws {ListenError} if that is not possible
 */
export function listen(
  at: Pick<Config, "HOST" | "PORT">,
  { onListen, handler }: {
    onListen: (address: Deno.NetAddr) => void;
    handler: Deno.ServeHandler<Deno.NetAddr>;
  },
): { stop(): Promise<void> } {
  let server: Deno.HttpServer;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;
  let loggedAt = -Infinity;
  try {
    server = open(onListen);
  } catch (error) {
    throw listenError(at, error);
  }

  function open(onListen: (address: Deno.NetAddr) => void): Deno.HttpServer {
    const opened = Deno.serve({ hostname: at.HOST, port: at.PORT, onListen }, handler);
    opened.finished.catch((error) => {
      opened.shutdown().catch(() => {}); // it has failed already
      openLater(error);
    });
    return opened;
  }

  function openLater(error: unknown): void {
    if (isStopped) return;
    const now = performance.now();
    if (now - loggedAt >= LOG_EVERY_MS) {
      loggedAt = now;
      log.error("Cannot accept connections, closing idle ones: {error}", { error: String(error) });
    }
    timer = setTimeout(() => {
      try {
        server = open(() => {});
      } catch (error) {
        openLater(error);
      }
    }, PAUSE_MS);
  }

  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await server.shutdown();
    },
  };
}

/** Why an address cannot be listened on, and what to set instead. */
export function listenError(at: Pick<Config, "HOST" | "PORT">, error: unknown): ListenError {
  return new ListenError(`Cannot listen on ${formatAddress(at)}: ${reasonOf(error)}`);
}

/** An address as it stands in a URL: IPv6 in brackets (RFC 3986, section 3.2.2). */
export function formatAddress({ HOST: host, PORT: port }: Pick<Config, "HOST" | "PORT">): string {
  return `${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}`;
}

function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.AddrInUse) {
    return "another process is listening there. Stop it, or set PORT to a free port";
  }
  if (error instanceof Deno.errors.AddrNotAvailable) {
    return "this machine has no such address. Set HOST to one of this machine, or to 0.0.0.0 for all";
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return "ports below 1024 need more privileges. Set PORT to a higher one, or give the process CAP_NET_BIND_SERVICE";
  }
  const { message } = error as Error;
  return `${message}. Set HOST to an address of this machine, such as 127.0.0.1 or ::`;
}
