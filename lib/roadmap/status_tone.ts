/** How far along a release is. */
const STATUS_TONES = ["planned", "in_progress", "shipped", "stopped"] as const;

export type StatusTone = (typeof STATUS_TONES)[number];

/** The tones of statuses, folded by `foldStatus`, as the mapping of a source says. */
export type ToneMap = Readonly<Record<string, StatusTone>>;

/** What decided the tone of a status; nothing did for an unknown one, which counts as planned. */
export type ToneReason = "mapping" | "category" | "word" | "unknown";

/** The tone of a status, and why. */
export interface DecidedTone {
  tone: StatusTone;
  by: ToneReason;
}

/** What decides the tone of a status, besides its words. */
export interface ToneHints {
  /** What a mapping says of statuses. */
  tones?: ToneMap;
  /** The source's own category: Jira's status category, Linear's type, the state of an issue. */
  category?: string | null;
  /** Why the work ended, where the source says that apart. */
  resolution?: string | null;
}

// Statuses are folded to words in ASCII between single spaces; these lists hold such words.

/** The work is over, and nothing comes of it. */
const STOPPED = [
  "cancel[a-z]*|cancel|declin[a-z]*|reject[a-z]*|abandon[a-z]*|removed|removal|deleted|withdrawn",
  "duplicate[ds]?|duplication|dupe|dup|deprecat[a-z]*|retired?|retiring|retirements?|obsoleted?",
  "superseded|dropped|discontinu[a-z]*|killed|scrapped|shelved|sunset|sunset+ed|sunset+ing|revoked",
  "terminated|invalid|aborted|archived?|trashed|wontfix|wontdo|wont [a-z]+|won t|won t [a-z]+",
  "will not|will never|not (?:be )?(?:planned|pursu[a-z]+|doing|proceeding|happening|feasible)",
  "not (?:a bug|an issue|reproducible|needed|required|relevant|applicable|going to)",
  "notplanned|no longer|out of scope|end of (?:life|support)|eol|(?:by|as) design|as designed",
  "works as (?:designed|intended)|(?:can ?not|can t|unable to) (?:be )?(?:reproduced?|fix|fixed|do)",
  "no go|no fix|never mind|no action|no plans?|(?:de ?)scoped|cut from",
  // German
  "abgebrochen|abgelehnt|abgewiesen|storniert|verworfen|eingestellt|entfernt|geloscht|gestrichen",
  "archiviert|duplikat|dublette|wird nicht|nicht (?:geplant|reproduzierbar|mehr)|zuruckgezogen",
  // French
  "annule[a-z]*|annulation|rejete[a-z]*|refuse[a-z]*|supprime[a-z]*|doublon|archive[a-z]*|obsolete",
  "ne sera (?:pas|jamais)|ne pas faire|pas (?:prevu|planifie)[a-z]*|non (?:prevu|planifie)[a-z]*",
  "non reproductible|retire[a-z]*",
  // Spanish and Portuguese
  "cancelad[oa]s?|anulad[oa]s?|rechazad[oa]s?|descartad[oa]s?|abandonad[oa]s?|eliminad[oa]s?",
  "duplicad[oa]s?|retirad[oa]s?|obsolet[oa]s?|archivad[oa]s?|arquivad[oa]s?|rejeitad[oa]s?",
  "recusad[oa]s?|removid[oa]s?|excluid[oa]s?|suspens[oa] definitivamente",
  "no se (?:hara|realizara|implementara|corregira)|nao sera|nao (?:fazer|planejad[oa]|planead[oa])",
  "no (?:planificad[oa]|planead[oa])|no reproducible|nao reproduzivel",
  // Dutch, Italian, Polish, Swedish
  "geannuleerd|afgewezen|afgebroken|vervallen|verwijderd|duplicaat|gearchiveerd|verworpen",
  "wordt niet|niet (?:gepland|doen|uitvoeren|reproduceerbaar)|zal niet|ingetrokken",
  "annullat[oaie]|rifiutat[oaie]|scartat[oaie]|anulowan[eyao]|odrzucon[eyao]|avbruten|avvisad",
  "installd|avvist|aflyst",
];

/** The work has begun. */
const STARTED = "(?:started|begun|begonnen|gestartet|commencee?s?|demarree?s?|iniciad[oa]s?|" +
  "empezad[oa]s?|comenzad[oa]s?|comecad[oa]s?|empezar|comenzar|iniciar|gestart|iniziat[oa]|" +
  "active|aktiv|actif|activo|ativo|attivo|actief|progress|development|bearbeitung|arbeit|cours|" +
  "curso|andamento|uitvoering)";

