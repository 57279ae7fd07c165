import { describeStatus } from "../../import/describe_status.ts";
import type { ReadStatus } from "../../import/mapping/map_table.ts";
import { AdminTable } from "./admin_page.tsx";

/** What each status counts as, and why; those without a known word first. */
export function StatusTable({ statuses }: { statuses: readonly ReadStatus[] }) {
  if (statuses.length === 0) return null;
  const isUnknown = statuses.some(({ by }) => by === "unknown");
  return (
    <section>
      <h2>Statuses</h2>
      {isUnknown && (
        <p>
          A status without a known word counts as planned. Set another tone in the mapping:{" "}
          <code>{'"release_status": {"from": "Status", "tones": {"Live in EU": "shipped"}}'}</code>.
        </p>
      )}
      <AdminTable label="Statuses" columns={["Status", "Items", "Counts as", "Why"]}>
        {statuses.map((status, place) => {
          const { tone, reason } = describeStatus(status);
          return (
            <tr key={place}>
              <td>{status.status}</td>
              <td>{status.count}</td>
              <td>
                <span class={`badge tone-${status.tone}`}>{tone}</span>
              </td>
              <td>{reason}</td>
            </tr>
          );
        })}
      </AdminTable>
    </section>
  );
}
