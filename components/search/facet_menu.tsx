import type { ComponentChildren } from "preact";
import { Name } from "../name.tsx";

interface FacetMenuProps {
  label: string;
  /** What is chosen, in words. */
  chosen: readonly string[];
  children: ComponentChildren;
}

/** A filter that opens below its button, which says what is chosen; one is open at a time. */
export function FacetMenu({ label, chosen: [first, ...others], children }: FacetMenuProps) {
  return (
    <details class="facet" name="facet">
      <summary>
        {label}
        {first !== undefined && (
          <>
            {": "}
            <strong>
              <Name text={first} />
              {others.length > 0 && `, +${others.length}`}
            </strong>
          </>
        )}
      </summary>
      {children}
    </details>
  );
}
