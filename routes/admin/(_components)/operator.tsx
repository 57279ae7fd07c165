import { countFailingSources, readSessionState } from "../../../lib/admin/admin_sql.ts";
import { noteAction } from "../../../lib/admin/note_action.ts";
import {
  isValid,
  makeSession,
  parseSession,
  type Session,
  SESSION_SECONDS,
  type SessionKey,
} from "../../../lib/admin/session.ts";
import type { Config } from "../../../lib/config/config.ts";
import { isInNetworks, parseNetworks } from "../../../lib/config/setting.ts";
import { FieldError } from "../../../lib/expected_error.ts";
import { refuseCrossSite } from "../../../lib/http/clients/cross_site.ts";
import { readForm } from "../../../lib/http/requests/body.ts";
import { Problem } from "../../../lib/http/responses/problem.ts";
import type { Services } from "../../../lib/service/services.ts";
import { ADMIN_HEADERS, type AdminPage, answerAdmin } from "../../../lib/ui/admin/admin_page.tsx";
import type { Refused } from "../../../lib/ui/admin/form.tsx";
import type { ActionHandler, Client, Context } from "../../route.ts";

const SESSION_COOKIE = "roadcast_admin";

const NOTICE_COOKIE = "roadcast_notice";

const NOTICE_SECONDS = 60;

/** The operator who signed in with ADMIN_TOKEN. */
export const TOKEN_USER = "token";

const LOOPBACK = parseNetworks("127.0.0.0/8 ::1")!;

/** Proxies that add their header to that of a client send both, with a comma. */
const USER = /^[^\p{C},]{1,200}$/u;

/** A request of an operator who is signed in. */
export interface Visit {
  readonly request: Request;
  readonly query: URLSearchParams;
  /** `token`, or the user that the proxy names. */
  readonly who: string;
  readonly client: Client;
  readonly context: Context;
  /** Keeps in the audit log what the operator did. */
  note(action: string, subject?: string): Promise<void>;
}

/** Answers an operator with a page. */
export async function showPage(
  { request, who, context }: Omit<Visit, "note">,
  page: AdminPage,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const { database, sources } = context.services;
  const failing = await countFailingSources(database, sources.current.map(({ name }) => name));
  return answerAdmin(request, page, { who, context, failing }, headers);
}

/** Says what was wrong on a page of the operator, who goes on from there. */
function showProblem(visit: Omit<Visit, "note">, problem: Problem): Promise<Response> {
  const { request, context: { site } } = visit;
  const from = URL.parse(request.headers.get("referer") ?? "");
  const isOurs = from !== null && from.host === new URL(request.url).host &&
    from.pathname.startsWith(`${site.path}/admin`) && request.method === "POST";
  return showPage(visit, {
    title: problem.status === 404 ? "Not found" : "Something went wrong",
    status: problem.status,
    children: (
      <>
        <p class="admin-problem" role="alert">{problem.message}</p>
        <p>
          <a href={isOurs ? from.pathname + from.search : `${site.path}/admin`}>
            {isOurs ? "Back to the form" : "Overview"}
          </a>
        </p>
      </>
    ),
  }, problem.more.headers);
}

/** The fields of a form of these pages. @throws {Problem} as `readForm` */
async function readFormFields(
  request: Request,
  limits?: Parameters<typeof readForm>[1],
): Promise<URLSearchParams> {
  return refuseNul(await readForm(request, limits));
}

/** No text in the database has this character, and none can be compared with one that has. */
function refuseNul(fields: URLSearchParams): URLSearchParams {
  if (![...fields.values()].some((value) => value.includes("\0"))) return fields;
  throw new Problem(400, "A field has the character NUL");
}

/** An address of operators who are signed in. Forms of other sites are refused. */
export function operatorRoute(answer: (visit: Visit) => Promise<Response>): ActionHandler {
  return adminRoute(async (request, client, context) => {
    const who = await findOperator(request, client, context.services);
    if (who === null) return askToSignIn(request, client, context);
    const { databaseForJobs, clock } = context.services;
    const note: Visit["note"] = (action, subject) =>
      noteAction(databaseForJobs, { who, at: clock(), action, subject });
    const visit = {
      request,
      query: new URLSearchParams(client.target.query),
      who,
      client,
      context,
    };
    try {
      refuseNul(visit.query);
      return await answer({ ...visit, note });
    } catch (error) {
      if (error instanceof Problem) return await showProblem(visit, error);
      throw error;
    }
  });
}

