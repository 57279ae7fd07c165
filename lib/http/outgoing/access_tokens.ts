import { z } from "zod";
import { ExpectedError } from "../../expected_error.ts";
import { shorten, toLine } from "../../text/phrases.ts";
import { withoutSecrets } from "../../text/secrets.ts";
import { parseJson } from "../../text/values.ts";
import type { ResolvedAddress } from "./checked_addresses.ts";
import { fetchChecked } from "./checked_fetch.ts";
import { explainConnection, rawReasonOf } from "./connection_reason.ts";
import { collectBytes, piecesOf } from "../../work/byte_streams.ts";

/** How long a token server may take to answer, and how much it may say. */
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 64 * 1024;
/** The life of a token whose server names none (RFC 6749, section 5.1 only recommends it). */
const UNNAMED_SECONDS = 300;
/** A token is replaced so long before its end, or in the last half of a short life. */
const AHEAD_MS = 5 * 60_000;

const ANSWER = z.object({
  access_token: z.string().regex(/^[\x21-\x7e]+$/),
  token_type: z.string().regex(/^bearer$/i),
  expires_in: z.coerce.number().positive().max(1e9).optional(),
});
const REFUSAL = z.object({ error: z.string(), error_description: z.string().optional() });

/** How a client signs in to the token server of an OAuth2 service. */
interface ClientCredentials {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Null: that of the client's registration. */
  readonly scope: string | null;
  /** The addresses that its host may have, which it throws about; absent: whichever it has. */
  readonly findAddresses?: (url: URL) => Promise<ResolvedAddress[]>;
}

/** A token server gave no access token. */
export class AccessTokenError extends ExpectedError {}

interface AccessToken {
  readonly text: string;
  readonly endsAt: number;
  readonly renewAt: number;
}

/**
 * The access tokens of one client (RFC 6749, section 4.4), kept until shortly before they end and
 * fetched ahead in the background, so that nothing waits for a token while the last one is good.
 */
export class AccessTokens {
  #last: AccessToken | null = null;
  #fetching: Promise<AccessToken> | null = null;

  constructor(
    private readonly credentials: ClientCredentials,
    private readonly clock: () => number = Date.now,
  ) {}

  /** Returns a valid token. @throws {AccessTokenError} that says why there is none, without secrets */
  async get(): Promise<string> {
    const last = this.#last;
    const now = this.clock();
    if (last === null || now >= last.endsAt) return (await this.#fetchOnce()).text;
    if (now >= last.renewAt) void this.#fetchOnce().catch(() => {}); // the last one is still good
    return last.text;
  }

  drop(token: string): void {
    if (this.#last?.text === token) this.#last = null;
  }

  #fetchOnce(): Promise<AccessToken> {
    return this.#fetching ??= this.#fetch().finally(() => this.#fetching = null);
  }

  async #fetch(): Promise<AccessToken> {
    const begun = this.clock();
    const answer = await this.#ask();
    const lifeMs = (answer.expires_in ?? UNNAMED_SECONDS) * 1000;
    const endsAt = begun + lifeMs;
    const renewAt = endsAt - Math.min(AHEAD_MS, lifeMs / 2);
    return this.#last = { text: answer.access_token, endsAt, renewAt };
  }

  /** Sends the secret in the body, which most servers take, else as RFC 6749, section 2.3.1, has it. */
  async #ask(): Promise<z.infer<typeof ANSWER>> {
    const { status, json } = await this.#post({ isInBody: true });
    const refusal = REFUSAL.safeParse(json).data;
    const isAnswered = refusal?.error === "invalid_client" || status === 401;
    return isAnswered
      ? this.#read(await this.#post({ isInBody: false }))
      : this.#read({ status, json });
  }

  #read({ status, json }: { status: number; json: unknown }): z.infer<typeof ANSWER> {
    const refusal = REFUSAL.safeParse(json).data;
    if (refusal) {
      const { error, error_description: description } = refusal;
      throw this.#fail(`${error}${description ? ` (${description})` : ""}`);
    }
    if (status !== 200) throw this.#fail(`it answered with status ${status}`);
    const answer = ANSWER.safeParse(json);
    if (!answer.success) throw this.#fail("its answer has no bearer token");
    return answer.data;
  }

  async #post({ isInBody }: { isInBody: boolean }): Promise<{ status: number; json: unknown }> {
    const { tokenUrl, clientId, clientSecret, scope, findAddresses } = this.credentials;
    const body = new URLSearchParams({ grant_type: "client_credentials" });
    if (scope !== null) body.set("scope", scope);
    const headers: Record<string, string> = {
      "Accept": "application/json",
      "Content-Type": "application/x-www-form-urlencoded;charset=UTF-8",
    };
    if (isInBody) {
      body.set("client_id", clientId);
      body.set("client_secret", clientSecret);
    } else {
      const pair = [clientId, clientSecret].map(encodeURIComponent).join(":");
      headers.Authorization = `Basic ${btoa(pair)}`;
    }
    try {
      const url = new URL(tokenUrl);
      const message = { method: "POST", headers, signal: AbortSignal.timeout(TIMEOUT_MS) } as const;
      const response = findAddresses
        ? await fetchChecked(url, {
          ...message,
          body: body.toString(),
          addresses: await findAddresses(url),
        })
        : await fetch(url, { ...message, body: body.toString(), redirect: "error" });
      return { status: response.status, json: parseJson(await readStart(response)) };
    } catch (error) {
      const reason = (error as Error).name === "TimeoutError"
        ? `it has not answered within ${TIMEOUT_MS / 1000} s`
        : explainConnection(error, new URL(tokenUrl).host) ?? rawReasonOf(error);
      throw this.#fail(reason);
    }
  }

  #fail(reason: string): AccessTokenError {
    const { tokenUrl, clientSecret } = this.credentials;
    const shown = shorten(toLine(withoutSecrets(reason, [clientSecret])), 300);
    return new AccessTokenError(
      `Cannot get an access token from ${new URL(tokenUrl).host}: ${shown}`,
    );
  }
}

/** Reads a body up to the limit; a longer one is no token's. */
async function readStart({ body }: Response): Promise<string> {
  const bytes = await collectBytes(piecesOf(body), MAX_BYTES, () => {
    throw new Error(`its answer is longer than ${MAX_BYTES / 1024} KB`);
  });
  return new TextDecoder().decode(bytes);
}