/** Everybody has it. */
const SHIPPED = "(?:shipped|released|launched|available|done|completed?|completion|live|" +
  "delivered|deployed|closed|resolved|finished|fixed|implemented|ga|general availability|" +
  "general release|published|in prod|in production|to prod|to production|rolled out|fulfilled|" +
  "already exists|solved|achieved|graduated|" +
  // German
  "erledigt|fertig|fertiggestellt|abgeschlossen|geschlossen|gelost|behoben|veroffentlicht|" +
  "ausgeliefert|freigegeben|verfugbar|umgesetzt|beendet|ausgerollt|in produktion|" +
  // French
  "termine[a-z]*|resolue?s?|fermee?s?|livree?s?|publiee?s?|lancee?s?|disponibles?|deployee?s?|" +
  "acheve[a-z]*|fini|finie|finis|fait|faite|clos|close|cloture[a-z]*|mis en (?:production|ligne)|" +
  "(?<!mise )en production|" +
  // Spanish and Portuguese
  "listo|lista|hech[oa]|finalizad[oa]s?|terminad[oa]s?|completad[oa]s?|complet[oa]s?|" +
  "cerrad[oa]s?|resuelt[oa]s?|publicad[oa]s?|lanzad[oa]s?|entregad[oa]s?|desplegad[oa]s?|" +
  "disponible|disponivel|disponiveis|concluid[oa]s?|feit[oa]|fechad[oa]s?|resolvid[oa]s?|" +
  "lancad[oa]s?|entregues?|implantad[oa]s?|implementad[oa]s?|en produccion|em producao|" +
  // Dutch, Italian, Polish, Swedish
  "gereed|klaar|voltooid|afgerond|gesloten|opgelost|uitgebracht|vrijgegeven|opgeleverd|" +
  "geleverd|gelanceerd|gepubliceerd|beschikbaar|completat[oa]|fatto|rilasciat[oa]|" +
  "pubblicat[oa]|conclus[oa]|chius[oa]|disponibil[ei]|in (?:produzione|productie)|gotow[ey]|" +
  "zrobione|zakonczon[eyao]|wydan[eyao]|klar|slappt|slutford|lanserad|faerdig|ferdig)";

/** A step that ends with everybody having it; by itself it is under way. */
const SHIPPING = "(?:ship|shipping|release|releasing|launch|launching|deploy|deploying|" +
  "deployment|deliver|delivery|delivering|roll ?out|rolling out|go live|going live|" +
  "availability|publish|publishing|publication|production|prod|" +
  "veroffentlichung|auslieferung|freigabe|livraison|deploiement|mise en (?:production|ligne)|" +
  "lancement|lanzamiento|despliegue|entrega|publicacion|lancamento|implantacao|publicacao|" +
  "uitrol|oplevering|publicatie|lancering)";

const UNDONE =
  "(?:unreleased|unshipped|unavailable|undelivered|unpublished|undeployed|unfinished|" +
  "unresolved|incomplete|uncompleted|unimplemented|unlaunched|undone|unstarted|unfixed|" +
  "unveroffentlicht|unfertig|unerledigt|indisponibles?|indisponivel|inacheve[a-z]*|inacabad[oa])";

/** Words between a denial and what it denies. */
const BETWEEN = "(?: (?:yet|been|be|is|it|fully|currently|generally|publicly|widely|ready|quite|" +
  "for|to|in|the|noch|in|zur|encore|todavia|aun|ainda|nog|mas|en|em))*";

/** What is not so yet. */
const DENIED = new RegExp(
  ` (?:${UNDONE}|(?:noch |nog |todavia |aun |ainda )?(?:not|non|no|isn t|hasn t|wasn t|nicht|pas|` +
    `nao|niet|sin|sem|never|without|before|until|prior to|ej|inte|nie)${BETWEEN} (?:${STARTED}|${SHIPPED}|${SHIPPING})|` +
    `not yet|yet to|noch nicht|pas encore|todavia no|aun no|ainda nao|nog niet|not ready|` +
    `not (?:currently )?(?:supported|scheduled|committed))(?= )`,
  "g",
);

/** A stopping word that is denied itself, or a plan that is only not made yet. */
const NOT_STOPPED = new RegExp(
  " (?:(?:not|never|un) (?:been )?(?:cancel|declin|reject|abandon|remov|deprecat|archiv)[a-z]*|" +
    "not yet planned|not planned yet|noch nicht geplant|nog niet gepland) ",
);

