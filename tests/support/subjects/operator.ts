import type { TestApp } from "../app.ts";

/** An application in this process, or a server. */
type Requested = Pick<TestApp, "fetch">;

/** The ADMIN_TOKEN of tests. */
export const ADMIN_TOKEN = "an-admin-token-of-31-characters";

/** An operator's browser without scripts: it has a session, and follows no redirect. */
export interface Operator {
  /** The cookie of its session, if it has one. */
  readonly cookie: string | undefined;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  /**
   * Posts a form; `/admin/webhook#test` presses the button "test" of that page, whose address has
   * those of the fields that name its subject.
   */
  post(
    path: string,
    fields?: Record<string, string> | FormData | URLSearchParams,
    headers?: Record<string, string>,
  ): Promise<Response>;
  /** The text of a page, which must exist. */
  read(path: string): Promise<string>;
  /** Submits a form, and reads the page that it leads to. */
  submit(
    path: string,
    fields?: Record<string, string> | FormData | URLSearchParams,
  ): Promise<string>;
}

/** Submits the token with the sign-in form. */
export function signIn(app: Requested, token: string, { headers = {}, path = "", ...fields }: {
  headers?: Record<string, string>;
  /** That of BASE_URL. */
  path?: string;
  next?: string;
} = {}): Promise<Response> {
  const body = new URLSearchParams({ token, ...fields });
  return app.fetch(`${path}/admin/sign-in`, { method: "POST", body, headers });
}

/** Has done what is due, such as the scheduled imports. */
export async function work(app: TestApp): Promise<void> {
  const headers = { "Authorization": `Bearer ${ADMIN_TOKEN}` };
  const { status } = await app.fetch("/api/work", { method: "POST", headers });
  if (status !== 200) throw new Error(`/api/work answered ${status}`);
}

/** The cookie of a response, as a browser sends it back. */
export function cookieOf(response: Response): string {
  return response.headers.get("set-cookie")!.split(";")[0]!;
}

/** Signs in below the path of BASE_URL, and returns the session. */
export async function startOperator(
  app: Requested,
  path = "",
  token = ADMIN_TOKEN,
): Promise<Operator> {
  const response = await signIn(app, token, { path });
  await response.body?.cancel();
  return operatorWith(app, { cookie: cookieOf(response) });
}

/** Signs in to a server in another process. */
export function startOperatorAt(
  { url }: { readonly url: string },
  token = ADMIN_TOKEN,
): Promise<Operator> {
  const send: Requested["fetch"] = (path, init) =>
    fetch(url + path, { redirect: "manual", ...init });
  return startOperator({ fetch: send }, "", token);
}

/** The parameter of a page that names its subject. */
const SUBJECTS: Readonly<Record<string, string>> = {
  email: "kind",
  source: "name",
  subscriber: "id",
  upload: "id",
  webhook: "name",
};

/** An operator whose requests have these headers; the cookie of a notice is kept until it is cleared. */
export function operatorWith(app: Requested, own: Record<string, string>): Operator {
  let notice = "";
  const send = async (path: string, init: RequestInit, headers: Record<string, string>) => {
    const cookie = [own.cookie, notice].filter(Boolean).join("; ");
    const response = await app.fetch(path, {
      ...init,
      headers: { ...own, ...headers, ...cookie !== "" && { cookie } },
    });
    const set = /^roadcast_notice=[^;]*/.exec(response.headers.get("set-cookie") ?? "")?.[0];
    if (set !== undefined) notice = set.endsWith("=") ? "" : set;
    return response;
  };
  const get: Operator["get"] = (path, headers = {}) => send(path, {}, headers);
  const post: Operator["post"] = (path, fields = {}, headers = {}) => {
    const body = fields instanceof FormData ? fields : new URLSearchParams(fields);
    const [page, action] = path.split("#");
    if (action === undefined) return send(path, { method: "POST", body }, headers);
    const address = new URL(page!, "http://localhost");
    const subject = SUBJECTS[/\/admin\/(\w+)$/.exec(address.pathname)?.[1] ?? ""];
    if (subject !== undefined && body.has(subject)) {
      address.searchParams.set(subject, String(body.get(subject)));
      body.delete(subject);
    }
    body.append("do", action);
    return send(address.pathname + address.search, { method: "POST", body }, headers);
  };
  const read: Operator["read"] = async (path) => {
    const response = await get(path);
    // What names the columns in the cards of a narrow window.
    const text = (await response.text()).replace(/ data-label="[^"]*"/g, "");
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${text}`);
    return text;
  };
  const submit: Operator["submit"] = async (path, fields) => {
    const response = await post(path, fields);
    if (response.status === 303) return await read(response.headers.get("location")!);
    throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  };
  return { cookie: own.cookie, get, post, read, submit };
}
