const TOKEN_METHODS = ["XOAUTH2", "OAUTHBEARER"];
const TOKEN_SETTINGS = "MAIL_OAUTH_TOKEN_URL, MAIL_OAUTH_CLIENT_ID and MAIL_OAUTH_CLIENT_SECRET";

/** What a mail server offers to those whom it rejects, and what to set. */
export function adviseSignIn(
  methods: readonly string[],
  { hasToken, setting }: { hasToken: boolean; setting: "SMTP_URL" | "BOUNCE_MAILBOX" },
): string[] {
  if (methods.length === 0) return [];
  const takesTokens = methods.some((method) => TOKEN_METHODS.includes(method));
  const takesPasswords = methods.some((method) => !TOKEN_METHODS.includes(method));
  const offer = `The server offers ${methods.join(", ")}`;
  if (hasToken && !takesTokens) {
    return [`${offer}, and takes no access token: set a password in ${setting}`];
  }
  if (!hasToken && !takesPasswords) {
    return [`${offer} only: set ${TOKEN_SETTINGS}, and leave the password out of ${setting}`];
  }
  const what = hasToken
    ? "MAIL_OAUTH_CLIENT_ID and its scope"
    : `the user and password in ${setting}`;
  return [`${offer}: check ${what}`];
}
