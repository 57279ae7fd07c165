/** The result of a request to subscribe, for a person. */
export interface SubscribeOutcome {
  accepted: boolean;
  message: string;
  /** The errors of single fields. */
  reasons: readonly string[];
  /** Values that no release has now. */
  unknown: readonly string[];
}

/** Messages for responses without field errors. */
const MESSAGES: Readonly<Record<number, string>> = {
  404: "This site does not take subscriptions.",
  413: "The choices are too many to be sent at once.",
  415: "The server did not understand the form.",
  503: "The server is busy. Please try again in a moment.",
};

/** Sends the form to the API of a site, and returns its answer. */
export async function sendSubscription(path: string, form: FormData): Promise<SubscribeOutcome> {
  const [products, types, statuses] = ["products", "types", "statuses"].map((name) =>
    form.getAll(name)
  );
  const [email, cadence] = [form.get("email"), form.get("cadence")];
  try {
    const response = await fetch(`${path}/api/subscribe`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ email, cadence, products, types, statuses }),
    });
    return await tellAnswer(response);
  } catch {
    return refused("The server cannot be reached. Please check the connection and try again.");
  }
}

async function tellAnswer(response: Response): Promise<SubscribeOutcome> {
  if (response.ok) {
    const { message, unknown = {} } = await response.json();
    const lists = Object.values<string[]>(unknown);
    return { accepted: true, message, reasons: [], unknown: lists.flat() };
  }
  const { detail, errors = [] } = await response.json().catch(() => ({}));
  const reasons = errors.map(({ name, reason }: { name: string; reason: string }) =>
    `${name || "The form"} ${reason}`
  );
  if (response.status === 429) return refused(waitMessage(response));
  if (reasons.length > 0) return { ...refused("Please correct this:"), reasons };
  return refused(
    MESSAGES[response.status] ?? detail ?? `The server answered with status ${response.status}.`,
  );
}

function waitMessage({ headers }: Response): string {
  const seconds = Number(headers.get("retry-after"));
  if (!seconds) return "That was too often. Please try again later.";
  const minutes = Math.ceil(seconds / 60);
  return `That was too often. Please try again in ${
    minutes === 1 ? "a minute" : `${minutes} minutes`
  }.`;
}

function refused(message: string): SubscribeOutcome {
  return { accepted: false, message, reasons: [], unknown: [] };
}
