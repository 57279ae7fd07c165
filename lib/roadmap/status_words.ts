/**
 * Words of statuses by what they say, folded to ASCII in lower case: parts of a regular expression,
 * with a line break after any `|`. English comes first, then German, French, Spanish, Portuguese,
 * Dutch and others.
 */
export const STATUS_WORDS = {
  /** The work is over, and nothing comes of it. */
  stopped: `
    cancel[a-z]*|declin[a-z]*|reject[a-z]*|abandon[a-z]*|removed|removal|deleted|withdrawn|
    duplicate[ds]?|duplication|dupe|dup|deprecat[a-z]*|retired?|retiring|retirements?|obsoleted?|
    superseded|dropped|discontinu[a-z]*|killed|scrapped|shelved|sunset|sunset+ed|sunset+ing|revoked|
    terminated|invalid|aborted|archived?|trashed|wontfix|wontdo|wont [a-z]+|won t|won t [a-z]+|
    will not|will never|not (?:be )?(?:planned|pursu[a-z]+|doing|proceeding|happening|feasible)|
    not (?:a bug|an issue|reproducible|needed|required|relevant|applicable|going to)|notplanned|
    no longer|out of scope|end of (?:life|support)|eol|(?:by|as) design|as designed|
    works as (?:designed|intended)|(?:can ?not|can t|unable to) (?:be )?(?:reproduced?|fix|fixed|
    do)|no go|no fix|never mind|no action|no plans?|(?:de ?)scoped|cut from|abgebrochen|abgelehnt|
    abgewiesen|storniert|verworfen|eingestellt|entfernt|geloscht|gestrichen|archiviert|duplikat|
    dublette|wird nicht|nicht (?:geplant|reproduzierbar|mehr)|zuruckgezogen|annule[a-z]*|annulation|
    rejete[a-z]*|refuse[a-z]*|supprime[a-z]*|doublon|archive[a-z]*|ne sera (?:pas|jamais)|
    ne pas faire|pas (?:prevu|planifie)[a-z]*|non (?:prevu|planifie)[a-z]*|non reproductible|
    retire[a-z]*|cancelad[oa]s?|anulad[oa]s?|rechazad[oa]s?|descartad[oa]s?|abandonad[oa]s?|
    eliminad[oa]s?|duplicad[oa]s?|retirad[oa]s?|obsolet[oa]s?|archivad[oa]s?|arquivad[oa]s?|
    rejeitad[oa]s?|recusad[oa]s?|removid[oa]s?|excluid[oa]s?|suspens[oa] definitivamente|
    no se (?:hara|realizara|implementara|corregira)|nao sera|nao (?:fazer|planejad[oa]|planead[oa])|
    no (?:planificad[oa]|planead[oa])|no reproducible|nao reproduzivel|geannuleerd|afgewezen|
    afgebroken|vervallen|verwijderd|duplicaat|gearchiveerd|verworpen|wordt niet|niet (?:gepland|
    doen|uitvoeren|reproduceerbaar)|zal niet|ingetrokken|annullat[oaie]|rifiutat[oaie]|
    scartat[oaie]|anulowan[eyao]|odrzucon[eyao]|avbruten|avvisad|installd|avvist|aflyst
  `,
  /** A word of stopping that is denied, or a plan that is only not made yet. */
  notStopped: `
    (?:not|never|un) (?:been )?(?:cancel|declin|reject|abandon|remov|deprecat|archiv)[a-z]*|
    not yet planned|not planned yet|noch nicht geplant|nog niet gepland
  `,
  /** The work has begun. */
  started: `
    started|begun|begonnen|gestartet|commencee?s?|demarree?s?|iniciad[oa]s?|empezad[oa]s?|
    comenzad[oa]s?|comecad[oa]s?|empezar|comenzar|iniciar|gestart|iniziat[oa]|active|aktiv|actif|
    activo|ativo|attivo|actief|progress|development|bearbeitung|arbeit|cours|curso|andamento|
    uitvoering
  `,
  /** Everybody has it. */
  shipped: `
    shipped|released|launched|available|done|completed?|completion|live|delivered|deployed|closed|
    resolved|finished|fixed|implemented|ga|general availability|general release|published|in prod|
    in production|to prod|to production|rolled out|fulfilled|already exists|solved|achieved|
    graduated|erledigt|fertig|fertiggestellt|abgeschlossen|geschlossen|gelost|behoben|
    veroffentlicht|ausgeliefert|freigegeben|verfugbar|umgesetzt|beendet|ausgerollt|in produktion|
    termine[a-z]*|resolue?s?|fermee?s?|livree?s?|publiee?s?|lancee?s?|disponibles?|deployee?s?|
    acheve[a-z]*|fini|finie|finis|fait|faite|clos|close|cloture[a-z]*|mis en (?:production|ligne)|
    (?<!mise )en production|listo|lista|hech[oa]|finalizad[oa]s?|terminad[oa]s?|completad[oa]s?|
    complet[oa]s?|cerrad[oa]s?|resuelt[oa]s?|publicad[oa]s?|lanzad[oa]s?|entregad[oa]s?|
    desplegad[oa]s?|disponivel|disponiveis|concluid[oa]s?|feit[oa]|fechad[oa]s?|resolvid[oa]s?|
    lancad[oa]s?|entregues?|implantad[oa]s?|implementad[oa]s?|en produccion|em producao|gereed|
    klaar|voltooid|afgerond|gesloten|opgelost|uitgebracht|vrijgegeven|opgeleverd|geleverd|
    gelanceerd|gepubliceerd|beschikbaar|completat[oa]|fatto|rilasciat[oa]|pubblicat[oa]|conclus[oa]|
    chius[oa]|disponibil[ei]|in (?:produzione|productie)|gotow[ey]|zrobione|zakonczon[eyao]|
    wydan[eyao]|klar|slappt|slutford|lanserad|faerdig|ferdig
  `,
  /** A step that ends with everybody having it; by itself it is under way. */
  shipping: `
    ship|shipping|release|releasing|launch|launching|deploy|deploying|deployment|deliver|delivery|
    delivering|roll ?out|rolling out|go live|going live|availability|publish|publishing|publication|
    production|prod|veroffentlichung|auslieferung|freigabe|livraison|deploiement|
    mise en (?:production|ligne)|lancement|lanzamiento|despliegue|entrega|publicacion|lancamento|
    implantacao|publicacao|uitrol|oplevering|publicatie|lancering
  `,
  /** Words that deny by themselves. */
  undone: `
    unreleased|unshipped|unavailable|undelivered|unpublished|undeployed|unfinished|unresolved|
    incomplete|uncompleted|unimplemented|unlaunched|undone|unstarted|unfixed|unveroffentlicht|
    unfertig|unerledigt|indisponibles?|indisponivel|inacheve[a-z]*|inacabad[oa]
  `,
  /** What may stand before a denial. */
  still: "noch|nog|todavia|aun|ainda",
  /** What denies the words of starting and shipping behind it. */
  not: `
    not|non|no|isn t|hasn t|wasn t|nicht|pas|nao|niet|sin|sem|never|without|before|until|prior to|
    ej|inte|nie
  `,
  /** What may stand between a denial and what it denies. */
  between: `
    yet|been|be|is|it|fully|currently|generally|publicly|widely|ready|quite|for|to|in|the|noch|zur|
    encore|todavia|aun|ainda|nog|mas|en|em
  `,
  /** Denials as a whole. */
  notYet: `
    not yet|yet to|noch nicht|pas encore|todavia no|aun no|ainda nao|nog niet|not ready|
    not (?:currently )?(?:supported|scheduled|committed)
  `,
  /** What follows says that it is to come. */
  toCome: `
    planned|planning|scheduled|coming|upcoming|soon|future|proposed|proposal|requested|request|
    requests|expected|targeted|targeting|tentative|slated|next|later|to be|will|wanted|considered|
    considering|consideration|asked|tb[acd]|on the roadmap|on our roadmap|to do|todo|to (?:start|
    begin)|to (?:ship|release|launch|deploy|deliver)|backlog|needs? to|(?:ga|available|availability|
    live|launch|release|launching|releasing|shipping)(?: (?:in|on|by|from|for))? (?:q[1-4]|h[12]|
    20[0-9][0-9])|geplant|geplante[a-z]*|demnachst|bald|vorgesehen|angefragt|gewunscht|prevue?s?|
    planifiee?s?|bientot|a venir|prochainement|demandee?s?|planificad[oa]s?|planead[oa]s?|
    planejad[oa]s?|previst[oa]s?|proximamente|em breve|pronto|solicitad[oa]s?|gepland[a-z]*|
    binnenkort|verwacht|aangevraagd|pianificat[oa]|zaplanowan[eyao]|planerad
  `,
  /** Work that is done on it just now, whatever is to follow. */
  atWork: `
    in progress|inprogress|(?:in|under) (?:active )?(?:development|dev|construction|implementation)|
    in (?:review|code review|peer review|qa|test|tests|testing|beta|alpha|preview|private preview|
    public preview|design|build|work|staging|uat|flight|validation|verification|pilot|execution)|
    under (?:test|testing|way)|underway|working|wip|work in progress|doing|ongoing|started|
    in (?:the works|sprint)|dogfood(?:ing)?|building|developing|implementing|coding|active|
    rolling out|rolling|executing|executed|in (?:arbeit|bearbeitung|entwicklung|umsetzung|prufung|
    uberprufung|test|vorschau)|begonnen|in (?:realisierung|bau|erprobung|testphase)|pilotphase|
    aktiv|laufende|gestartet|laufend|lauft|wird (?:bearbeitet|entwickelt|getestet|uberpruft|gepruft|
    umgesetzt)|actif|en construction|en execution|en cours|en (?:developpement|test|tests|revision|
    revue|examen|validation|recette)|commencee?s?|demarree?s?|activo|en (?:curso|progreso|proceso|
    desarrollo|pruebas|revision|marcha|construccion|ejecucion)|iniciad[oa]s?|em (?:andamento|
    progresso|curso|desenvolvimento|teste|testes|revisao|analise|execucao|construcao)|ativo|fazendo|
    in (?:uitvoering|ontwikkeling|behandeling|beoordeling)|bezig|mee bezig|actief|wordt (?:getest|
    beoordeeld|aan gewerkt|gewerkt|ontwikkeld|gebouwd)|gestart|onder constructie|attivo|in (?:corso|
    sviluppo|lavorazione|realizzazione|sperimentazione|costruzione)|w toku|w trakcie|w realizacji|
    aktywn[ey]|pagar|pagaende|under (?:utveckling|utvikling|udvikling)
  `,
  /** Finished work that waits … */
  waiting: `
    ready|approved|cleared|waiting|awaiting|pending|queued|staged|bereit|pret|prete|listo|lista|
    pronto|klaar|gereed|en attente|wartet auf
  `,
  /** … with words between … */
  waitingTo: "to|for|be|the|on|a|de|la|le|para|o|zum|zur|fur|die|voor|in|um",
  /** … for its release, which any word of shipping says as well, or for the last look at it. */
  waitingFor: `
    qa|test|tests|testing|uat|review|code review|merge|merging|acceptance|verification|validation|
    sign off|prufung|revision|revisao
  `,
  /** Work that is done in part, is held up, or is not for everybody yet. */
  nearly: `
    (?:rolled|roll|rolling) back|rollback|reverted|recalled|pulled|delay[a-z]*|postpon[a-z]*|
    on hold|hold|paused?|blocked|stuck|at risk|off track|on track|suspended|stalled|impeded|
    interrupted|waiting|failed|partial|partially|partly|almost|nearly|half|mostly|limited|phased|
    gradual|gradually|staged|alpha|beta|betas|preview|previews|early access|early adopters?|
    feature complete|pilot|piloting|trial|canary|insiders?|pre ?release|pre ?launch|pre ?production|
    preprod|pre ga|soft launch(?:ed)?|committed|development|dev|developed|code|coded|design|
    designing|designed|prototyp[a-z]*|implementation|qa|test|tests|testing|tested|uat|staging|
    review|reviewing|reviewed|reviews|built|build|merged|merging|verifying|verified|verification|
    validating|validation|integration|pr|verschoben|verspatet|verzogert|pausiert|angehalten|
    blockiert|teilweise|fast|entwicklung|uberprufung|prufung|wartend|reporte[a-z]*|suspendue?s?|
    bloquee?s?|retarde[a-z]*|en pause|en attente|partiellement|presque|developpement|en espera|
    pausad[oa]s?|bloquead[oa]s?|retrasad[oa]s?|aplazad[oa]s?|suspendid[oa]s?|adiad[oa]s?|
    atrasad[oa]s?|em espera|parcial|parcialmente|casi|quase|desarrollo|desenvolvimento|revision|
    revisao|pruebas|testes|in de wacht|uitgesteld|vertraagd|onderbroken|geblokkeerd|gedeeltelijk|
    deels|ontwikkeling|beoordeling|in attesa|wstrzyman[eyao]
  `,
  /** Work that is only about to begin. */
  beforeWork: `
    (?:selected|ready|approved|accepted|awaiting|waiting|pending|queued|prioriti[sz]ed|
    next)(?: (?:to|for|up|be|the))* (?:start|begin|develop|development|dev|work|build|implement|
    implementation|design|sprint|planning|refinement|grooming|estimation|analysis|pickup|
    engineering|approval|decision|triage|prioriti[sz]ation|definition|discovery|specification)|
    needs? (?:review|triage|info|information|more info|discussion|definition|design|approval)|
    in (?:planning|discovery|research|definition|analysis|consideration|evaluation|preparation|
    backlog|refinement|discussion|exploration|ideation|concept)|under (?:consideration|review|
    evaluation|discussion|investigation|analysis)|(?:ausgewahlt fur|
    fur) (?:die )?entwicklung(?: ausgewahlt)?|bereit (?:fur|zur) entwicklung|
    selectionnee?s? pour le developpement|pret pour le developpement|
    seleccionad[oa]s? para (?:el )?desarrollo|selecionad[oa]s? para (?:o )?desenvolvimento|
    listo para (?:el )?desarrollo|geselecteerd voor (?:de )?ontwikkeling|in vorbereitung|in planung|
    in klarung|en planification|en preparation|en planificacion|em planejamento|em planeamento|
    in voorbereiding
  `,
  /** Nothing is done yet; these only say that the status was understood. */
  planned: `
    open|opened|reopened|new|ready|approved|accepted|selected|confirmed|triaged?|acknowledged|
    assigned|unassigned|prioriti[sz]ed|estimated|refined|groomed|specified|scoping|scoped|defined|
    idea|ideas|wishlist|icebox|inbox|draft|concept|explor[a-z]+|discovery|research|researching|
    gathering|investigating|evaluating|analysis|likely|unlikely|candidate|under|unscheduled|
    unplanned|unprioriti[sz]ed|pending|deferred|someday|parked|parking lot|on ice|frozen|committee|
    queue|queued|awaiting|submitted|suggested|suggestion|zuruckgestellt|zu erledigen|offen|offene|
    wieder geoffnet|erneut geoffnet|neu|aufgaben|ideen|vorschlag|a faire|ouverte?s?|reouverte?s?|
    rouverte?s?|nouveau|nouvelle|idees?|por hacer|tareas por hacer|tareas pendientes|pendientes?|
    abiert[oa]s?|reabiert[oa]s?|nuev[oa]s?|a fazer|para fazer|tarefas pendentes|pendentes?|
    abert[oa]s?|reabert[oa]s?|nov[oa]s?|te doen|nog te doen|heropend|nieuw|taken|da fare|
    do zrobienia|nowe|att gora|ny
  `,
  /** Of a resolution: words that would not stop a status. */
  unsolved: `
    incomplete|unvollstandig|incomplet|incomplet[oa]|onvolledig|known error|works ?for ?me|
    non issue|not fixed|no response|no change
  `,
} as const;
