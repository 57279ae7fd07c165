import { serveSource } from "./source_server.ts";

/** The client that the token server knows, with a secret that must be escaped. */
export const CLIENT = { id: "roadcast", secret: "s&cret=of the client" };

/** A token server (RFC 6749, section 4.4) with what a test needs to know of it. */
export interface TokenServer extends AsyncDisposable {
  readonly url: string;
  /** Every token it gave, newest last. */
  readonly given: string[];
  /** The forms it was sent. */
  readonly asked: { form: Record<string, string>; authorization: string | null }[];
}

/** Gives a new token to each request, or answers as `answer` has it. */
export function startTokenServer(
  { lifeSeconds = 3600 as unknown, takesBody = true, answer }: {
    lifeSeconds?: unknown;
    takesBody?: boolean;
    answer?: () => Response | Promise<Response>;
  } = {},
): TokenServer {
  const given: string[] = [];
  const asked: TokenServer["asked"] = [];
  const basic = `Basic ${btoa([CLIENT.id, CLIENT.secret].map(encodeURIComponent).join(":"))}`;
  const server = serveSource(async (request, url) => {
    // Dovecot asks whose a token is.
    if (url.pathname === "/tokeninfo") {
      const token = url.searchParams.get("access_token")!;
      return given.includes(token)
        ? Response.json({ username: "bounces@example.com", active: true })
        : Response.json({ error: "invalid_token" }, { status: 401 });
    }
    const form = Object.fromEntries(new URLSearchParams(await request.text()));
    const authorization = request.headers.get("authorization");
    asked.push({ form, authorization });
    if (answer) return await answer();
    const isKnown = takesBody
      ? form.client_id === CLIENT.id && form.client_secret === CLIENT.secret
      : authorization === basic && form.client_secret === undefined;
    if (!isKnown || form.grant_type !== "client_credentials") {
      const description = `no client has the secret ${form.client_secret ?? authorization}`;
      return Response.json({ error: "invalid_client", error_description: description }, {
        status: 401,
      });
    }
    given.push(`token-${given.length + 1}-${crypto.randomUUID()}`);
    return Response.json({
      access_token: given.at(-1),
      token_type: "Bearer",
      expires_in: lifeSeconds,
    });
  });
  return {
    url: `${server.url}/token`,
    given,
    asked,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** The settings that lead to a token server. */
export function oauthSettings({ url }: TokenServer, secret = CLIENT.secret) {
  return {
    MAIL_OAUTH_TOKEN_URL: url,
    MAIL_OAUTH_CLIENT_ID: CLIENT.id,
    MAIL_OAUTH_CLIENT_SECRET: secret,
    MAIL_OAUTH_SCOPE: "https://outlook.example.com/.default",
  };
}
