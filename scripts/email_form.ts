import { describeUnknown, sendSubscription } from "../components/send_subscription.ts";

/** The form is found when it is sent, since a filter may have put another one in its place. */
addEventListener("submit", (event) => {
  const form = event.target as HTMLFormElement;
  // The preview is a page of its own.
  if (
    !form.matches(".email-form, .subscribe-form") || event.submitter?.hasAttribute("formaction")
  ) {
    return;
  }
  event.preventDefault();
  void send(form);
});

/** The answer takes the place of the form when nothing is left to do there. */
async function send(form: HTMLFormElement): Promise<void> {
  const button = form.querySelector<HTMLButtonElement>("button:not([formaction])")!;
  if (button.ariaDisabled === "true") return;
  button.ariaDisabled = "true";
  const path = form.getAttribute("action")!.replace(/\/subscribe$/, "");
  const { accepted, message, reasons, unknown } = await sendSubscription(path, new FormData(form));
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
  button.ariaDisabled = "false";
}
