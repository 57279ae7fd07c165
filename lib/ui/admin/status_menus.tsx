import { CONTROL, ruleOf } from "../../admin/uploads/choose_mapping.ts";
import type { MappingProps } from "./mapping_form.tsx";

const TONES = {
  planned: "Planned",
  "in progress": "In progress",
  shipped: "Shipped",
  stopped: "Stopped",
} as const;
/** More than any roadmap has; the form would become too long. */
const MAX_STATUSES = 200;

/** What each status counts as, with a menu to say otherwise; unknown ones come first. */
export function StatusMenus({ options: { fields }, preview }: MappingProps) {
  const statuses = preview.statuses.slice(0, MAX_STATUSES).map((status) => ({
    ...status,
    word: status.tone.replace("_", " ") as keyof typeof TONES,
  }));
  const rule = fields.release_status ?? preview.used.release_status;
  if (statuses.length === 0 || ruleOf(rule) === null) return null;
  return (
    <section>
      <h2>What each status counts as</h2>
      <input type="hidden" name="status_rule" value={JSON.stringify(rule)} />
      <ul class="mapping-list">
        {statuses.map(({ status, count, tone, word, by }, place) => {
          const found = TONES[word];
          return (
            <li key={place}>
              <b dir="auto">{status}</b> <span class="quiet">{count}</span>
              <select
                name={CONTROL.tone(status)}
                aria-label={`What ${status} counts as`}
                class={by === "unknown" ? "tone-unknown" : `tone-${tone}`}
              >
                <option value="" selected={by !== "mapping"}>
                  {by === "mapping"
                    ? "as its words say"
                    : by === "unknown"
                    ? `${found} – please check`
                    : found}
                </option>
                {Object.entries(TONES).filter(([name]) => by !== "word" || name !== word)
                  .map(([name, text]) => (
                    <option
                      key={name}
                      value={name}
                      selected={by === "mapping" && name === word}
                    >
                      {text}
                    </option>
                  ))}
              </select>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
