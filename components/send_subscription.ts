import { type Mistakes, toMistakes } from "./form_mistakes.ts";

/** The result of a request to subscribe, for a person. */
interface SubscribeOutcome {
  accepted: boolean;
  message: string;
  /** What is wrong with single fields. */
  mistakes: Mistakes;
  /** Values that no release has now. */
  unknown: readonly string[];
}

/** Messages for responses without field errors. */
const MESSAGES: Readonly<Record<number, string>> = {
  404: "Subscriptions are not available on this site.",
  413: "Too many choices. Choose fewer.",
  415: "The server could not read the form.",
  503: "The server is busy. Please try again in a moment.",
};

/** What follows an accepted request; the same for every address. */
export const SENT = "If there is anything to confirm, we've just sent you a link.";

/** Says that no release has some values now. */
export function describeUnknown(values: readonly string[]): string {
  return `No release matches ${values.join(", ")} yet. We will email you once one does.`;
}

/** Sends a form to the API of a site, and returns its answer. */
export async function sendSubscription(path: string, form: FormData): Promise<SubscribeOutcome> {
  const { email, cadence, ...lists } = Object.fromEntries(
    Map.groupBy(form, ([name]) => name).entries()
      .map(([name, fields]) => [name, fields.map(([, value]) => value)]),
  );
  try {
    const response = await fetch(`${path}/api/subscribe`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ email: email![0], cadence: cadence?.[0], ...lists }),
    });
    return await readOutcome(response);
  } catch {
    return refused("Cannot reach the server. Check your connection and try again.");
  }
}

async function readOutcome(response: Response): Promise<SubscribeOutcome> {
  if (response.ok) {
    const { unknown = {} } = await response.json();
    const lists = Object.values<string[]>(unknown);
    return { accepted: true, message: SENT, mistakes: {}, unknown: lists.flat() };
  }
  const { detail, errors = [] } = await response.json().catch(() => ({}));
  if (response.status === 429) return refused(waitMessage(response));
  if (errors.length > 0) {
    return { ...refused("Please check the form."), mistakes: toMistakes(errors) };
  }
  return refused(
    MESSAGES[response.status] ?? detail ?? `The server responded with status ${response.status}.`,
  );
}

function waitMessage({ headers }: Response): string {
  const seconds = Number(headers.get("retry-after"));
  if (!seconds) return "Too many requests. Try again later.";
  const minutes = Math.ceil(seconds / 60);
  return `Too many requests. Try again in ${minutes === 1 ? "a minute" : `${minutes} minutes`}.`;
}

function refused(message: string): SubscribeOutcome {
  return { accepted: false, message, mistakes: {}, unknown: [] };
}
