interface SelectFieldProps {
  name: string;
  label: string;
  value: string;
  /** Value and words; an empty value is the default. */
  options: readonly (readonly [value: string, words: string])[];
  /** Absent: a plain form with a submit button. */
  onPick?(value: string): void;
}

/** One choice of a form, with its label. */
export function SelectField({ name, label, value, options, onPick }: SelectFieldProps) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <select
        id={name}
        name={name}
        value={value}
        onChange={({ currentTarget }) => onPick?.(currentTarget.value)}
      >
        {options.map(([value, words]) => <option key={value} value={value}>{words}</option>)}
      </select>
    </div>
  );
}
