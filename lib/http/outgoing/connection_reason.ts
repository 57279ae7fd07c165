/** What systems say of a connection that failed, and what it means; the first that fits counts. */
const REASONS: readonly (readonly [said: RegExp, means: (host: string) => string])[] = [
  [
    /\bEAI_AGAIN\b|Temporary failure in name resolution/,
    (host) => `the name ${host} cannot be looked up now: check DNS on this machine`,
  ],
  [
    /\bE(?:NOTFOUND|NODATA)\b|\bEAI_\w+|^dns error/,
    (host) => `there is no server at ${host}: check the address`,
  ],
  [
    /\bECONNREFUSED\b|Connection refused/,
    (host) => `no server answers at ${host}: check the address and the port`,
  ],
  [
    /\bE(?:TIMEDOUT|HOSTUNREACH|NETUNREACH|HOSTDOWN|NETDOWN)\b|unreachable|timed out|connection timeout|connection in required time/i,
    (host) =>
      `the server at ${host} cannot be reached: check the address, and the network of this machine`,
  ],
  [
    /\b(?:ECONNRESET|EPIPE|ECONNABORTED)\b|Connection reset|Broken pipe/i,
    (host) => `the server at ${host} closed the connection`,
  ],
];

/**
 * Why a server could not be reached, as a part of a sentence that says what to check; null: the
 * error is about something else.
 *
 * ```ts
 * const error = new Error("getaddrinfo ENOTFOUND exmaple.com");
 * const reason = explainConnection(error, "exmaple.com");
 * if (reason !== "there is no server at exmaple.com: check the address") throw new Error(reason!);
 * if (explainConnection(new Error("It is full"), "exmaple.com") !== null) throw new Error();
 * ```
 *
 * @param host as people wrote it; where the error names another one, as after a redirect, that counts
 */
export function explainConnection(error: unknown, host: string): string | null {
  const said = rawReasonOf(error);
  const [, address = ""] = / for url \((\S+?)\)/.exec(String((error as Error)?.cause)) ?? [];
  const [, name] = /^getaddrinfo E\w+ (\S+)$/.exec(said) ?? [];
  const place = URL.parse(address)?.host ?? name ?? host;
  const distrust = /invalid peer certificate: (.*)|self[- ]signed certificate/i.exec(said);
  if (distrust) {
    return `the certificate of ${place} is not trusted (${distrust[1] ?? distrust[0]}): ` +
      'see "Certificates" in docs/sources.md';
  }
  return REASONS.find(([pattern]) => pattern.test(said))?.[1](place) ?? null;
}

/** What the system said; the cause of `fetch` repeats the URL, which may have a secret, before it. */
export function rawReasonOf(error: unknown): string {
  const [first = error] = (error as Partial<AggregateError>)?.errors ?? [];
  const { message, cause } = first as Error;
  return /client error \([^()]*\): (.*)/.exec(String(cause))?.[1] ?? message ?? String(first);
}
