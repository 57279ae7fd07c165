/** While a job waits, requests have the session as long as the last job had it, and at least so long. */
const REQUESTS_MS = 100;
/** A job waits so long after a request for the next one, which comes when that is answered. */
const NEXT_REQUEST_MS = 3;

interface QueuedClient {
  /** It serves requests, which go before jobs. */
  readonly isRequest: boolean;
}

/** Who has the session, and who is next. */
export class SessionQueue {
  readonly #requests: Waiting[] = [];
  readonly #others: Waiting[] = [];
  #isTaken = false;
  /** Whether a request has the session, or had it last. */
  #isRequest = false;
  /** When it was given. */
  #since = 0;
  /** How many milliseconds requests have had it since the last job, and how many they may have. */
  #spent = 0;
  #allowed = REQUESTS_MS;
  #pause: ReturnType<typeof setTimeout> | undefined;

  /** False: it was refused while it waited. */
  take(client: QueuedClient): Promise<boolean> {
    const { isRequest } = client;
    if (!this.#isTaken && (isRequest || this.#pause === undefined)) {
      this.#give(isRequest);
      return Promise.resolve(true);
    }
    return new Promise((settle) =>
      (isRequest ? this.#requests : this.#others).push({ client, settle })
    );
  }

  release(): void {
    this.#isTaken = false;
    const taken = performance.now() - this.#since;
    if (this.#isRequest) this.#spent += taken;
    else this.#allowed = Math.max(REQUESTS_MS, taken);
    const mayGoOn = this.#others.length === 0 || this.#spent < this.#allowed;
    if (this.#requests.length > 0 && mayGoOn) return this.#next(this.#requests);
    if (this.#others.length > 0 && this.#isRequest && mayGoOn) {
      this.#pause = setTimeout(() => this.#next(this.#others), NEXT_REQUEST_MS);
    } else this.#next(this.#others);
  }

  refuse(client: QueuedClient): void {
    for (const queue of [this.#requests, this.#others]) {
      const index = queue.findIndex((waiting) => waiting.client === client);
      if (index >= 0) queue.splice(index, 1)[0]!.settle(false);
    }
  }

  refuseAll(): void {
    for (const queue of [this.#requests, this.#others]) {
      for (const { settle } of queue.splice(0)) settle(false);
    }
  }

  #next(queue: Waiting[]): void {
    clearTimeout(this.#pause);
    this.#pause = undefined;
    const next = queue.shift();
    if (next === undefined) return;
    this.#give(next.client.isRequest);
    next.settle(true);
  }

  #give(isRequest: boolean): void {
    clearTimeout(this.#pause);
    this.#pause = undefined;
    this.#isTaken = true;
    this.#isRequest = isRequest;
    this.#since = performance.now();
    if (!isRequest) this.#spent = 0;
  }
}

interface Waiting {
  readonly client: QueuedClient;
  settle(isTurn: boolean): void;
}
