import { getLogger } from "@logtape/logtape";
import { DatabaseAway } from "../database.ts";
import type { OpenOptions, Request, WorkerNotice } from "./pglite_worker.ts";

const log = getLogger(["roadcast", "data"]);

const WORKER = new URL("./pglite_worker.ts", import.meta.url);

/** The thread of an embedded database, seen from outside. */
export class EmbeddedServer {
  #worker: Worker | undefined;
  #pending: { resolve(): void; reject(error: Error): void } | null = null;
  /** Why it has ended and was not started again yet; null: it runs. */
  end: DatabaseAway | null = null;
  #isClosed = false;
  #starting: Promise<void> | null = null;
  /** What is done whenever it has been started again, before anyone who waits for it goes on. */
  onRevived: () => Promise<void> = async () => {};

  private constructor(private readonly options: OpenOptions) {}

  /** Opens the database of a folder, or one in memory, and listens on its socket. */
  static async open(options: OpenOptions): Promise<EmbeddedServer> {
    const server = new EmbeddedServer(options);
    await server.#start();
    return server;
  }

  /**
   * Starts it again if it has crashed; one in memory is not, for its data is lost.
   *
   * @throws {DatabaseAway} if it cannot be started
   */
  async revive(): Promise<void> {
    if (this.end === null) return;
    const { folder, image } = this.options;
    if (this.#isClosed || !folder || image) throw this.end;
    try {
      this.#starting ??= this.#start().then(() => this.onRevived())
        .finally(() => this.#starting = null);
      await this.#starting;
    } catch (cause) {
      const { message } = cause as Error;
      throw new DatabaseAway(`The embedded database cannot be started again: ${message}`, {
        cause,
      });
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#starting?.catch(() => {});
    try {
      if (this.end === null) await this.#ask({ close: true });
    } finally {
      this.#terminate("is closed");
    }
  }

  async #start(): Promise<void> {
    await Deno.remove(this.options.path).catch(() => {}); // that of a thread that has crashed
    const worker = this.#worker = new Worker(WORKER, { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<WorkerNotice>) => {
      if ("end" in data) this.#crash(data.end);
      else if ("error" in data) this.#pending?.reject(toError(data.error));
      else this.#pending?.resolve();
    };
    worker.onerror = (event) => {
      event.preventDefault(); // otherwise it would end this process as well
      this.#crash(event.message);
    };
    try {
      await this.#ask({ open: this.options });
      this.end = null;
    } catch (error) {
      this.#terminate("was not opened");
      throw error;
    }
  }

  #ask(request: Request): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.#pending = { resolve, reject };
      this.#worker!.postMessage(request);
    }).finally(() => this.#pending = null);
  }

  /** What is left of a transaction does not run in a new thread: its connection has ended. */
  #crash(reason: string): void {
    const isNew = this.end === null;
    this.#terminate(`has ended: ${reason}`);
    if (isNew) log.error("{error}", { error: this.end!.message });
    void this.revive().catch(() => {}); // if that fails, whoever uses it next tries again
  }

  #terminate(what: string): void {
    this.end ??= new DatabaseAway(`The embedded database ${what}`);
    this.#worker!.onmessage = null;
    this.#worker!.terminate();
    this.#pending?.reject(this.end);
  }
}

function toError({ message, code, errno }: Partial<Error> & { code?: string; errno?: number }) {
  return Object.assign(
    new Error(message),
    code !== undefined && { code },
    errno !== undefined && { errno },
  );
}
