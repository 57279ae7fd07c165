import { createHash } from "node:crypto";
import { OWN_ACCENT } from "../config/accent.ts";
import type { Config } from "../config/config.ts";
import { type ChangeKind, nameKind } from "../roadmap/changes/kinds.ts";
import { type DateChange, describeSlip, followDates, isLater } from "../roadmap/changes/promise.ts";
import type { Item } from "../roadmap/item.ts";
import type { Site } from "../roadmap/sites.ts";
import { isStated } from "../roadmap/stated.ts";
import type { Variant } from "../roadmap/variant.ts";
import { cleanName } from "../text/plain_text.ts";
import { formatDay, showPlanned } from "../text/dates.ts";
import { joinMoves, shorten, toLine } from "../text/phrases.ts";
import { toDrawable } from "./fonts.ts";
import { drawPicture } from "./draw_picture.ts";
import { say } from "../text/messages.ts";

/** More characters do not fit. */
const MAX_LENGTH = 250;

/** What a picture of a release is made of. */
interface PictureFacts {
  item: Item;
  /** The changes of its date, oldest first. */
  dates: readonly DateChange[];
  /** The day of the first import that had it. */
  firstSeen: string | null;
}

/** Whose picture it is. */
interface PictureFrame {
  services: {
    config: Pick<Config, "SITE_NAME" | "accent">;
    assets: { logo: unknown };
  };
  site: Pick<Site, "variant">;
}

/** The picture of a release for previews of links. */
interface ReleasePicture {
  svg: string;
  /** What it shows, in words. */
  alt: string;
  /** Another one whenever the picture is. */
  version: string;
}

/** Draws the moves of a release; null where the font lacks characters of its name, product or status. */
export function drawRelease(
  facts: PictureFacts,
  { services: { config, assets }, site: { variant } }: PictureFrame,
): ReleasePicture | null {
  const { item } = facts;
  const name = toDrawable(shorten(cleanName(item.feature_name), MAX_LENGTH));
  const product = toDrawable(shorten(toLine(item.product_name), MAX_LENGTH));
  const status = isStated(item.release_status)
    ? toDrawable(shorten(toLine(item.release_status), MAX_LENGTH))
    : "";
  if (name === null || product === null || status === null) return null;
  const outcome = outcomeOf(item);
  const ended = outcome && nameKind(outcome);
  const steps = [...listDates(facts, variant), ...ended ? [ended] : []];
  const { moves, isLater } = describeMoves(facts, variant);
  const svg = drawPicture({
    name,
    product,
    status,
    tone: item.tone,
    steps: steps.map((step) => toDrawable(step) ?? "…"),
    outcome: outcome && (outcome === "shipped" ? "shipped" : "stopped"),
    moves: toDrawable(moves) ?? "",
    isLater,
    siteName: toDrawable(config.SITE_NAME) ?? "",
    hasLogo: assets.logo !== null,
    accent: (config.accent ?? OWN_ACCENT).light,
  });
  const version = createHash("sha256").update(svg).digest("base64url").slice(0, 12);
  return { svg, alt: say("list.titled", { title: name, text: joinMoves(steps) }), version };
}

/** The dates that it had, each once in a row. */
function listDates({ item, dates, firstSeen }: PictureFacts, variant: Variant): string[] {
  const shown = followDates(dates, firstSeen ?? item.last_modified, item.release_date)
    .map(({ date }) => showPlanned(date && variant.formatDate(date)));
  return shown.filter((date, place) => date !== shown[place - 1]);
}

/** What became of it; null: it is still to come. */
function outcomeOf({ active, tone }: Item): ChangeKind | null {
  if (tone === "shipped") return "shipped";
  if (tone === "stopped") return "cancelled";
  return active ? null : "removed";
}

function describeMoves(
  { item, dates, firstSeen }: PictureFacts,
  variant: Variant,
): { moves: string; isLater: boolean } {
  const slip = describeSlip(dates, variant);
  if (slip !== null) return { moves: slip, isLater: isLater(dates, item.release_date) };
  const isDated = item.release_date !== null && firstSeen !== null;
  const moves = isDated ? say("promise.not_moved", { day: formatDay(firstSeen) }) : "";
  return { moves, isLater: false };
}
