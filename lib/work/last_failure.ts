const HOUR_MS = 3_600_000;

/** The failure that was logged last, so that the same one is logged again only after a time. */
export class LastFailure {
  #logged: { reason: string; at: number } | null = null;

  constructor(private readonly remindMs = HOUR_MS) {}

  /** Whether a failure, at a time in milliseconds, is to be logged. */
  isNews(reason: string, now = Date.now()): boolean {
    const last = this.#logged;
    if (last?.reason === reason && now - last.at < this.remindMs) return false;
    this.#logged = { reason, at: now };
    return true;
  }

  /** Records a success; true if a failure was logged since the last one. */
  end(): boolean {
    const wasLogged = this.#logged !== null;
    this.#logged = null;
    return wasLogged;
  }
}
