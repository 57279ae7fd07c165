type DetailsEvent<Kind extends Event> = Kind & { readonly currentTarget: HTMLDetailsElement };

/** Closes a list when the focus leaves it. */
export function closeWhenLeft(event: DetailsEvent<FocusEvent>): void {
  const { currentTarget: details, relatedTarget } = event;
  if (relatedTarget instanceof Node && !details.contains(relatedTarget)) details.open = false;
}

/** Closes a list with Escape, and returns the focus to its button. */
export function closeOnEscape({ key, currentTarget: details }: DetailsEvent<KeyboardEvent>): void {
  if (key !== "Escape" || !details.open) return;
  details.open = false;
  details.querySelector("summary")?.focus();
}
