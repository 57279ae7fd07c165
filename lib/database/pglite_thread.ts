import { DatabaseAway } from "./database.ts";
import { toError } from "./plain_error.ts";
import type { Session } from "./session.ts";
import type { Answer, Call, Methods, Notice } from "./pglite_worker.ts";

const WORKER = new URL("./pglite_worker.ts", import.meta.url);

interface Asked {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** The embedded database in a thread of its own, seen from outside. */
export class PGliteThread implements Session {
  readonly #worker = new Worker(WORKER, { type: "module" });
  readonly #asked = new Map<number, Asked>();
  readonly #listeners = new Map<string, (payload: string | null) => void>();
  #lastId = 0;
  #end: DatabaseAway | null = null;

  private constructor() {
    this.#worker.onmessage = ({ data }: MessageEvent<Answer | Notice>) =>
      "id" in data ? this.#settle(data) : this.#listeners.get(data.channel)?.(data.payload);
    this.#worker.onerror = (event) => {
      event.preventDefault(); // otherwise it would end this process as well
      this.#terminate(`has ended: ${event.message}`);
    };
  }

  /** Opens the database of a folder, or one in memory; `image` is an earlier dump. */
  static async open(options: Parameters<Methods["open"]>[0]): Promise<PGliteThread> {
    const thread = new PGliteThread();
    try {
      await thread.call("open", options);
      return thread;
    } catch (error) {
      thread.#terminate("was not opened");
      throw error;
    }
  }

  /** Sends the thread a request, and returns its answer. */
  call<Name extends keyof Methods>(
    method: Name,
    ...args: Parameters<Methods[Name]>
  ): ReturnType<Methods[Name]> {
    const answer = new Promise((resolve, reject) => {
      if (this.#end) throw this.#end;
      const id = ++this.#lastId;
      this.#asked.set(id, { resolve, reject });
      this.#worker.postMessage({ id, method, args } satisfies Call);
    });
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
    try {
      await this.call("close");
    } finally {
      this.#terminate("is closed");
    }
  }

  #settle({ id, value, error }: Answer): void {
    const { resolve, reject } = this.#asked.get(id)!;
    this.#asked.delete(id);
    if (error === undefined) resolve(value);
    else reject(toError(error));
  }

  #terminate(what: string): void {
    this.#end ??= new DatabaseAway(`The embedded database ${what}`);
    this.#worker.terminate();
    for (const { reject } of this.#asked.values()) reject(this.#end);
    this.#asked.clear();
  }
}
