import { CheckList } from "../search/check_list.tsx";

/** One parameter of an operation, for a form. */
export interface ApiParameter {
  name: string;
  in: "query" | "path";
  description: string;
  /** What it accepts, in words. */
  takes: string;
  /** Present if only some values can be chosen; those of a list are what releases have now. */
  values?: readonly string[];
  /** Several values may be chosen. */
  isList: boolean;
}

/** A field of a form for a parameter: a list, a choice, or a text. */
export function ParameterField({ id, parameter, chosen, onChange }: {
  id: string;
  parameter: ApiParameter;
  chosen: readonly string[];
  onChange(chosen: string[]): void;
}) {
  const { name, in: place, description, takes, values, isList } = parameter;
  // A plain form must not send a path parameter in the query.
  const sentAs = place === "query" ? name : undefined;
  const choose = (value: string) => onChange(value === "" ? [] : [value]);
  if (isList && values) {
    const listed = { values, total: values.length };
    return (
      <div class="parameter">
        <CheckList
          name={name}
          label={name}
          many="values"
          listed={listed}
          chosen={chosen}
          onChange={onChange}
        />
        <p class="hint">{withCode(description)}</p>
      </div>
    );
  }
  return (
    <div class="field">
      <label for={id}>
        <code>{name}</code> <span class="quiet">{takes}</span>
      </label>
      {values
        ? (
          <select
            id={id}
            name={sentAs}
            value={chosen[0] ?? ""}
            onChange={({ currentTarget }) => choose(currentTarget.value)}
          >
            <option value="">not set</option>
            {values.map((one) => <option key={one} value={one}>{one}</option>)}
          </select>
        )
        : (
          <input
            id={id}
            name={sentAs}
            value={chosen[0] ?? ""}
            onInput={({ currentTarget }) => choose(currentTarget.value)}
            autocomplete="off"
          />
        )}
      <p class="hint">{withCode(description)}</p>
    </div>
  );
}

/** Text between backticks is code. */
export function withCode(text: string) {
  return text.split("`").map((part, place) =>
    place % 2 === 1 ? <code key={place}>{part}</code> : part
  );
}