/** What follows says that it is to come. */
const TO_COME = any(
  "planned|planning|scheduled|coming|upcoming|soon|future|proposed|proposal|requested|request|",
  "requests|expected|targeted|targeting|tentative|slated|next|later|to be|will|wanted|considered|",
  "considering|consideration|asked|tb[acd]|on the roadmap|on our roadmap|to do|todo|to (?:start|begin)|",
  "to (?:ship|release|launch|deploy|deliver)|backlog|needs? to|",
  "(?:ga|available|availability|live|launch|release|launching|releasing|shipping)",
  "(?: (?:in|on|by|from|for))? (?:q[1-4]|h[12]|20[0-9][0-9])|",
  "geplant|geplante[a-z]*|demnachst|bald|vorgesehen|angefragt|gewunscht|",
  "prevue?s?|planifiee?s?|bientot|a venir|prochainement|demandee?s?|",
  "planificad[oa]s?|planead[oa]s?|planejad[oa]s?|previst[oa]s?|proximamente|em breve|pronto|",
  "solicitad[oa]s?|gepland[a-z]*|binnenkort|verwacht|aangevraagd|pianificat[oa]|zaplanowan[eyao]|",
  "planerad",
);

/** Work that is done on it just now, whatever is to follow. */
const AT_WORK = any(
  "in progress|inprogress|(?:in|under) (?:active )?(?:development|dev|construction|implementation)|",
  "in (?:review|code review|peer review|qa|test|tests|testing|beta|alpha|preview|private preview|",
  "public preview|design|build|work|staging|uat|flight|validation|verification|pilot|execution)|",
  "under (?:test|testing|way)|underway|working|wip|work in progress|doing|ongoing|started|",
  "in (?:the works|sprint)|dogfood(?:ing)?|",
  "building|developing|implementing|coding|active|rolling out|rolling|executing|executed|",
  "in (?:arbeit|bearbeitung|entwicklung|umsetzung|prufung|uberprufung|test|vorschau)|begonnen|",
  "in (?:realisierung|bau|erprobung|testphase)|pilotphase|aktiv|laufende|",
  "gestartet|laufend|lauft|wird (?:bearbeitet|entwickelt|getestet|uberpruft|gepruft|umgesetzt)|",
  "actif|active|en construction|en execution|",
  "en cours|en (?:developpement|test|tests|revision|revue|examen|validation|recette)|commencee?s?|",
  "demarree?s?|activo|en (?:curso|progreso|proceso|desarrollo|pruebas|revision|marcha|construccion|ejecucion)|iniciad[oa]s?|",
  "em (?:andamento|progresso|curso|desenvolvimento|teste|testes|revisao|analise|execucao|",
  "construcao)|ativo|fazendo|",
  "in (?:uitvoering|ontwikkeling|behandeling|beoordeling)|bezig|mee bezig|actief|",
  "wordt (?:getest|beoordeeld|aan gewerkt|gewerkt|ontwikkeld|gebouwd)|gestart|onder constructie|",
  "attivo|in (?:corso|sviluppo|lavorazione|realizzazione|sperimentazione|costruzione)|w toku|",
  "w trakcie|w realizacji|aktywn[ey]|pagar|pagaende|under (?:utveckling|utvikling|udvikling)",
);

/** Finished work that waits for its release, or for the last look at it. */
const WAITING = new RegExp(
  ` (?:release candidate|rc[0-9]*|(?:ready|approved|cleared|waiting|awaiting|pending|queued|staged|` +
    `bereit|pret|prete|listo|lista|pronto|klaar|gereed|en attente|wartet auf)` +
    `(?: (?:to|for|be|the|on|a|de|la|le|para|o|zum|zur|fur|die|voor|in|um))* ` +
    `(?:${SHIPPING}|${SHIPPED}|qa|test|tests|testing|uat|review|code review|merge|merging|` +
    `acceptance|verification|validation|sign off|prufung|revision|revisao)) `,
);

