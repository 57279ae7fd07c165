import type { ActionHandler, ActionRoute } from "../route.ts";
import { auditPage } from "./audit_page.tsx";
import { overviewPage } from "./overview_page.tsx";
import { postedSignIn, postedSignOut, signInPage } from "./sign_in.tsx";

// deno-fmt-ignore
const TABLE: readonly [
  method: ActionRoute["method"], path: string, handler: ActionHandler, summary: string,
][] = [
  ["GET",  "/admin",          overviewPage,  "For operators: what is wrong, and what happens next"],
  ["GET",  "/admin/sign-in",  signInPage,    "For operators: the form to sign in"],
  ["POST", "/admin/sign-in",  postedSignIn,  "Begins an operator's session"],
  ["POST", "/admin/sign-out", postedSignOut, "Ends an operator's session, or all of them"],
  ["GET",  "/admin/audit",    auditPage,     "For operators: who did what"],
];

/** The operator's pages, which exist only with ADMIN_TOKEN. */
export const ADMIN_ROUTES: readonly ActionRoute[] = TABLE.map(
  ([method, path, handler, summary]) => (
    { method, path, cache: "never", errors: "page", summary, ...handler }
  ),
);