/** An address below /admin: there is none without ADMIN_TOKEN, and only at the main site. */
export function adminRoute(answer: ActionHandler["answer"]): ActionHandler {
  return {
    isOn: ({ ADMIN_TOKEN: adminToken }) => adminToken !== null,
    isForOperators: true,
    hasOneAddress: true,
    async answer(request, client, context) {
      const { site, services: { config } } = context;
      if (site.path !== config.basePath) {
        throw new Problem(404, `There is no page at ${client.target.path}.`);
      }
      if (request.method === "POST") refuseCrossSite(request, config);
      return await answer(request, client, context);
    },
  };
}

/**
 * Who is signed in: the user that a trusted proxy names, or the one with a session; null: no user.
 *
 * @throws {Problem} 403 if the proxy names no user, or is not one that may
 */
export async function findOperator(
  { headers }: Request,
  { peer }: Client,
  services: Services,
): Promise<string | null> {
  const { config } = services;
  if (config.ADMIN_USER_HEADER !== null) {
    if (!isAdminProxy(peer, config)) {
      throw new Problem(
        403,
        `The request came from ${peer}, not from a proxy that may name its user: only this machine ` +
          "and what ADMIN_PROXY lists may",
      );
    }
    const user = headers.get(config.ADMIN_USER_HEADER)?.trim() ?? "";
    if (USER.test(user)) return user;
    throw new Problem(
      403,
      user.includes(",")
        ? `The header ${config.ADMIN_USER_HEADER} came twice, or names several users: the proxy must ` +
          "set it, not add to it"
        : `The proxy did not name a user in the header ${config.ADMIN_USER_HEADER}`,
    );
  }
  return await findSession(headers, services) === null ? null : TOKEN_USER;
}

/** The session of a request; null where there is none, or it has ended. */
export async function findSession(headers: Headers, services: Services): Promise<Session | null> {
  const session = parseSession(readCookie(headers, SESSION_COOKIE) ?? "");
  if (session === null) return null;
  const { database, clock } = services;
  const { generation, isEnded } = await readSessionState(database, session.id);
  return !isEnded && isValid(session, keyOf(services, generation), clock()) ? session : null;
}

/** Connections of this machine are loopback ones, or come through a socket. */
function isAdminProxy(peer: string, { ADMIN_PROXY }: Pick<Config, "ADMIN_PROXY">): boolean {
  return peer === "local" || isInNetworks(peer, LOOPBACK) || isInNetworks(peer, ADMIN_PROXY);
}

function keyOf({ config, tokenSecret }: Services, generation: number): SessionKey {
  return { adminToken: config.ADMIN_TOKEN!, tokenSecret, generation };
}

function readCookie(headers: Headers, name: string): string | null {
  return new RegExp(`(?:^|; *)${name}=([^;]*)`).exec(headers.get("cookie") ?? "")?.[1] ?? null;
}

/** The header that begins a session. */
export async function sessionCookie(services: Services): Promise<string> {
  const { generation } = await readSessionState(services.database, null);
  const value = makeSession(keyOf(services, generation), services.clock());
  return formatCookie(`${SESSION_COOKIE}=${value}`, SESSION_SECONDS, services.config);
}

/** The header that ends a session in its browser. */
export function endedCookie(config: Config): string {
  return formatCookie(`${SESSION_COOKIE}=`, 0, config);
}

/** The header that carries a sentence to the next page, which shows it once; without one it ends. */
function noticeCookie(sentence: string, config: Config): string {
  const seconds = sentence === "" ? 0 : NOTICE_SECONDS;
  return formatCookie(`${NOTICE_COOKIE}=${encodeURIComponent(sentence)}`, seconds, config);
}

/** The sentence that a cookie carries; empty: there is none. */
function readNotice(headers: Headers): string {
  const value = readCookie(headers, NOTICE_COOKIE) ?? "";
  return new URLSearchParams(`notice=${value}`).get("notice") ?? "";
}

