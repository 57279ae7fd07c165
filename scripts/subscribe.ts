import "./email_form.ts";
import "./preferences.ts";

/** Says what will come as it is chosen: the page of the same choice has it in `data-followed`. */
const form = document.querySelector<HTMLFormElement>(".subscribe-form");
let asked = new AbortController();

form?.addEventListener("change", async () => {
  asked.abort();
  const { signal } = asked = new AbortController();
  const fields = [...new FormData(form)].filter(([name, value]) => name !== "email" && value);
  const query = new URLSearchParams(fields as [string, string][]);
  try {
    const response = await fetch(`${form.getAttribute("action")}?${query}`, { signal });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const now = page.querySelector("[data-followed]");
    if (now) document.querySelector("[data-followed]")!.textContent = now.textContent;
    const links = page.querySelectorAll(".switch a");
    document.querySelectorAll<HTMLElement>(".subscribe-page .switch a").forEach((link, place) =>
      link.setAttribute("href", links[place]!.getAttribute("href")!)
    );
  } catch {
    // What is sent counts, whatever this says.
  }
});
