import { toneOfWords } from "../../roadmap/status_tone.ts";
import { textOf } from "./cell_text.ts";
import { plainName, withoutRemark } from "./column_names.ts";
import type { FieldName } from "./fields.ts";
import { readDate } from "./read_date.ts";

type Row = Readonly<Record<string, unknown>>;

/** Words of a column's name: how much each speaks for a field, or against it. */
type Weights = Readonly<Record<string, number>>;

function weights(lists: Readonly<Record<number, string>>): Weights {
  return Object.fromEntries(
    Object.entries(lists).flatMap(([weight, words]) =>
      words.trim().split(/\s+/).map((word) => [word, Number(weight)])
    ),
  );
}

/** What a field's column is called, in words, and which values it has. */
interface Signs {
  words: Weights;
  /** Whether these values are those of the field; empty ones are left out. */
  fits(values: readonly string[], rows: number): boolean;
}

/** Whether the values of a column are those of a field; of fields without signs all are. */
export function fitsField(field: FieldName, name: string, rows: readonly Row[]): boolean {
  const values = valuesOf(name, rows);
  return values.length > 0 && (SIGNS[field]?.fits(values, Math.min(rows.length, MAX_ROWS)) ?? true);
}

function valuesOf(name: string, rows: readonly Row[]): string[] {
  return rows.slice(0, MAX_ROWS).map((row) => textOf(row[name])?.trim() ?? "")
    .filter((text) => text !== "");
}

/** At least this much has to speak for a column. */
const ENOUGH = 2;
/** The rows that are looked at. */
const MAX_ROWS = 500;
const share = <Value>(values: readonly Value[], fits: (value: Value) => boolean) =>
  values.length === 0 ? 0 : values.filter(fits).length / values.length;

/** A day or a period, whatever its order; a bare number is none. */
function isDay(text: string): boolean {
  if (/^\d{1,4}(?:\.\d{1,2}){0,2}$/.test(text) && !/^\d{4}$|\d{4}/.test(text)) return false;
  const read = readDate(text, { asOf: "2026-01-01" });
  return "date" in read ? read.date !== null : read.readings !== undefined;
}

const SIGNS: Readonly<Partial<Record<FieldName, Signs>>> = {
  release_date: {
    words: weights({
      3: "due deadline target eta delivery deliver launch ship ga termin zieldatum fallig echeance cible livraison entrega prazo scadenza",
      2: "end finish live shipping planned expected estimated forecast release completion quarter timeframe timeline rollout available ende fin final ziel liefertermin cierre rilascio lancement lanzamiento lancamento",
      1: "date by when plan datum fecha data day month",
      [-9]:
        "start started begin beginning kickoff created creation opened updated modified changed edited viewed last first closed resolved completed done actual archived reported submitted requested logged reviewed review added assigned approved baseline original previous old beginn erstellt geandert aktualisiert debut inicio cree creado criado reminder birthday contract",
    }),
    fits: (values) => share(values, isDay) > 0.5,
  },
  release_status: {
    words: weights({
      3: "status state zustand statut etat estado stato",
      2: "stage progress lane workflow phase stand fortschritt etape etapa fase column bucket complete percent",
      [-9]:
        "date changed updated reason category by note notes id approval budget health risk since age time comment old previous at internal completed",
    }),
    fits: (values) => {
      const different = [...new Set(values)];
      return different.length <= 50 &&
        share(different, (text) => toneOfWords(text) !== null) >= 0.5;
    },
  },
  feature_name: {
    words: weights({
      3: "title feature summary initiative deliverable capability enhancement titel titre titulo funktion headline",
      2: "name task item epic story topic subject idea request requirement release what thema vorhaben aufgabe nombre nome nom naam milestone objective launch",
      [-9]:
        "project product team owner assignee customer account user file parent sprint group company author by manager lead contact id key date status state type url link person responsible board list folder workspace reporter creator score votes count",
    }),
    fits: (values, rows) =>
      values.length >= rows * 0.7 && new Set(values).size >= values.length * 0.8 &&
      share(values, (text) => /\p{L}{2}/u.test(text)) > 0.9,
  },
  product_name: {
    words: weights({
      3: "product produkt produit producto produto prodotto",
      2: "application app platform module component area service system solution suite line anwendung workstream",
      [-9]:
        "manager owner lead id url key goal type category date status version note notes description marketing count number team contact details",
    }),
    fits: (values, rows) =>
      values.length >= rows / 2 && share(values, (one) => one.length < 100) === 1,
  },
  release_item_id: {
    words: weights({
      3: "id key uuid guid identifier",
      2: "number no nr code ref reference ticket schlussel cle clave chave",
      [-9]:
        "parent project product customer account user owner assignee epic team sprint board version phone zip cost space organization workspace linear external batch",
    }),
    fits: (values, rows) =>
      rows > 1 && values.length === rows && new Set(values).size === rows &&
      share(values, (one) => one.length <= 64 && !/\s/.test(one)) === 1,
  },
};

/** How much the words of a column's name speak for a field. */
function weigh(name: string, words: Weights): number {
  return plainName(withoutRemark(name)).split(" ")
    .reduce((sum, word) => sum + (Object.hasOwn(words, word) ? words[word]! : 0), 0);
}

/** Columns that may be a field: by their values, and by their names as well. */
export interface LikelyColumns {
  /** The one that its name and its values say; null: none, or several. */
  column: string | null;
  /** Those whose values fit, the likeliest first, with how many of their cells are filled. */
  candidates: { name: string; filled: number; weight: number }[];
}

/** Finds the columns of a field that no name is known for. */
export function findLikely(
  field: FieldName,
  names: readonly string[],
  rows: readonly Row[],
): LikelyColumns {
  const signs = SIGNS[field];
  if (!signs) return { column: null, candidates: [] };
  const found = names.map((name) => ({
    name,
    weight: weigh(name, signs.words),
    fits: fitsField(field, name, rows),
    filled: valuesOf(name, rows).length,
  })).filter(({ fits }) => fits).toSorted((one, other) => other.weight - one.weight);
  const [first, second] = found;
  const isSure = first !== undefined && first.weight >= ENOUGH && first.weight !== second?.weight;
  const candidates = found.filter(({ weight }) => weight > -ENOUGH);
  return { column: isSure ? first.name : null, candidates };
}