function formatCookie(
  pair: string,
  seconds: number,
  { basePath, BASE_URL: baseUrl }: Pick<Config, "basePath" | "BASE_URL">,
): string {
  const secure = baseUrl.startsWith("https:") ? "; Secure" : "";
  return `${pair}; Path=${basePath}/admin; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}

/** Sends a browser to a page, which begins with /admin. */
export function goTo(
  path: string,
  { site }: Pick<Context, "site">,
  headers: Record<string, string> = {},
): Response {
  return new Response(null, {
    status: 303,
    headers: { ...ADMIN_HEADERS, ...headers, Location: site.path + path },
  });
}

function askToSignIn({ method }: Request, { target }: Client, context: Context): Response {
  const { path } = context.site;
  const asked = target.address.startsWith(`${path}/admin`)
    ? target.address.slice(path.length)
    : target.address;
  // What was posted is lost; the page that it was posted from is not known.
  const next = method === "POST" || asked === "/admin"
    ? ""
    : `?${new URLSearchParams({ next: asked })}`;
  return goTo(`/admin/sign-in${next}`, context);
}

/** What becomes of an action: nothing to tell, another page, one of its sentences, or an answer. */
type Outcome =
  | void
  | AdminPage
  | Response
  | {
    /** A page that begins with /admin; absent: that of the action. */
    readonly to?: string;
    /** Which of its sentences is said, where it has several. */
    readonly said?: string;
  };

/** What a button of a page does. */
interface PageAction<Subject> {
  /** What the next page says first; by name, where it depends on what happened. */
  readonly says?: string | Readonly<Record<string, string>>;
  /** @throws {FieldError} that is shown beside the fields; {Problem} that is shown instead of the page */
  run(subject: Subject, visit: Visit, form: URLSearchParams): Promise<Outcome>;
}

interface Operated<Subject> {
  /** What the address names. @throws {Problem} 404 if there is none */
  find?(visit: Visit): Promise<Subject>;
  /** The page; `refused` is a form that was wrong. */
  page(subject: Subject, visit: Visit, refused?: Refused): Promise<AdminPage> | AdminPage;
  /** By the values of the buttons that are named `do`. */
  readonly actions?: Readonly<Record<string, PageAction<Subject>>>;
  /** What its forms may have. */
  readonly limits?: { readonly maxBytes?: number; readonly maxFields?: number };
}

/** Every sentence that an action says; a cookie carries none but these to the next page. */
const SENTENCES = new Set<string>();

/**
 * A page of operators with what its buttons do. Its forms are posted to the address of the page,
 * which names the subject (`?name=`); the pressed button says what is done to it.
 */
export function operated<Subject = void>(
  { find, page, actions = {}, limits }: Operated<Subject>,
): { GET: ActionHandler; POST?: ActionHandler } {
  for (const { says = {} } of Object.values(actions)) {
    for (
      const sentence of [says].flatMap((one) => typeof one === "string" ? one : Object.values(one))
    ) {
      SENTENCES.add(sentence);
    }
  }
  const findSubject = async (visit: Visit) => await find?.(visit) as Subject;
  const GET = operatorRoute(async (visit) => {
    const said = readNotice(visit.request.headers);
    const notice = SENTENCES.has(said) ? said : null;
    const built = await page(await findSubject(visit), visit);
    const response = await showPage(visit, { notice, ...built });
    if (said !== "") {
      response.headers.append("Set-Cookie", noticeCookie("", visit.context.services.config));
    }
    return response;
  });
  const POST = operatorRoute(async (visit) => {
    const form = await readFormFields(visit.request, limits);
    // A form has its usual action in a field; the button that is pressed comes after it.
    const name = form.getAll("do").at(-1) ?? "";
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (!action) throw new Problem(400, "The form does not say what to do");
    const subject = await findSubject(visit);
    try {
      const outcome = await action.run(subject, visit, form) ?? {};
      if (outcome instanceof Response) return outcome;
      if ("children" in outcome) return await showPage(visit, outcome);
      const { says } = action;
      const sentence = typeof says === "object" ? says[outcome.said ?? ""] : says;
      const { config } = visit.context.services;
      return goTo(
        outcome.to ?? addressOf(visit),
        visit.context,
        sentence === undefined ? {} : { "Set-Cookie": noticeCookie(sentence, config) },
      );
    } catch (error) {
      if (!(error instanceof FieldError)) throw error;
      const built = await page(subject, visit, { form, errors: error.errors });
      return await showPage(visit, { ...built, status: 422 });
    }
  });
  const names = Object.keys(actions);
  return { GET, ...names.length > 0 && { POST: { ...POST, actions: names } } };
}

/** The address of a page, below the path of its site. */
function addressOf({ request, context: { site } }: Visit): string {
  const { pathname, search } = new URL(request.url);
  return pathname.slice(site.path.length) + search;
}

const TYPES = { json: "application/json", csv: "text/csv" } as const;

/** Answers an operator with a file, whose name says what it is. */
export function download(
  { method }: Request,
  name: `${string}.${keyof typeof TYPES}`,
  body: BodyInit,
): Response {
  const type = TYPES[name.split(".").at(-1) as keyof typeof TYPES];
  return new Response(method === "HEAD" ? null : body, {
    headers: {
      "Content-Type": `${type}; charset=utf-8`,
      "Content-Disposition": `attachment; filename="${name}"`,
      ...ADMIN_HEADERS,
    },
  });
}

/** Answers an operator with JSON as a file. */
export function downloadJson(
  request: Request,
  name: `${string}.json`,
  value: unknown,
): Response {
  return download(request, name, `${JSON.stringify(value, null, 2)}\n`);
}
