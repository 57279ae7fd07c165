import type { SourceKind } from "../../config/settings.ts";
import type { Columns } from "./columns.ts";
import type { Fields } from "./fields.ts";

/** Where a tool says itself how far along an item is. */
export function findCategories(
  columns: Columns,
  { release_status: rule }: Fields,
  kind: SourceKind,
): string[] {
  if (rule?.tone !== undefined) return [columns.find(rule.tone) ?? rule.tone];
  const named = kind === "github" || kind === "gitlab" ? ["state"] : CATEGORIES;
  const status = columns.originOf("release_status")?.column ?? null;
  const inside = status === null
    ? []
    : CATEGORIES_INSIDE.map((key) => `${status.replace(/\.name$/, "")}.${key}`);
  return [...named.map((name) => columns.find(name)).filter((name) => name !== null), ...inside];
}

/** Where a tool says why the work on an item ended. */
export function findResolutions(columns: Columns): string[] {
  const names = columns.isJira ? RESOLUTIONS : ["state_reason", "content.stateReason"];
  return names.map((name) => columns.find(name)).filter((name) => name !== null);
}

/** Columns with the category of a status. */
const CATEGORIES = [
  ...["Status Category", "State Category", "Status Type", "State Type"],
  ...["Statuskategorie", "Catégorie d'état", "Catégorie de statut", "Categoría de estado"],
  ...["Categoria do status", "Categoria de status", "Statuscategorie"],
];
/** Why the work on an issue of Jira ended, in its languages. */
const RESOLUTIONS = ["Resolution", "Lösung", "Résolution", "Resolución", "Resolução", "Oplossing"];
/** Where a status that is an object has its category: in Jira, in Linear. */
const CATEGORIES_INSIDE = ["statusCategory.key", "category", "type"];