/** Work that is done in part, is held up, or is not for everybody yet. */
const NEARLY = new RegExp(
  ` (?:(?:rolled|roll|rolling) back|rollback|reverted|recalled|pulled|` +
    `delay[a-z]*|postpon[a-z]*|on hold|hold|paused?|blocked|stuck|at risk|off track|on track|` +
    `suspended|stalled|impeded|interrupted|waiting|failed|` +
    `partial|partially|partly|almost|nearly|half|mostly|limited|phased|gradual|gradually|staged|` +
    `alpha|beta|betas|preview|previews|early access|early adopters?|feature complete|pilot|piloting|trial|canary|` +
    `insiders?|pre ?release|pre ?launch|pre ?production|preprod|pre ga|soft launch(?:ed)?|` +
    `committed|development|dev|developed|code|coded|design|designing|designed|` +
    `prototyp[a-z]*|implementation|qa|test|tests|testing|tested|uat|staging|review|reviewing|` +
    `reviewed|reviews|built|build|merged|merging|verifying|verified|verification|validating|` +
    `validation|integration|pr|` +
    `verschoben|verspatet|verzogert|pausiert|angehalten|blockiert|teilweise|fast|` +
    `entwicklung|uberprufung|prufung|wartend|reporte[a-z]*|suspendue?s?|bloquee?s?|retarde[a-z]*|` +
    `en pause|en attente|partiellement|presque|developpement|en espera|pausad[oa]s?|` +
    `bloquead[oa]s?|retrasad[oa]s?|aplazad[oa]s?|suspendid[oa]s?|adiad[oa]s?|atrasad[oa]s?|` +
    `em espera|parcial|parcialmente|casi|quase|desarrollo|desenvolvimento|revision|revisao|` +
    `pruebas|testes|in de wacht|uitgesteld|vertraagd|onderbroken|geblokkeerd|gedeeltelijk|` +
    `deels|ontwikkeling|beoordeling|in attesa|wstrzyman[eyao]) `,
);

/** Work that is only about to begin. */
const BEFORE_WORK = any(
  "(?:selected|ready|approved|accepted|awaiting|waiting|pending|queued|prioriti[sz]ed|next)",
  "(?: (?:to|for|up|be|the))* (?:start|begin|develop|development|dev|work|build|implement|",
  "implementation|design|sprint|planning|refinement|grooming|estimation|analysis|pickup|",
  "engineering|approval|decision|triage|prioriti[sz]ation|definition|discovery|specification)|",
  "needs? (?:review|triage|info|information|more info|discussion|definition|design|approval)|",
  "in (?:planning|discovery|research|definition|analysis|consideration|evaluation|preparation|",
  "backlog|refinement|discussion|exploration|ideation|concept)|",
  "under (?:consideration|review|evaluation|discussion|investigation|analysis)|",
  "(?:ausgewahlt fur|fur) (?:die )?entwicklung(?: ausgewahlt)?|bereit (?:fur|zur) entwicklung|",
  "selectionnee?s? pour le developpement|pret pour le developpement|",
  "seleccionad[oa]s? para (?:el )?desarrollo|selecionad[oa]s? para (?:o )?desenvolvimento|",
  "listo para (?:el )?desarrollo|geselecteerd voor (?:de )?ontwikkeling|in vorbereitung|",
  "in planung|in klarung|en planification|en preparation|en planificacion|em planejamento|",
  "em planeamento|in voorbereiding|in planning",
);

/** Nothing is done yet; these only say that the status was understood. */
const PLANNED = any(
  "open|opened|reopened|new|ready|approved|accepted|selected|confirmed|triaged?|acknowledged|",
  "assigned|unassigned|prioriti[sz]ed|estimated|refined|groomed|specified|scoping|scoped|defined|",
  "idea|ideas|wishlist|icebox|inbox|draft|concept|explor[a-z]+|discovery|research|researching|",
  "gathering|investigating|evaluating|analysis|likely|unlikely|candidate|under|unscheduled|",
  "unplanned|unprioriti[sz]ed|pending|deferred|someday|parked|parking lot|on ice|frozen|",
  "committee|queue|queued|awaiting|submitted|suggested|suggestion|",
  "zuruckgestellt|zu erledigen|offen|offene|wieder geoffnet|erneut geoffnet|neu|aufgaben|idee|ideen|vorschlag|",
  "a faire|ouverte?s?|reouverte?s?|rouverte?s?|nouveau|nouvelle|idees?|",
  "por hacer|tareas por hacer|tareas pendientes|pendientes?|abiert[oa]s?|reabiert[oa]s?|nuev[oa]s?|",
  "a fazer|para fazer|tarefas pendentes|pendentes?|abert[oa]s?|reabert[oa]s?|nov[oa]s?|",
  "te doen|nog te doen|heropend|nieuw|taken|da fare|do zrobienia|nowe|att gora|ny",
);

const STOPPED_WORDS = any(STOPPED.join("|"));
const SHIPPED_WORDS = new RegExp(` ${SHIPPED} `);
const SHIPPING_WORDS = new RegExp(` ${SHIPPING} `);

/** A list of words as an expression. */
function any(...words: string[]): RegExp {
  return new RegExp(` (?:${words.join("")}) `);
}

