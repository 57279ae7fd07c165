/** One choice of a plain form. */
export function FilterSelect({ name, label, value, options }: {
  name: string;
  label: string;
  value: string;
  /** Value and words; an empty value is the default. */
  options: readonly (readonly [string, string])[];
}) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <select id={name} name={name} value={value}>
        {options.map(([value, words]) => <option key={value} value={value}>{words}</option>)}
      </select>
    </div>
  );
}
