import { ExpectedError } from "../lib/expected_error.ts";
import type { Config } from "../lib/config/config.ts";
import { serveSteadily } from "../lib/http/server/serve_steadily.ts";

/** The configured address cannot be listened on; the message says what to set instead. */
class ListenError extends ExpectedError {}

/**
 * Listens on the configured address, until it is stopped.
 *
 * @throws {ListenError} if that is not possible
 */
export function listen(
  { HOST: host, PORT: port }: Pick<Config, "HOST" | "PORT">,
  { onListen, handler }: {
    onListen: (address: Deno.NetAddr) => void;
    handler: Deno.ServeHandler<Deno.NetAddr>;
  },
): { stop(): Promise<void> } {
  try {
    return serveSteadily(handler, { hostname: host, port, onListen });
  } catch (error) {
    throw listenError({ HOST: host, PORT: port }, error);
  }
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
