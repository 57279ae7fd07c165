import {
  describeUnknown,
  postSubscription,
  type SubscribeOutcome,
} from "../subscribe/send_subscription.ts";

/** The form is found when it is sent, since a filter may have put another one in its place. */
addEventListener("submit", (event) => {
  const form = event.target as HTMLFormElement;
  if (!form.matches(".email-form")) return;
  event.preventDefault();
  void send(form);
});

async function send(form: HTMLFormElement): Promise<void> {
  const button = form.querySelector("button")!;
  if (button.ariaDisabled === "true") return;
  button.ariaDisabled = "true";
  const { email, cadence, ...lists } = Object.fromEntries(
    Map.groupBy(new FormData(form), ([name]) => name).entries()
      .map(([name, fields]) => [name, fields.map(([, value]) => value)]),
  );
  const path = form.getAttribute("action")!.replace(/\/subscribe$/, "");
  show(form, await postSubscription(path, { email: email![0], cadence: cadence![0], ...lists }));
  button.ariaDisabled = "false";
}

/** The answer takes the place of the form when nothing is left to do there. */
function show(form: HTMLFormElement, { accepted, message, reasons, unknown }: SubscribeOutcome) {
  const answer = form.querySelector<HTMLElement>(".answer")!;
  answer.className = `answer notice ${accepted ? "success" : "problem"}`;
  answer.textContent = [
    accepted ? "Check your inbox." : "That didn't work.",
    message,
    ...reasons,
    ...unknown.length > 0 ? [describeUnknown(unknown)] : [],
  ].join(" ");
  if (accepted) form.replaceChildren(answer);
  answer.focus();
}
