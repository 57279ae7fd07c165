import { getLogger } from "@logtape/logtape";
import { DatabaseAway } from "../database.ts";
import { toError } from "./plain_error.ts";
import type { Session } from "./session.ts";
import type { Answer, Call, Methods, Notice } from "./pglite_worker.ts";

const log = getLogger(["roadcast", "data"]);

const WORKER = new URL("./pglite_worker.ts", import.meta.url);

interface MethodCall {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

type Options = Parameters<Methods["open"]>[0];

/** The embedded database in a thread of its own, seen from outside. */
export class PGliteThread implements Session {
  #worker: Worker | undefined;
  readonly #pending = new Map<number, MethodCall>();
  readonly #listeners = new Map<string, (payload: string | null) => void>();
  #lastId = 0;
  #end: DatabaseAway | null = null;
  /** How it is started again after a crash; null: it is not, for its data would be lost. */
  #again: Options | null = null;

  private constructor() {}

  /** Opens the database of a folder, or one in memory; `image` is an earlier dump. */
  static async open(options: Options): Promise<PGliteThread> {
    const thread = new PGliteThread();
    await thread.#start(options);
    if (options.folder && !options.image) thread.#again = options;
    return thread;
  }

  /** Why it has ended and was not started again yet; null: it runs. */
  get end(): DatabaseAway | null {
    return this.#end;
  }

  /**
   * Starts the thread again if it has crashed. Only who begins to use it does so: what is left of a
   * transaction must not run in a new thread.
   *
   * @throws {DatabaseAway} if it cannot be started
   */
  async revive(): Promise<void> {
    if (this.#end === null || this.#again === null) return;
    try {
      await this.#start(this.#again);
    } catch (cause) {
      const { message } = cause as Error;
      throw new DatabaseAway(`The embedded database cannot be started again: ${message}`, {
        cause,
      });
    }
  }

  async #start(options: Options): Promise<void> {
    const worker = this.#worker = new Worker(WORKER, { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<Answer | Notice>) =>
      "id" in data ? this.#settle(data) : this.#listeners.get(data.channel)?.(data.payload);
    worker.onerror = (event) => {
      event.preventDefault(); // otherwise it would end this process as well
      this.#terminate(`has ended: ${event.message}`);
      log.error("{error}", { error: this.#end!.message });
    };
    try {
      await this.#ask("open", options);
      for (const channel of this.#listeners.keys()) await this.#ask("listen", channel);
      this.#end = null;
    } catch (error) {
      this.#terminate("was not opened");
      throw error;
    }
  }

  /** Sends the thread a request, and returns its answer. */
  call<Name extends keyof Methods>(
    method: Name,
    ...args: Parameters<Methods[Name]>
  ): ReturnType<Methods[Name]> {
    const answer = this.#end ? Promise.reject(this.#end) : this.#ask(method, ...args);
    return answer as ReturnType<Methods[Name]>;
  }

  query(text: string, params: unknown[]): Promise<unknown[]> {
    return this.call("query", text, params);
  }

  script(text: string): Promise<void> {
    return this.call("script", text);
  }

  /** Calls the listener for every notification on the channel; null: some may have been missed. */
  async listen(channel: string, listener: (payload: string | null) => void): Promise<void> {
    this.#listeners.set(channel, listener);
    await this.call("listen", channel);
  }

  async close(): Promise<void> {
    this.#again = null;
    try {
      await this.call("close");
    } finally {
      this.#terminate("is closed");
    }
  }

  #ask<Name extends keyof Methods>(
    method: Name,
    ...args: Parameters<Methods[Name]>
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId;
      this.#pending.set(id, { resolve, reject });
      this.#worker!.postMessage({ id, method, args } satisfies Call);
    });
  }

  #settle({ id, value, error }: Answer): void {
    const { resolve, reject } = this.#pending.get(id)!;
    this.#pending.delete(id);
    if (error === undefined) resolve(value);
    else reject(toError(error));
  }

  #terminate(what: string): void {
    const end = this.#end ??= new DatabaseAway(`The embedded database ${what}`);
    this.#worker!.onmessage = null;
    this.#worker!.terminate();
    for (const { reject } of this.#pending.values()) reject(end);
    this.#pending.clear();
  }
}
