import { readConfig } from "../../lib/config.ts";
import { type Running, startCommand } from "./command.ts";
import { waitFor } from "./wait_for.ts";

const START_MS = 120_000;

/** A server in a process of its own; disposing it kills it. */
export interface TestServer extends Running, AsyncDisposable {
  readonly url: string;
  readonly port: number;
}

/** Starts a server on a free port and waits until it answers. */
export async function startServer(settings: Record<string, string>): Promise<TestServer> {
  const port = Number(settings.PORT ?? findFreePort());
  const origin = `http://127.0.0.1:${port}`;
  const running = startCommand(["serve"], {
    PORT: String(port),
    HOST: "127.0.0.1",
    BASE_URL: origin,
    ...settings,
  });
  const url = origin + readConfig(settings).basePath;
  let hasEnded = false;
  running.ended.then(() => hasEnded = true);
  await waitFor(`the server on port ${port}: ${settings.DATABASE_URL ?? ""}`, async () => {
    if (hasEnded) throw new Error(`The server ended:\n${running.output()}`);
    return await fetch(`${url}/health`).then(async (response) => {
      await response.body?.cancel();
      return response.ok;
    }, () => false);
  }, START_MS);
  return Object.assign(running, {
    url,
    port,
    async [Symbol.asyncDispose]() {
      running.kill("SIGKILL");
      await running.ended;
    },
  });
}

/** A port on which nobody listens just now. */
export function findFreePort(): number {
  using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  return listener.addr.port;
}
