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
  clearMistakes(form);
  const path = form.getAttribute("action")!.replace(/\/subscribe$/, "");
  const { accepted, message, mistakes, unknown } = await sendSubscription(path, new FormData(form));
  const others = Object.entries(mistakes).filter(([name, text]) => !showMistake(form, name, text))
    .map(([, text]) => text);
  const answer = form.querySelector<HTMLElement>(".answer")!;
  const wrong = form.querySelector<HTMLElement>("[aria-invalid]");
  if (wrong && others.length === 0) {
    answer.className = "answer";
    answer.textContent = "";
    (wrong.matches("fieldset") ? wrong.querySelector("input")! : wrong).focus();
  } else {
    answer.className = `answer notice ${accepted ? "success" : "problem"}`;
    answer.textContent = [
      accepted ? "Check your inbox." : "Something went wrong.",
      message,
      ...others,
      ...unknown.length > 0 ? [describeUnknown(unknown)] : [],
    ].join(" ");
    if (accepted) form.replaceChildren(answer);
    answer.focus();
  }
  button.ariaDisabled = "false";
}

/** Says below a field what is wrong with it, as the server does; false where no one sees the field. */
function showMistake(form: HTMLFormElement, name: string, text: string): boolean {
  const input = form.querySelector<HTMLInputElement>(`[name="${name}"]:not([type="hidden"])`);
  if (!input) return false;
  const field = input.closest<HTMLElement>("fieldset") ?? input;
  const mistake = document.createElement("p");
  mistake.className = "mistake";
  mistake.id = `${name}-mistake`;
  mistake.textContent = text;
  if (field === input) (field.closest(".send") ?? field.nextElementSibling ?? field).after(mistake);
  else field.append(mistake);
  field.closest("details")?.setAttribute("open", "");
  field.ariaInvalid = "true";
  const hint = field.getAttribute("aria-describedby") ?? "";
  field.setAttribute("aria-describedby", `${mistake.id} ${hint}`.trim());
  return true;
}

function clearMistakes(form: HTMLFormElement): void {
  for (const mistake of form.querySelectorAll(".mistake")) mistake.remove();
  for (const field of form.querySelectorAll<HTMLElement>("[aria-invalid]")) {
    field.ariaInvalid = null;
    const hint = (field.getAttribute("aria-describedby") ?? "").split(" ")
      .filter((id) => document.getElementById(id));
    field.setAttribute("aria-describedby", hint.join(" "));
  }
}
