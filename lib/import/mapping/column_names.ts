import { FIELD_NAMES, type FieldName } from "./fields.ts";

/**
 * Column names of other tools, besides the field's own. Earlier rows are more reliable: if one of
 * their names is found, later rows are ignored. Two names of one row need a decision by a person.
 *
 * URLs of items and notes are not among what is shown: they may be internal, and need a mapping to
 * be published.
 */
const NAMES: Readonly<Partial<Record<FieldName, readonly string[]>>> = {
  release_item_id: [
    "key|issue key|uuid|guid|feature reference|item id auto generated|work item id",
    "task id|card id|post id",
    "id|issue id|item id|feature id|external id|reference|epic reference",
    "number|no|nr|identifier",
    "schlussel|vorgangsschlussel|cle|cle de ticket|clave|clave de incidencia|chave|chave da item",
    "chiave|sleutel|issuesleutel",
    "ключ|номер|编号|編號|キー|番号|번호|키|klucz|klic|anahtar|avain|nyckel",
    "url|issue url|html url|card url|permalink",
  ],
  feature_name: [
    "feature name|task name|card name|work item name|issue title|feature title|bar name|post title",
    "title|name|feature",
    "titel|titre|titulo|titolo|bezeichnung|nom|nombre|nome|naam|funktion|fonctionnalite|" +
    "funcionalidad|funcionalidade|functie",
    "summary|subject|headline|task|item|epic|initiative|item name|epic name|zusammenfassung|betreff",
    "resume|resumen|resumo|samenvatting|sommario|short description",
    "название|наименование|тема|назва|标题|標題|名称|名稱|件名|タイトル|제목|이름|tytul|nazwa|nazev|baslik|" +
    "otsikko|nimi|rubrik|namn|العنوان|الاسم",
    "title 1|titel 1|titre 1|titulo 1",
  ],
  release_date: [
    "planned release date|target release date|planned release|target release",
    "target|target date|eta|due|due date|duedate|due on|feature due on|target end|target end date|" +
    "ga date|launch|launch date|ship date|delivery date|planned|planned date|" +
    "planned for|release target date|deadline",
    "termin|falligkeitsdatum|fallig|fallig am|falligkeit|zieldatum|zieltermin|liefertermin|" +
    "geplant fur|echeance|date d echeance|date cible|date de livraison|fecha de vencimiento|" +
    "vencimiento|fecha de entrega|fecha objetivo|fecha limite|data limite|data de entrega|prazo|" +
    "data de vencimento|data prevista|vervaldatum|opleverdatum|streefdatum|scadenza|" +
    "data di scadenza|veroffentlichungsdatum|veroffentlichungstermin|date de sortie",
    "planned end|planned end date|planned finish|planned finish date|go live|go live date|target launch",
    "срок|срок выполнения|дедлайн|дата завершения|термін|截止日期|截止时间|截止時間|到期日|预计完成|期限|期限日|納期|予定日|" +
    "기한|마감일|예정일|termin|termin realizacji|data zakonczenia|datum splatnosti|bitis tarihi|son tarih|" +
    "elaraika|maaraaika|forfallodatum|slutdatum|تاريخ الاستحقاق|الموعد النهائي",
    "quarter|timeframe|target quarter|release quarter|quartal|trimestre|kwartaal|zeitraum",
    "release|milestone due on",
    "date|end date|end|finish|finish date|timeline end|timeframe end|timeline|datum|enddatum|einddatum|date de fin|fecha|fecha de fin|" +
    "data|data de termino",
    "fix version|fix versions|fix version s|published at|milestone|milestone title|release name|" +
    "losungsversion|losungsversionen|version corrigee|versiones corregidas",
  ],
  release_type: [
    "type|kind|issue type|issuetype|work item type|feature type|item type|task type",
    "тип|类型|類型|種別|種類|유형",
    "typ|vorgangstyp|tipo|type de ticket|tipo de incidencia|tipo de item|arbeitselementtyp|soort",
    "release phase|phase",
  ],
  release_status: [
    "status|state|feature status|issue status|workflow status",
    "zustand|statut|etat|estado|situacao|stato|staat|статус|состояние|стан|状态|狀態|状態|ステータス|진행상태|상태|" +
    "stav|durum|tila|tilanne|الحالة",
    "pipeline|stage|progress|legend|section column|list name|section|board column|list|column",
  ],
  product_name: [
    "product",
    "продукт|продукты|产品|產品|製品|プロダクト|제품|produkty|urun|tuote|produkter|المنتج|проект|项目|專案|カテゴリー",
    "products|produkt|produkte|produit|produits|producto|productos|produto|produtos|prodotto|prodotti",
    "project name|project|projects|projekt|projektname|projet|nom du projet|proyecto|" +
    "nombre del proyecto|projeto|nome do projeto|progetto",
    "area|product area|component|components|component s|module|area path|bereich|bereichspfad|" +
    "komponente|komponenten|composant|composants|componente|componentes",
    "repository|repository url",
    "team|teams",
    "board name",
    "space name",
  ],
  feature_description: [
    "description|body|content body|feature description|card description|task content",
    "beschreibung|descripcion|descricao|descrizione|omschrijving",
    "details|text",
  ],
  blog_url: ["blog|blog link|blog address|announcement|more info|more info link"],
  last_modified: [
    "modified|last updated|last change|last edited time|changed date|updated date|date updated|" +
    "last activity date|last modified time|date last activity",
    "updated|updated at|updated on|updated at utc",
    "обновлено|изменено|оновлено|更新时间|更新時間|更新日|수정일|sys updated on",
    "aktualisiert|geandert|anderungsdatum|mis a jour|mise a jour|actualizada|actualizado|" +
    "atualizado|bijgewerkt|aggiornato",
  ],
  created: [
    "created at|created date|created time|created at utc|feature created at",
    "created on",
    "date created",
    "creation date",
    "создано|дата создания|створено|创建时间|創建時間|建立時間|登録日|作成日|등록일|생성일|utworzono|vytvoreno",
    "erstellt|erstellungsdatum|erstellt am|creation|creee|cree|creada|creado|criado|aangemaakt|creato",
  ],
};

