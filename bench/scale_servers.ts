import { type Nginx, startNginx } from "./nginx.ts";
import { findFreePort, type Running, startProgram, startServer } from "./process.ts";

/** The example's limit for one client, from which the whole load comes. */
const RATE = "100000r/s";
const ADMIN_TOKEN = "token-of-the-benchmark";
const WARM_UP_PATHS = ["/", "/api/releases", "/rss", "/changelog"];
const HOUR_MS = 3_600_000;

/** Servers on one database behind nginx, and the mail server to which they send. */
export interface Servers extends AsyncDisposable {
  readonly nginx: Nginx;
  /** The addresses of the servers themselves. */
  readonly urls: readonly string[];
  readonly pids: readonly number[];
  readonly sinkPid: number;
  /** Stops the servers, which finish what they are doing. */
  stop(): Promise<void>;
}

/** Starts this many servers; the mail server notes its mails in a file. */
export async function startServers(
  count: number,
  { databaseUrl, mailsFile }: { databaseUrl: string; mailsFile: string },
): Promise<Servers> {
  await using starting = new AsyncDisposableStack();
  const sink = starting.use(await startProgram(["bench/smtp_sink.ts", mailsFile]));
  const ports = Array.from({ length: count }, findFreePort);
  const port = findFreePort();
  const environment = {
    DATABASE_URL: databaseUrl,
    BASE_URL: `http://127.0.0.1:${port}`,
    TRUSTED_PROXIES: "1",
    SMTP_URL: `smtp://127.0.0.1:${(sink.said as { port: number }).port}`,
    MAIL_FROM: "roadmap@example.com",
    ADMIN_TOKEN,
    // No moment of the schedule is near: the digests become due when the benchmark says so.
    DIGEST_TIME: new Date(Date.now() - HOUR_MS).toISOString().slice(11, 16),
  };
  const running: Running[] = await Promise.all(
    ports.map(async (port) =>
      starting.use(await startServer({ ...environment, PORT: String(port) }))
    ),
  );
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  for (const url of urls) {
    for (const path of WARM_UP_PATHS) await (await fetch(`${url}${path}`)).arrayBuffer();
  }
  const nginx = starting.use(await startNginx(ports, { port, rate: RATE }));
  const started = starting.move();
  return {
    nginx,
    urls,
    pids: running.map(({ pid }) => pid),
    sinkPid: sink.pid,
    stop: async () => {
      await Promise.all(running.map((server) => server[Symbol.asyncDispose]()));
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** Sends a snapshot to a server itself: the example of nginx takes no body of that size. */
export async function postImport(server: string, items: readonly unknown[]): Promise<unknown> {
  const response = await fetch(`${server}/api/import?partial=true`, {
    method: "POST",
    headers: { "Authorization": `Bearer ${ADMIN_TOKEN}`, "Content-Type": "application/json" },
    body: JSON.stringify(items),
  });
  return await response.json();
}
