import { useLayoutEffect, useRef } from "preact/hooks";

/** Searches while one types in the field of the header, which Escape empties. */
export function useSearchField(q: string, type: (q: string) => void): void {
  // What was typed before the script came stays: it becomes the search.
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    const field = document.querySelector<HTMLInputElement>("#q")!;
    field.oninput = () => type(field.value);
    field.onkeydown = (event) => {
      if (event.key !== "Escape" || q === "") return;
      event.preventDefault();
      type("");
    };
    if (field.value !== q && !isFirst.current) field.value = q;
    isFirst.current = false;
  });
}