/** What a column says of whether a row is for everybody. */
export interface Privacy {
  reason: string;
  /**
   * `unless no`: yes, a day or any other text keeps the row back; `if not yes`: it is shown only
   * where the column says so; `if no`: it is kept back only where the column says so.
   */
  keepsBack: "unless no" | "if not yes" | "if no";
}

const PRIVACY: readonly (readonly [Privacy["keepsBack"], reason: string, names: string])[] = [
  [
    "unless no",
    "confidential",
    "confidential|vertraulich|confidentiel|confidencial|vertrouwelijk|riservato",
  ],
  [
    "unless no",
    "archived",
    "archived|is archived|archived at|archived on|archived date|archiviert|archive|archivado|" +
    "arquivado|gearchiveerd|archiviato",
  ],
  [
    "unless no",
    "with a security level",
    "security level|sicherheitsstufe|niveau de securite|nivel de seguridad|nivel de seguranca|" +
    "beveiligingsniveau|fields security",
  ],
  [
    "unless no",
    "private",
    "private|is private|internal|is internal|internal only|hidden|is hidden|privat|intern|" +
    "versteckt|prive|interne|privado|interno|privee|privato|nur intern",
  ],
  ["unless no", "deleted", "deleted|is deleted|deleted at|geloscht|supprime|eliminado"],
  [
    "if not yes",
    "not public",
    "visibility|view status|sichtbarkeit|visibilite|visibilidad|visibilidade|public|is public|visible|is visible|published|is published|show on roadmap|on roadmap|" +
    "public roadmap|on public roadmap|show on public roadmap|customer facing|offentlich|sichtbar|" +
    "publique|publico|publica|openbaar|pubblico|visible on roadmap",
  ],
  ["if no", "not active", "aktiv|actif|activo|ativo|actief|attivo|is active|enabled"],
];

const PRIVATE: ReadonlyMap<string, Privacy> = new Map(
  PRIVACY.flatMap(([keepsBack, reason, names]) =>
    names.split("|").map((name) => [name, { reason, keepsBack }] as const)
  ),
);

/** A field that a column may be, and its rank: 0 is the field's own name. */
interface KnownColumn {
  field: FieldName;
  tier: number;
}

