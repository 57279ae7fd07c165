import { say } from "../lib/text/say.ts";

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

/** What the page says that answers a form: what is wrong with which fields, or what follows. */
interface Said {
  isAccepted: boolean;
  /** By their fields. */
  mistakes: (readonly [name: string, text: string])[];
  text: string;
}

/** The answer takes the place of the form when nothing is left to do there. */
async function send(form: HTMLFormElement): Promise<void> {
  const button = form.querySelector<HTMLButtonElement>("button:not([formaction])")!;
  if (button.ariaDisabled === "true") return;
  button.ariaDisabled = "true";
  clearMistakes(form);
  const { isAccepted, mistakes, text } = await ask(form);
  const others = mistakes.filter(([name, text]) => !showMistake(form, name, text))
    .map(([, text]) => text);
  const answer = form.querySelector<HTMLElement>(".answer")!;
  const wrong = form.querySelector<HTMLElement>("[aria-invalid]");
  if (wrong && others.length === 0 && text === "") {
    answer.className = "answer";
    answer.textContent = "";
    (wrong.matches("fieldset") ? wrong.querySelector("input")! : wrong).focus();
  } else {
    answer.className = `answer notice ${isAccepted ? "success" : "problem"}`;
    answer.textContent = [
      ...isAccepted ? [] : [say("form.failed")],
      text,
      ...others,
    ].join(" ");
    if (isAccepted) form.replaceChildren(answer);
    answer.focus();
  }
  button.ariaDisabled = "false";
}

/** Sends the form as a browser does, and reads the page that answers it. */
async function ask(form: HTMLFormElement): Promise<Said> {
  try {
    const body = new URLSearchParams([...new FormData(form)] as [string, string][]);
    const response = await fetch(form.getAttribute("action")!, { method: "POST", body });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const textsOf = (selector: string) =>
      [...page.querySelectorAll(selector)].map(({ textContent }) => textContent.trim());
    const mistakes = [...page.querySelectorAll(".mistake")].map(({ id, textContent }) =>
      [id.replace(/-mistake$/, ""), textContent] as const
    );
    const said = textsOf("[data-answer], main .problem, .error-page h1 + p");
    if (said.length + mistakes.length === 0) {
      said.push(say("search.status", { status: String(response.status) }));
    }
    return { isAccepted: response.ok, mistakes, text: said.join(" ") };
  } catch {
    const text = say("form.unreachable");
    return { isAccepted: false, mistakes: [], text };
  }
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
