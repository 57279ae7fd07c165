/** Handles a click on a link in place, unless the person wants it in another tab or window. */
export function staysHere(act: () => void): (event: MouseEvent) => void {
  return (event) => {
    const { button, altKey, ctrlKey, metaKey, shiftKey } = event;
    if (button !== 0 || altKey || ctrlKey || metaKey || shiftKey) return;
    event.preventDefault();
    act();
  };
}