/** The names of columns are asked for with each row. */
const PLAIN = new Map<string, string>();
const MAX_PLAIN = 5_000;

const KNOWN: ReadonlyMap<string, KnownColumn> = new Map(
  FIELD_NAMES.flatMap((field) => {
    const tiers = [plainName(field), ...NAMES[field] ?? []].map((names) => names.split("|"));
    return tiers.flatMap((names, tier) =>
      names.map((name) => [plainName(name), { field, tier }] as const)
    );
  }),
);

/**
 * The normalised name of a column: without case, accents, spaces and punctuation.
 *
 * ```ts
 * if (plainName(" Fix Version/s") !== plainName("fixVersion_s")) throw new Error();
 * if (plainName("Öffentlich") !== "offentlich") throw new Error();
 * ```
 */
export function plainName(name: string): string {
  const known = PLAIN.get(name);
  if (known !== undefined) return known;
  const plain = toPlain(name);
  if (PLAIN.size < MAX_PLAIN) PLAIN.set(name, plain);
  return plain;
}

function toPlain(name: string): string {
  return name.normalize("NFKC").replace(/\p{Cf}/gu, "").replace(/(\p{Ll})(?=\p{Lu})/gu, "$1 ")
    .replaceAll("ß", "ss").normalize("NFD").replace(/\p{Mn}/gu, "").toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}

/** Of a number: what many tools call an id in its place. */
const NUMBER_SIGN: KnownColumn = { field: "release_item_id", tier: 3 };

/** The field of a column by its name; undefined for an unknown name. */
export function knownColumn(name: string): KnownColumn | undefined {
  if (name.trim() === "#") return NUMBER_SIGN;
  const bare = name.replace(/^fields\./, ""); // Jira keeps an issue's fields apart
  const known = KNOWN.get(plainName(bare));
  if (known) return known;
  // A name with a remark, or a field of one's own, counts after those of the tool.
  const inner = KNOWN.get(plainName(withoutRemark(bare)));
  return inner && { ...inner, tier: inner.tier + 0.5 };
}

/**
 * The name of a column without what is said about it.
 *
 * ```ts
 * if (withoutRemark("Due date (YYYY-MM-DD) *") !== "Due date") throw new Error();
 * if (withoutRemark("Custom field (Target end)") !== "Target end") throw new Error();
 * ```
 */
export function withoutRemark(name: string): string {
  const inner = /^\s*custom field \((.{1,200})\)\s*$/i.exec(name)?.[1] ?? name;
  return inner.replace(/\([^()]*\)|\[[^[\]]*\]/g, " ").replace(/(?<![\s*:])[\s*:]+$/, "")
    .replace(/\s+/g, " ").trim() || inner;
}

/** What a column says of who may see a row, by its name. */
export function privacyOf(name: string): Privacy | undefined {
  const bare = name.replace(/^fields\./, "");
  return [name, bare, withoutRemark(bare)].map((one) => PRIVATE.get(plainName(one)))
    .find((found) => found !== undefined);
}

/** Whether a column has several values in one text, by its plural. */
export function isPlural(column: string): boolean {
  return /^(?:products|projects|components|teams|produkte|produits|productos|produtos|prodotti|komponenten|composants|componentes)$/
    .test(plainName(column));
}

/** Whether a column has the names of versions or milestones, which are dates at times. */
export function namesVersions(column: string): boolean {
  return /^(?:fix versions?(?: s)?|milestone(?: title)?|release(?: name)?|losungsversion(?:en)?|version corrigee|versiones corregidas)$/
    .test(plainName(column));
}

/**
 * The columns that count where one is empty: a title of a tree that is a level lower, and in Linear
 * the team of an issue without a project.
 */
export function nextColumns(column: string, names: readonly string[]): string[] {
  const [, title] = /^(title|titel|titre|titulo) 1$/.exec(plainName(column)) ?? [];
  if (title !== undefined) {
    return names.filter((name) => new RegExp(`^${title} [2-9]$`).test(plainName(name)));
  }
  const has = (wanted: string) => names.filter((name) => plainName(name) === wanted);
  return plainName(column) === "project" && has("cycle name").length > 0 ? has("team") : [];
}
