import { toLine } from "../lib/text/phrases.ts";
import { isStated } from "../lib/roadmap/stated.ts";
import { say } from "../lib/text/say.ts";

interface StatusProps {
  item: { active?: boolean; tone: string; release_status: string };
}

/** Whether a release was removed, and how far along it is. */
export function Status({ item }: StatusProps) {
  return (
    <>
      {item.active === false && <span class="badge tone-removed">{say("kind.removed")}</span>}{" "}
      {isStated(item.release_status) && <StatusBadge item={item} />}
    </>
  );
}

/** How far along a release is; its place is there without a status, too. */
export function StatusBadge({ item: { tone, release_status } }: StatusProps) {
  return isStated(release_status)
    ? <span class={`badge tone-${tone}`}>{toLine(release_status)}</span>
    : <span />;
}
