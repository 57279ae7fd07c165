import { readConfig } from "../../lib/config/config.ts";
import { type Running, startCommand, startTask } from "./command.ts";
import { waitFor } from "./wait_for.ts";

const START_MS = 120_000;

/** A server in a separate process, which ends on disposal. */
export interface TestServer extends Running, AsyncDisposable {
  readonly url: string;
  readonly port: number;
}

/** Starts a server on a free port and waits until it responds. */
export function startServer(settings: Record<string, string>): Promise<TestServer> {
  const start = (settings: Record<string, string>) => startCommand(["serve"], settings);
  return startServerBy(start, settings, "SIGKILL");
}

/** Starts a server with the start task of this project, or of a copy of it. */
export function startServerByTask(
  settings: Record<string, string>,
  project?: URL,
): Promise<TestServer> {
  const start = (settings: Record<string, string>) => startTask(["start"], settings, project);
  // A killed task could not stop its server.
  return startServerBy(start, settings, "SIGTERM");
}

async function startServerBy(
  start: (settings: Record<string, string>) => Running,
  settings: Record<string, string>,
  lastSignal: Deno.Signal,
): Promise<TestServer> {
  const port = Number(settings.PORT ?? findFreePort());
  const origin = `http://127.0.0.1:${port}`;
  const running = start({ PORT: String(port), HOST: "127.0.0.1", BASE_URL: origin, ...settings });
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
      running.kill(lastSignal);
      await running.ended;
    },
  });
}

/** A port that is currently free. */
export function findFreePort(): number {
  using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  return listener.addr.port;
}