/**
 * The tone of a status by its words; null if it has no known word.
 *
 * ```ts
 * if (toneOfWords("Shipped") !== "shipped" || toneOfWords("Unreleased") !== "planned") throw new Error();
 * if (toneOfWords("Won't do") !== "stopped" || toneOfWords("Waved 2") !== null) throw new Error();
 * ```
 */
export function toneOfWords(status: string): StatusTone | null {
  const words = toWords(status);
  if (NOT_STOPPED.test(words)) return "planned";
  if (STOPPED_WORDS.test(words)) return "stopped";
  const percent = / ([0-9]{1,3}) percent /.exec(words)?.[1];
  if (percent === "0") return "planned";
  if (percent !== undefined && Number(percent) < 100) return "in_progress";
  if (percent !== undefined && words.trim() === "100 percent") return "shipped";
  const asserted = words.replace(DENIED, " denied");
  const isDenied = asserted !== words;
  const isShipped = SHIPPED_WORDS.test(asserted);
  if (AT_WORK.test(asserted)) return "in_progress";
  if (isDenied) return isShipped ? "in_progress" : "planned";
  if (WAITING.test(asserted)) return "in_progress";
  if (BEFORE_WORK.test(asserted) || TO_COME.test(asserted)) return "planned";
  if (NEARLY.test(asserted)) return "in_progress";
  if (isShipped) return "shipped";
  if (SHIPPING_WORDS.test(asserted) || asserted === " now ") return "in_progress";
  return PLANNED.test(asserted) ? "planned" : null;
}

/** Longer than any status. */
const MAX_STATUS = 500;

/** A status as words in lower case and ASCII, each between single spaces. */
function toWords(status: string): string {
  // Marks that a text goes on and on with would be put in order for minutes.
  const plain = status.slice(0, MAX_STATUS).replace(/[ßẞ]/g, "ss").replace(/[øØ]/g, "o").replace(
    /[łŁ]/g,
    "l",
  )
    .replace(/[æÆ]/g, "ae").normalize("NFKD").replace(
      /[\u0300-\u036f\u200b-\u200f\u00ad\ufeff]/g,
      "",
    )
    .replace(/([a-z])([A-Z])/g, "$1 $2").replace(/%/g, " percent ").toLowerCase();
  return ` ${plain.replace(/[^a-z0-9]+/g, " ").trim()} `;
}

/** Categories that are no words of a status; null: it says nothing. */
const CATEGORIES: ReadonlyMap<string, StatusTone | null> = new Map([
  ["indeterminate", "in_progress"],
  ["undefined", null],
  // An open issue may be at any step.
  ["open", null],
  ["opened", null],
  ["reopened", null],
]);

/** Words of a resolution that would not stop a status. */
const UNSOLVED = any(
  "incomplete|unvollstandig|incomplet|incomplet[oa]|onvolledig|known error|works ?for ?me|non issue|",
  "not fixed|no response|no change",
);

/**
 * Decides how far along a release is: what the mapping says of its status, else the source's own
 * category, else the words of the status; without any of them it is planned.
 *
 * ```ts
 * if (decideTone("Live", { tones: { live: "in_progress" } }).by !== "mapping") throw new Error();
 * if (decideTone("QA3", { category: "indeterminate" }).tone !== "in_progress") throw new Error();
 * if (decideTone("Closed", { resolution: "Won't Fix" }).tone !== "stopped") throw new Error();
 * ```
 */
export function decideTone(
  status: string,
  { tones = {}, category, resolution }: ToneHints = {},
): DecidedTone {
  const folded = foldStatus(status);
  if (Object.hasOwn(tones, folded)) return { tone: tones[folded]!, by: "mapping" };
  const word = toneOfWords(status);
  const own = category ? toneOfCategory(category) : null;
  if ((own ?? word) === "shipped" && resolution && isStopping(resolution)) {
    return { tone: "stopped", by: "category" };
  }
  // A category such as Jira's "Done" holds what was called off as well.
  if (own !== null && !(own === "shipped" && word === "stopped")) {
    return { tone: own, by: "category" };
  }
  return word === null ? { tone: "planned", by: "unknown" } : { tone: word, by: "word" };
}

function toneOfCategory(category: string): StatusTone | null {
  const known = CATEGORIES.get(toWords(category).trim());
  return known === undefined ? toneOfWords(category) : known;
}

function isStopping(resolution: string): boolean {
  return toneOfWords(resolution) === "stopped" || UNSOLVED.test(toWords(resolution));
}

/** A status as a mapping names it: case and surrounding space do not matter. */
export function foldStatus(status: string): string {
  return status.trim().toLowerCase();
}
