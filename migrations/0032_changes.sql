-- How far along a release is, and what happened to it in one import by its kinds: shipped, slipped,
-- edited and so on.

-- What a status counts as, by its words: as the code reads them, because a migration runs without it.
create function pg_temp.any_of(words text) returns text language sql immutable as $$
  select ' (?:' || words || ')(?= )'
$$;

create temporary table status_patterns as
select pg_temp.any_of(known->>'stopped') as stopped,
  pg_temp.any_of(known->>'notStopped') as not_stopped,
  pg_temp.any_of(format(
    '%s|(?:(?:%s) )?(?:%s)(?: (?:%s))* (?:%s|%s|%s)|%s',
    known->>'undone', known->>'still', known->>'not', known->>'between', known->>'started',
    known->>'shipped', known->>'shipping', known->>'notYet'
  )) as denied,
  pg_temp.any_of(known->>'shipped') as shipped,
  pg_temp.any_of(known->>'shipping') as shipping,
  pg_temp.any_of(known->>'atWork') as at_work,
  pg_temp.any_of(format(
    'release candidate|rc[0-9]*|(?:%s)(?: (?:%s))* (?:%s|%s|%s)',
    known->>'waiting', known->>'waitingTo', known->>'shipping', known->>'shipped',
    known->>'waitingFor'
  )) as waiting,
  pg_temp.any_of(format('%s|%s', known->>'beforeWork', known->>'toCome')) as before_work,
  pg_temp.any_of(known->>'nearly') as nearly,
  pg_temp.any_of(known->>'planned') as planned
