/** Shows of a long list the choices whose names have what is typed; a document listens once. */
export function searchChoices(): void {
  document.addEventListener("input", ({ target }) => {
    const field = target as HTMLInputElement;
    if (!field.matches(".choice-search")) return;
    const words = field.value.trim().toLowerCase();
    for (const label of field.parentElement!.querySelectorAll<HTMLElement>(".choices .check")) {
      label.hidden = !label.textContent.toLowerCase().includes(words);
    }
  });
  document.addEventListener("keydown", (event) => {
    const isSearch = (event.target as Element).matches(".choice-search");
    if (event.key === "Enter" && isSearch) event.preventDefault();
  });
}
