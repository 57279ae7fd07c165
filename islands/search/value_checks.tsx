import type { ComponentChildren } from "preact";
import { Name } from "../name.tsx";

interface ValueChecksProps {
  name: string;
  label: string;
  values: readonly string[];
  /** Values of other groups of tags among them. */
  chosen: readonly string[];
  /** What each value begins with and is not shown. */
  prefix?: string;
  /** How many releases each value would find, where it is shown. */
  countFor?(value: string): number;
  /** Absent: a plain form with a submit button. */
  onChange?(chosen: string[]): void;
  hint?: string | null;
  /** What stands above them. */
  children?: ComponentChildren;
}

/** The values of a list, any of which can be chosen. */
export function ValueChecks(
  { name, label, values, chosen, prefix = "", countFor, onChange, hint, children }:
    ValueChecksProps,
) {
  const toggle = (value: string, isChosen: boolean) =>
    onChange?.(isChosen ? [...chosen, value].sort() : chosen.filter((one) => one !== value));
  return (
    <fieldset>
      <legend class="visually-hidden">{label}</legend>
      {children}
      {values.map((value) => (
        <label key={value} class="check">
          <input
            type="checkbox"
            name={name}
            value={value}
            checked={chosen.includes(value)}
            onChange={({ currentTarget }) => toggle(value, currentTarget.checked)}
          />
          <Name text={value.slice(prefix.length)} />
          {countFor && (
            <>
              {" "}
              <span class="quiet">{countFor(value)}</span>
              {" "}
            </>
          )}
        </label>
      ))}
      {hint && <p class="hint">{hint}</p>}
    </fieldset>
  );
}