from (
  select jsonb_object_agg(name, regexp_replace(words, '\s*\n\s*', '', 'g')) as known
  from (values
    ('stopped', '
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
    '),
    ('notStopped', '
      (?:not|never|un) (?:been )?(?:cancel|declin|reject|abandon|remov|deprecat|archiv)[a-z]*|
      not yet planned|not planned yet|noch nicht geplant|nog niet gepland
    '),
    ('started', '
      started|begun|begonnen|gestartet|commencee?s?|demarree?s?|iniciad[oa]s?|empezad[oa]s?|
      comenzad[oa]s?|comecad[oa]s?|empezar|comenzar|iniciar|gestart|iniziat[oa]|active|aktiv|actif|
      activo|ativo|attivo|actief|progress|development|bearbeitung|arbeit|cours|curso|andamento|
      uitvoering
    '),
    ('shipped', '
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
    '),
    ('shipping', '
      ship|shipping|release|releasing|launch|launching|deploy|deploying|deployment|deliver|delivery|
      delivering|roll ?out|rolling out|go live|going live|availability|publish|publishing|publication|
      production|prod|veroffentlichung|auslieferung|freigabe|livraison|deploiement|
      mise en (?:production|ligne)|lancement|lanzamiento|despliegue|entrega|publicacion|lancamento|
      implantacao|publicacao|uitrol|oplevering|publicatie|lancering
    '),
    ('undone', '
      unreleased|unshipped|unavailable|undelivered|unpublished|undeployed|unfinished|unresolved|
      incomplete|uncompleted|unimplemented|unlaunched|undone|unstarted|unfixed|unveroffentlicht|
      unfertig|unerledigt|indisponibles?|indisponivel|inacheve[a-z]*|inacabad[oa]
    '),
    ('still', 'noch|nog|todavia|aun|ainda'),
    ('not', '
      not|non|no|isn t|hasn t|wasn t|nicht|pas|nao|niet|sin|sem|never|without|before|until|prior to|
      ej|inte|nie
    '),
    ('between', '
      yet|been|be|is|it|fully|currently|generally|publicly|widely|ready|quite|for|to|in|the|noch|zur|
      encore|todavia|aun|ainda|nog|mas|en|em
    '),
    ('notYet', '
      not yet|yet to|noch nicht|pas encore|todavia no|aun no|ainda nao|nog niet|not ready|
      not (?:currently )?(?:supported|scheduled|committed)
    '),
    ('toCome', '
      planned|planning|scheduled|coming|upcoming|soon|future|proposed|proposal|requested|request|
      requests|expected|targeted|targeting|tentative|slated|next|later|to be|will|wanted|considered|
      considering|consideration|asked|tb[acd]|on the roadmap|on our roadmap|to do|todo|to (?:start|
      begin)|to (?:ship|release|launch|deploy|deliver)|backlog|needs? to|(?:ga|available|availability|
      live|launch|release|launching|releasing|shipping)(?: (?:in|on|by|from|for))? (?:q[1-4]|h[12]|
      20[0-9][0-9])|geplant|geplante[a-z]*|demnachst|bald|vorgesehen|angefragt|gewunscht|prevue?s?|
      planifiee?s?|bientot|a venir|prochainement|demandee?s?|planificad[oa]s?|planead[oa]s?|
      planejad[oa]s?|previst[oa]s?|proximamente|em breve|pronto|solicitad[oa]s?|gepland[a-z]*|
      binnenkort|verwacht|aangevraagd|pianificat[oa]|zaplanowan[eyao]|planerad
    '),
    ('atWork', '
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
    '),
    ('waiting', '
      ready|approved|cleared|waiting|awaiting|pending|queued|staged|bereit|pret|prete|listo|lista|
      pronto|klaar|gereed|en attente|wartet auf
    '),
    ('waitingTo', 'to|for|be|the|on|a|de|la|le|para|o|zum|zur|fur|die|voor|in|um'),
    ('waitingFor', '
      qa|test|tests|testing|uat|review|code review|merge|merging|acceptance|verification|validation|
      sign off|prufung|revision|revisao
    '),
    ('nearly', '
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
    '),
    ('beforeWork', '
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
    '),
    ('planned', '
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
    ')
  ) as listed (name, words)
) as listed;

-- Lower case and ASCII, each word between single spaces.
create function pg_temp.words_of(status text) returns text language sql stable as $$
  select ' ' || btrim(regexp_replace(
    lower(replace(
      regexp_replace(
        regexp_replace(
          normalize(
            translate(
              replace(replace(replace(replace(
                status, U&'\00DF', 'ss'), U&'\1E9E', 'ss'), U&'\00E6', 'ae'), U&'\00C6', 'ae'),
              U&'\00F8\00D8\0142\0141', 'ooll'
            ),
            NFKD
          ),
          U&'[\0300-\036F\200B-\200F\00AD\FEFF]', '', 'g'
        ),
        '([a-z])([A-Z])', '\1 \2', 'g'
      ),
      '%', ' percent '
    )),
    '[^a-z0-9]+', ' ', 'g'
  )) || ' '
$$;

-- Null: no word of it is known.
create function pg_temp.tone_of(status text) returns text language sql stable as $$
  select case
    when words ~ not_stopped then 'planned'
    when words ~ stopped then 'stopped'
    when share = 0 then 'planned'
    when share < 100 then 'in_progress'
    when words = ' 100 percent ' then 'shipped'
    when asserted ~ at_work then 'in_progress'
    when asserted <> words then case when asserted ~ shipped then 'in_progress' else 'planned' end
    when asserted ~ waiting then 'in_progress'
    when asserted ~ before_work then 'planned'
    when asserted ~ nearly then 'in_progress'
    when asserted ~ shipped then 'shipped'
    when asserted ~ shipping or asserted = ' now ' then 'in_progress'
    when asserted ~ planned then 'planned'
  end
  from pg_temp.status_patterns
  cross join lateral (select pg_temp.words_of(status) as words offset 0) as folded
  cross join lateral (
    select substring(words from ' ([0-9]{1,3}) percent ')::int as share,
      regexp_replace(words, denied, ' denied', 'g') as asserted
    offset 0
  ) as denied_words
$$;

-- Every status once.
create temporary table read_statuses as
select status, pg_temp.tone_of(status) as tone
from (
  select release_status as status from items
  union
  select old_value from changes where field = 'release_status'
  union
  select new_value from changes where field = 'release_status'
) as every
where status is not null;

alter table items
  -- How far along it is, and what says so: the mapping or a category of its source, or its status.
  add column tone text not null default 'planned'
    check (tone in ('planned', 'in_progress', 'shipped', 'stopped')),
  add column tone_by text not null default 'word'
    check (tone_by in ('mapping', 'category', 'word', 'unknown')),
  -- The day on which its source says that it was created.
  add column created date;

update items
set tone = coalesce(read_statuses.tone, 'planned'),
  tone_by = case when read_statuses.tone is null then 'unknown' else 'word' end
from read_statuses
where status = release_status
  and (read_statuses.tone is null or read_statuses.tone <> 'planned');

-- The kinds of what happened to a release, the heaviest first. This is the one place that decides.
create function change_kinds(
  -- added, removed or restored; null: only fields changed
  event text,
  tone_before text, tone_after text, status_changed boolean,
  -- In the precision of the variant: days, or the first days of quarters.
  date_changed boolean, date_before date, date_after date,
  -- A field other than status and date changed.
  others_changed boolean
) returns text[] language sql immutable parallel safe
return case when event = 'added' then array['added'] else array_remove(array[
  case when tone_before <> 'shipped' and tone_after = 'shipped' then 'shipped' end,
  case when tone_before <> 'stopped' and tone_after = 'stopped' then 'cancelled' end,
  case when event = 'removed' then 'removed' end,
  -- What has shipped or stopped is planned for no day any more.
  case when date_changed and date_after > date_before and tone_after in ('planned', 'in_progress')
    then 'slipped' end,
  case when
      tone_before in ('in_progress', 'shipped', 'stopped') and tone_after = 'planned'
      or tone_before = 'shipped' and tone_after = 'in_progress'
    then 'taken_back' end,
  case when tone_before in ('planned', 'stopped') and tone_after = 'in_progress' then 'started' end,
  case when date_changed and date_after < date_before and tone_after in ('planned', 'in_progress')
    then 'earlier' end,
  case when event = 'restored' then 'restored' end,
  case when date_changed and date_before is null and date_after is not null then 'dated' end,
  case when date_changed and date_before is not null and date_after is null then 'undated' end,
  case when
      others_changed
      or status_changed and tone_before = tone_after
      or date_changed and date_before is not null and date_after is not null and (
        tone_after in ('planned', 'in_progress') and date_before = date_after
        or tone_after in ('shipped', 'stopped') and tone_before = tone_after
      )
    then 'edited' end
], null) end;

alter table changes
  -- Of an added item: whether the source said the day on which it was created.
  add column by_source boolean,
  -- Of a change of the status: how far along the release was before, and after.
  add column tone_before text,
  add column tone_after text;

-- What was dated by the last change of the item was first seen by its import.
update changes set day = as_of
from import_runs
where import_runs.run_id = changes.run_id and kind = 'added' and day <> as_of;

-- The status that a release had at a change: what the next change of it replaced.
create index changes_by_status on changes (release_item_id, change_id)
  where field = 'release_status';

-- One row for what one import changed of one release.
create table change_entries (
  -- The id of its last change, and of its first one.
  entry_id bigint primary key,
  first_change bigint not null,
  run_id integer not null references import_runs,
  release_item_id uuid not null references items on delete cascade,
  day date not null,
  tone_before text not null,
  tone_after text not null,
  -- As variant A tells changes, which shows the quarter of a date, and as variant B does.
  kinds_by_quarter text[] not null,
  kinds_by_day text[] not null,
  unique (run_id, release_item_id)
);

insert into change_entries
select last_change, first_change, run_id, release_item_id, day, tone_before, tone_after,
  change_kinds(
    event, tone_before, tone_after, status_changed,
    date_changed, date_trunc('quarter', date_before)::date, date_trunc('quarter', date_after)::date,
    others_changed
  ),
  change_kinds(
    event, tone_before, tone_after, status_changed,
    date_changed, date_before, date_after, shown_by_day_changed
  )
from (
  select max(change_id) as last_change, min(change_id) as first_change,
    run_id, release_item_id, min(day) as day,
    max(kind) filter (where kind <> 'changed') as event,
    coalesce(bool_or(field = 'release_status'), false) as status_changed,
    max(old_value) filter (where field = 'release_status') as old_status,
    max(new_value) filter (where field = 'release_status') as new_status,
    coalesce(bool_or(field = 'release_date'), false) as date_changed,
    (max(old_value) filter (where field = 'release_date'))::date as date_before,
    (max(new_value) filter (where field = 'release_date'))::date as date_after,
    coalesce(bool_or(field not in ('release_status', 'release_date')), false) as others_changed,
    coalesce(
      bool_or(field not in ('release_status', 'release_date', 'blog_title', 'blog_url')), false
    ) as shown_by_day_changed
  from changes
  group by run_id, release_item_id
) as entries
join items using (release_item_id)
cross join lateral (
  select coalesce(
    new_status,
    (
      select old_value from changes
      where changes.release_item_id = entries.release_item_id
        and field = 'release_status' and change_id > last_change
      order by change_id
      limit 1
    ),
    items.release_status
  ) as status
) as afterwards
join read_statuses as later on later.status = afterwards.status
join read_statuses as earlier on earlier.status = coalesce(old_status, afterwards.status)
cross join lateral (
  select coalesce(earlier.tone, 'planned') as tone_before, coalesce(later.tone, 'planned') as tone_after
) as tones;

create index change_entries_by_item on change_entries (release_item_id, entry_id);
create index change_entries_by_day on change_entries (day desc, entry_id desc);

update service_state set data_version = data_version + 1;

drop function pg_temp.tone_of, pg_temp.words_of, pg_temp.any_of;
drop table read_statuses, status_patterns;
