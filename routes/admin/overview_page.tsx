import { operatorPage } from "./operator.ts";

/** What is wrong, and what happens next. */
export const overviewPage = operatorPage(() =>
  Promise.resolve({ title: "Overview", children: <p>You are signed in.</p> })
);
