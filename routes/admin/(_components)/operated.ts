import { FieldError } from "../../../lib/expected_error.ts";
import { Problem } from "../../../lib/http/responses/problem.ts";
import type { AdminPage } from "../../../lib/ui/admin/admin_page.tsx";
import type { Refused } from "../../../lib/ui/admin/form.tsx";
import type { ActionHandler } from "../../route.ts";
import {
  goTo,
  noticeCookie,
  operatorRoute,
  readFormFields,
  readNotice,
  showPage,
  type Visit,
} from "./operator.tsx";

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
interface Action<Subject> {
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
  readonly actions?: Readonly<Record<string, Action<Subject>>>;
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
