/** What a word of a status says; the rules are in `status_tone.ts`. */
export type WordClass =
  /** The work is over, and nothing comes of it. */
  | "stop"
  /** It denies what follows. */
  | "deny"
  /** What a thing has to be to be built: denied, it ends the work. */
  | "worth"
  /** Something is not done, in one word. */
  | "undone"
  /** Work is done on it just now, whatever is to follow. */
  | "work"
  /** Finished work waits for what follows, or work has not begun. */
  | "ready"
  /** The same, but by itself it is held up. */
  | "waiting"
  /** It is to come. */
  | "future"
  /** A part of the work, or it is held up, or not for everybody. */
  | "part"
  /** The last look at finished work. */
  | "check"
  /** It is with everybody, and had its launch some time ago. */
  | "after"
  /** Everybody has it, or what was wrong is right. */
  | "ship"
  /** Everybody has it, but with a day behind it, it is to come. */
  | "available"
  /** Something is finished: it, or only a part of it. */
  | "finish"
  /** The item is closed, whatever came of it. */
  | "close"
  /** A step that ends with everybody having it, or it is done just now. */
  | "release"
  /** Nothing is done yet, but to find out, or decide, what is to be done. */
  | "open"
  /** A month, a quarter, a year. */
  | "period"
  /** By then. */
  | "by"
  /** What follows was done as well. */
  | "and"
  /** It says nothing. */
  | "neutral";

/**
 * Words of statuses by what they say, separated by commas; `*` stands for any ending. A phrase counts
 * before its words. Case and accents are ignored. Of each class English comes first, then German,
 * French, Spanish, Portuguese, Dutch, Italian, the Nordic languages, Polish, Czech, Turkish, Russian,
 * Ukrainian, Arabic, Chinese, Japanese and Korean.
 */
export const STATUS_WORDS: Readonly<Record<WordClass, string>> = {
  stop: `
    cancel*, declin*, reject*, abandon*, removed, removal, deleted, withdrawn, withdrew, duplicate,
    duplicates, duplicated, duplication, dupe, dup, deprecat*, retire, retired, retiring, retirement*,
    obsolete, obsoleted, superseded, replaced, dropped, discontinu*, decommission*, killed, scrapped,
    shelved, sunset*, revoked, terminated, invalid, aborted, archive, archived, trashed, wontfix,
    wontdo, wont, won t, will not, will never, not planned, not be planned,
    not reproducible,
    notplanned, no longer, out of scope, end of life, end of support, eol,
    by design, as design, as designed, works as designed, works as intended, can not be reproduce*,
    can not reproduce*, cannot reproduce*, cannot be reproduce*, can t reproduce*, can t be reproduce*,
    cannot fix*, cannot be fix*, can not fix*, can not be fix*, can t fix*, can t be fix*, cannot do,
    can not do, can t do, cannot be do*, unable to reproduce*, unable to fix*, unable to do,
    unable to be reproduce*, no go, no fix, never mind, nevermind, no action, no plan, no plans,
    descoped, de scoped, cut, cut from, stopped, stop, void, voided, expired, denied, skipped, skip,
    ceased, dismissed, ignored, disqualified, vetoed, refused, shut down, shutdown, stale, given up,
    closed without, closed not, done without, without release, without shipping, ended without,
    not doing, turn* off, switch* off, call* off, shut* off, writ* off, phas* out, rul* out, back* out, opt* out,
    tak* down, tak* offline, wind* down, wound down, unviable, infeasible, unfeasible, unneeded,
    unnecessary, irrelevant,
    suspended, postponed indefinitely, paused indefinitely, delayed indefinitely, deferred indefinitely,
    on hold indefinitely, indefinitely postponed, indefinitely, spam, not to do, do not do, dont do,
    don t do, never released, never shipped,
    abgebroch*, abgelehnt*, abgewiesen, storniert*, verworfen, eingestellt, entfernt, geloscht,
    gestrichen, archiviert, duplikat*, dublette, wird nicht, nicht geplant, nicht reproduzierbar,
    nicht mehr, nicht umsetzen, zuruckgezogen, gestoppt, hinfallig, ungultig, entfallt, entfallen,
    unbestimmt verschoben, auf unbestimmte,
    annule*, annulation, rejete*, refuse*, supprime*, doublon*, archivee, archives, ne sera pas,
    ne sera jamais, ne pas faire, pas prevu*, pas planifie*, non prevu*, non planifie*,
    non reproductible, non retenu*, retiree, retirees, abandonn*, arrete*, suspendu*, obsoletes,
    cancelad*, anulad*, rechazad*, descartad*, abandonad*, eliminad*, duplicad*, retirad*, obsolet*,
    archivad*, arquivad*, rejeitad*, recusad*, removid*, excluid*, suspendid*, suspens*, desestimad*,
    detenid*, no se hara, no se realizara, no se implementara, no se corregira, nao sera, nao fazer,
    nao planejad*, nao planead*, no planificad*, no planead*, no reproducible, nao reproduzivel,
    geannuleerd, afgewezen, afgebroken, vervallen, verwijderd, duplicaat, gearchiveerd, verworpen,
    wordt niet, niet gepland, niet doen, niet uitvoeren, niet reproduceerbaar, zal niet, ingetrokken,
    gestopt, opgeschort, annullat*, rifiutat*, scartat*, sospes*, eliminat*, archiviat*, interrott*,
    avbrut*, avvisa*, installd*, inställt, avvist, avbojd, avlyst, avslatt, aflyst, annulleret, kansellert,
    avbestalld, borttagen, hylatty, peruttu, peruutettu, hylätty, keskeytetty, poistettu, arkistoitu,
    anulowan*, odrzucon*, porzucon*, zarzucon*, usuniet*, zarchiwizowan*, wstrzymano na zawsze,
    nie bedzie, zrusen*, zamitnut*, odmitnut*, stornovan*, archivovan*, duplicitni, nebude,
    iptal*, reddedil*, vazgecil*, arsivlen*, yinelenen, kaldirildi, yapilmayacak, durduruldu,
    отмен*, отклон*, отказ*, закрыто без, не будет, дубл*, архив*, снят*, удален*, неактуальн*,
    скасован*, відхилен*, відмінен*, не буде, видален*, дублікат*, заархівован*,
    ملغي, ملغى, ملغاة, ملغية, إلغاء, ألغي, تم الإلغاء, تم إلغاء, مرفوض*, مكرر*, محذوف*, مؤرشف*, لن,
    متوقف*, مستبعد*,
    已取消, 取消, 已拒绝, 已拒絕, 拒绝, 拒絕, 已废弃, 已廢棄, 废弃, 廢棄, 已放弃, 已放棄, 放弃, 放棄, 不予处理,
    不予處理, 不做, 不会做, 不修复, 不會做, 不再, 已归档, 已歸檔, 归档, 歸檔, 已封存, 重复, 重複, 已删除, 已刪除,
    已终止, 已終止, 终止, 終止, 已作废, 作廢, 作废, 已中止, 已搁置, 无效, 無效, 已关闭未发布,
    キャンセル, 中止, 却下, 見送り, 廃止, 廃棄, 破棄, 取り消し, 取消し, 取りやめ, 対応しない, 対応せず, 実施しない,
    やらない, しない, 削除, アーカイブ, 差し戻し不可, 無期限延期,
    취소, 거절, 반려, 기각, 폐기, 중단, 철회, 보관됨, 중복, 삭제, 하지않음, 안함
  `,
  deny: `
    not, non, no, isn t, hasn t, wasn t, aren t, never, without, before, until, prior to, un,
    nicht, noch nicht, pas, pas encore, nao, niet, sin, sem, senza, ej, inte, ikke, ei, nie, ne, jeste nie,
    не, ещё не, пока не, нет, без, ще не, поки не, لم, لم يتم, غير, ليس, بدون, 未, 尚未, 还没, 還沒, 没有, 沒有,
    미, まだ, 不
  `,
  worth: `
    viable, feasible, possible, practical, worth*, suitable, actionable, needed, required, necessary,
    relevant, applicable, justified, beneficial, desired, desirable, valid, moving forward,
    moving ahead, going forward, going ahead, going to, proceeding, pursu*, happening, in scope,
    a priority, a bug, an issue, an option, machbar, sinnvoll, notwendig, notig, erforderlich, moglich,
    umsetzbar, faisable*, realisable*, necessaire*, pertinent*, factible*, necesari*, posible, viavel,
    viaveis, possivel, necessari*, haalbaar, nodig, zinvol, mogelijk, fattibile, possibile, wykonaln*,
    potrzebn*, mozliw*
  `,
  undone: `
    unreleased, unshipped, unavailable, undelivered, unpublished, undeployed, unfinished, unresolved,
    incomplete, uncompleted, unimplemented, unlaunched, undone, unstarted, unfixed, unbuilt, inactive,
    not yet, yet to, not ready, not supported, not currently supported, not scheduled,
    not currently scheduled, not committed, not currently committed, not begin, todavia no, aun no,
    ainda nao, nog niet, unveroffentlicht, unfertig, unerledigt, indisponibl*, indisponive*, inacheve*,
    inacabad*, niezrobione, niegotow*, niedostepn*, nierozpoczet*, nezahajen*, nezacat*, nehotov*,
    nedokoncen*, neni, baslamad*, baslanmad*, tamamlanmad*, yapilmad*, yayinlanmad*, aloittamat*,
    keskenerai*, ej paborjad, ikke pabegynt, unpabegynt, нереализован*, недоступ*, незаверш*, неготов*,
    незакінчен*, нерозпочат*, нереліз*, 未着手, 未対応, 未開始, 未开始, 未完了, 未処理, 未リリース, 미착수, 미시작,
    시작전, 시작안함, 시작안됨, 시작되지않음
  `,
  work: `
    in progress, inprogress, in active development, under active development, in development,
    under development, in dev, under dev, in construction, under construction, in implementation,
    under implementation, in review, in code review, in peer review, in qa, in test, in tests,
    in testing, in beta, in alpha, in preview, in private preview, in public preview, in design,
    in build, in work, in staging, in uat, in flight, in validation, in verification, in pilot,
    in execution, under test, under testing, under way, underway, working, wip, work in progress,
    doing, ongoing, started, begun, in the works, in sprint, dogfood*, building, developing,
    implementing, coding, bug fixing, bugfixing, bug fix, fixing, active, rolling out,
    rolling, executing, executed, kicked off, kick off, kickoff, processing, being, progressing,
    in motion, in process, inflight, rework*, resum*, restart*, harden*, stabili*, polish*, refactor*,
    optimi*, tuning, bug bash,
    in arbeit, in bearbeitung, in entwicklung, in umsetzung, in prufung, in uberprufung, in vorschau,
    begonnen, in realisierung, in bau, in erprobung, in testphase, in der umsetzung, pilotphase, aktiv*,
    laufende, laufend, lauft, gestartet, angelaufen, startet, startad, wird bearbeitet, wird entwickelt, wird getestet,
    wird uberpruft, wird gepruft, wird umgesetzt, wird gebaut, wird ausgerollt, wird ausgeliefert,
    wird veroffentlicht, wird freigegeben, wird geliefert, wird verteilt, wird eingefuhrt,
    actif, active, en construction, en execution, en cours, en developpement, en test, en tests,
    en revision, en revue, en examen, en validation, en recette, en realisation, commence*, demarre*,
    activo, activa, en curso, en progreso, en proceso, en desarrollo, en pruebas, en marcha,
    en construccion, en ejecucion, iniciad*, empezad*, comenzad*, comecad*, em andamento, em progresso,
    em curso, em desenvolvimento, em teste, em testes, em revisao, em analise, em execucao,
    em construcao, ativo, ativa, fazendo, in uitvoering, in ontwikkeling, in behandeling,
    in beoordeling, bezig, mee bezig, actief, wordt getest, wordt beoordeeld, wordt aan gewerkt,
    wordt gewerkt, wordt ontwikkeld, wordt gebouwd, wordt uitgerold, gestart, onder constructie,
    attivo, attiva, in corso, in sviluppo, in lavorazione, in realizzazione, in sperimentazione,
    in costruzione, iniziat*, w toku, w trakcie, w realizacji, w opracowaniu, rozpoczet*, aktywn*, pagar,
    pagaende, under utveckling, under utvikling, under udvikling, paborjad, pabegynt, pabegyndt, i gang,
    igang, igangsatt, under arbete, under arbeid, under arbejde, kaynnissa, kesken, tyon alla,
    kehityksessa, aloitettu, probiha, rozpracovan*, ve vyvoji, v procesu, v reseni, zahajen*, devam ediyor,
    devam eden, devam etmekte, gelistiriliyor, yapiliyor, surduruluyor, calisiliyor, basladi, baslatildi,
    islemde, suruyor, в работе, в процессе, в разработке, в ходе, выполняется, разрабатывается, начат*,
    ведется, ведутся, на проверке, тестируется, на тестировании, в тестировании, в роботі, в процесі,
    у роботі, у процесі, в розробці, у розробці, виконується, розпочат*, триває, активн*,
    قيد التنفيذ, قيد التقدم, قيد العمل, قيد التطوير, قيد الإنجاز, قيد المعالجة, قيد المراجعة, قيد الاختبار,
    جاري*, جارٍ, جار, جارية, نشط*, بدأ, بدأت, مستمر*,
    进行中, 進行中, 正在进行, 正在進行, 开发中, 開發中, 処理中, 处理中, 處理中, 测试中, 測試中, 审核中, 審核中, 实施中,
    實施中, 执行中, 執行中, 已开始, 已開始, 已启动, 已啟動, 正在, 研发中, 研發中, 作業中, 対応中, 開発中, 着手中,
    実装中, 実施中, テスト中, 検証中, レビュー中, 着手済み, 着手済, 仕掛中, 進行, 稼働準備中, 展開中, 発布中, 发布中,
    진행중, 진행, 개발중, 작업중, 처리중, 테스트중, 검토진행중, 구현중, 착수, 시작됨, 수행중, 배포중
  `,
  ready: `
    ready, ready to, ready for, approved, approved to, cleared, cleared to, awaiting, pending, queued,
    queued to, awaits, selected, selected for, selectionn*, seleccionad*, selecionad*, geselecteerd, ausgewahlt, bereit, freigegeben zur, pret, prete,
    prets, en attente de, pronto para, pronta para, klaar voor, klaar om, gereed voor, listo para, lista para,
    redo for, klar for, klar til, valmis tarkastettavaksi, gotowe do, gotowy do, pripraven*, hazir,
    готово к, готов к, готова к, готовий до, готова до, готово до, جاهز ل*, بانتظار, في انتظار, 待, 待ち,
    等待, 準備完了, 대기
  `,
  waiting:
    "waiting, wartet auf, wartend, en attente, in attesa, in de wacht, waits, en espera, em espera",
  future: `
    planned, scheduled, coming, upcoming, soon, future, proposed, proposal, requested, request,
    requests, expected, targeted, targeting, tentative, slated, next, later, to be, will, wanted,
    considered, considering, consideration, asked, tba, tbc, tbd, on the roadmap, on our roadmap, on deck,
    to do, todo, to start, to begin, to ship, to release, to launch, to deploy, to deliver, to build, backlog,
    need to, needs to, may be, may ship, may release, might, anticipated, committed to, release planning, launch planning,
    planned for, to follow, not before, estimated for, needs *, need *, in planning, in discovery,
    in research, in definition, in analysis, in consideration, in evaluation, in preparation,
    in backlog, in refinement, in discussion, in exploration, in ideation, in concept, in triage,
    under consideration, under review, under evaluation, under discussion, under investigation,
    under analysis, at idea, not decided, undecided,
    geplant*, demnachst, bald, vorgesehen, angefragt, gewunscht, kommt, folgt, in kurze, steht an,
    anstehend, in vorbereitung, in planung, in klarung, soll, wird erwartet, eingeplant,
    prevu*, planifie*, bientot, a venir, prochainement, demandee, demandees, demande, sera, seront,
    en planification, en preparation, attendu*, planificad*, planead*, planejad*, previst*,
    proximamente, em breve, pronto, solicitad*, sera lanzad*, seran, serao, se lanzara, en planificacion,
    em planejamento, em planeamento, gepland*, binnenkort, verwacht, aangevraagd, wordt verwacht, zal,
    in voorbereiding, pianificat*, in arrivo, prossimamente, sara, saranno, zaplanowan*, planowan*,
    wkrotce, bedzie, planerad, planlagt, kommer, kommande, kommende, snart, suunnitteilla, suunniteltu,
    tulossa, naplanovan*, planovan*, brzy, pripravuje se, bude, planlan*, yakinda, gelecek, beklenen,
    запланир*, планир*, скоро, ожидается, будет, в планах, предстоит, заплан*, план*, незабаром,
    очікується, буде, у планах, в планах, مخطط*, قريبا, سوف, سيتم, قادم*, مجدول*, متوقع,
    计划, 計劃, 計畫, 计划中, 計劃中, 规划中, 規劃中, 规划, 規劃, 即将, 即將, 预计, 預計, 将, 将要, 拟, 排期中, 予定,
    計画中, 計画, 近日, まもなく, 間もなく, 今後, 検討中, 検討, 要望, 예정, 계획, 계획됨, 계획중, 곧, 검토중, 요청됨, 요청
  `,
  part: `
    rolled back, roll back, rolling back, rollback, reverted, recalled, pulled, delay*, postpon*,
    on hold, hold, held, halted, pause, paused, pausing, blocked, stuck, at risk, off track, on track,
    on schedule, on time, behind schedule, ahead of schedule, behind, running late, overdue, stalled, impeded,
    interrupted, failed, partial, partially, partly, part, almost, nearly, half, mostly, limited,
    phased, gradual, gradually, incremental*, alpha, beta, betas, preview, previews, early access,
    early adopter, early adopters, feature complete, feature completed, pilot, piloting, pilots, trial,
    canary, insider, insiders, pre release, prerelease, pre launch, prelaunch, pre production, preprod,
    pre ga, rc*, release candidate, soft launch, soft launched, dark launch*, committed, starting, begin, beginning, development,
    dev, developed, code, coded, design, designing, designed, prototyp*, implementation, built, build,
    internal, internally, behind flag, behind a flag, behind feature flag, behind a feature flag, flag,
    flagged, feature flag, feature flagged, dogfooding, staff only, employees only, invite only,
    invitation only, by invitation, on request, waitlist, waitlisted, selected customers,
    selected users, selected tenants, selected partners, some customers, some users, some regions,
    few customers, first customers, to some, for some, private, poc, proof of concept, mvp, phase,
    phases, stage, step, milestone, sprint, iteration, backend, back end, frontend, front end, docs,
    doc, documentation, mockup*, wireframe*, groundwork, foundation, engineering, dev work,
    verschoben, verspatet, verzogert, pausiert, angehalten, blockiert, teilweise, teil, fast,
    entwicklung, begrenzt, eingeschrankt, intern, interne, reporte*, bloque*, retarde*, en pause,
    partiellement, presque, developpement, pausad*, bloquead*, retrasad*, aplazad*, adiad*, atrasad*,
    parcial, parcialmente, casi, quase, desarrollo, desenvolvimento, uitgesteld, vertraagd,
    onderbroken, geblokkeerd, gedeeltelijk, deels, ontwikkeling, ritardat*, in ritardo, bloccat*,
    in pausa, parzialmente, sviluppo, rinviat*, wstrzyman*, opoznion*, zablokowan*, czesciowo,
    pausad, blockerad, blokeret, blokkert, forsenad, forsinket, delvis, odotta*, estetty, viivastynyt,
    osittain, pozastaven*, blokovan*, zpozden*, odlozen*, castecne, beklemede, engellendi, ertelendi, kismen,
    gecikti, askida, приостановлен*, отложен*, заблокирован*, частичн*, задерж*, перенесен*,
    на паузе, призупинен*, відкладен*, заблокован*, частков*, на паузі, معلق*, مؤجل*, متأخر*, محظور*,
    جزئي*, 暂停, 暫停, 已暂停, 已暫停, 搁置, 擱置, 延期, 已延期, 延迟, 延遲, 受阻, 阻塞, 部分, 内测, 內測, 公测, 公測, 灰度,
    测试版, 測試版, 开发, 開發, 设计, 設計, 研发, 保留, 保留中, 一時停止, 遅延, 遅れ, ブロック, 一部, ベータ,
    プレビュー, 開発, 実装, 설계, 보류, 보류중, 지연, 연기, 일시중지, 차단, 부분, 베타, 개발, 구현
  `,
  check: `
    qa, test, tests, testing, tested, uat, staging, staged, review, reviewing, reviewed, reviews, merged,
    merge, merging, verify*, verified, verification, validating, validation, validated, integration, pr,
    acceptance, sign off, signoff, uberprufung, prufung, abnahme, revision, revisao, pruebas, testes,
    beoordeling, recette, granskning, testowan*, testovan*, в тест, тестиров*, тестуван*, اختبار,
    测试, 測試, 评审, 評審, 审核, 審核, 审查, 審查, 验收, 驗收, 验证, 驗證, テスト, レビュー, 検証, 確認, 테스트, 검토, 검증,
    리뷰
  `,
  after: `
    post launch, post release, post ga, post deployment, post go live, after launch, after release,
    hypercare, in maintenance, maintenance mode, in use, in operation, nach release, nach der
    veroffentlichung, apres lancement, post lanzamiento, post lancamento, in betrieb, im einsatz,
    en service, en servicio, em uso, en uso, 已投产, 運用中, 稼働中, 提供中, 운영중, 서비스중
  `,
  ship: `
    resolved, fixed, fixes, gelost*, behoben*, resolu*, corrige*, resuelt*, corregid*, resolvid*,
    corrigid*, opgelost, risolt*, rozwiazan*, naprawion*, lost, loyst, ratkaistu, korjattu,
    vyresen*, opraven*, cozuldu, duzeltildi, решен*, исправлен*, вирішен*, виправлен*, محلول*,
    تم الحل, تم حل*, 已解决, 已解決, 已修复, 已修復, 解決済み, 解決済, 解決, 修正済み, 修正済, 해결됨, 해결, 수정됨,
    verified in prod*, validated in prod*, tested in prod*, confirmed in prod*, merged to prod*,
    merged into prod*,
    shipped, released, launched, delivered, deployed, implemented, general release, published, in prod,
    in production, on production, to prod, to production, rolled out, fulfilled, already exists,
    solved, achieved, graduated, went live, gone live, live since, generally available, fully available,
    in the wild, publicly released, veroffentlicht*, ausgeliefert*, freigegeben, umgesetzt*, ausgerollt*,
    in produktion, produktiv, eingefuhrt, livree, livrees, livre, livres, publie, publiee, publies,
    publiees, lancee, lancees, lance, lances, deploye*, mis en production, mise en production faite,
    mis en ligne, en production, en ligne, publicad*, lanzad*, entregad*, desplegad*, lancad*, entregue,
    entregues, implantad*, implementad*, en produccion, em producao, no ar, uitgebracht, vrijgegeven,
    opgeleverd, geleverd, gelanceerd, gepubliceerd, uitgerold, in productie, rilasciat*, pubblicat*,
    consegnat*, lanciat*, in produzione, wydan*, opublikowan*, wdrozon*, dostarczon*, na produkcji,
    slappt, lanserad, lansert, lanceret, levererad, levert, leveret, publicerad, publisert, udgivet,
    utgitt, driftsatt, julkaistu, toimitettu, tuotannossa, vydan*, nasazen*, publikovan*, zverejnen*,
    dodan*, v produkci, spusten*, yayinlandi, yayimlandi, yayinda, teslim edildi, canliya alindi,
    kullanima sunuldu, canlida, выпущ*, опубликован*, релиз состоялся, вышло, вышел, вышла, внедрен*,
    поставлен*, развернут*, запущен*, в продакшене, в проде, в эксплуатации, випущен*, опублікован*,
    впроваджен*, запущен*, розгорнут*, в продакшені, صدر, صدرت, تم الإصدار, تم إصدار*, تم النشر, تم نشر*, منشور*,
    تم الإطلاق, تم إطلاق*, تم التسليم, تم تسليم*, أطلق, أطلقت, تم الطرح, 已发布, 已發布, 已发行, 已上线, 已上線, 上线了, 已交付, 已部署, 已推出,
    已投入使用, 发布完成, 發布完成, 已發佈, リリース済み, リリース済, 公開済み, 公開済, 公開中, 提供開始, 配信済み, 配信済, 出荷済み, 出荷済,
    納品済み, デプロイ済み, デプロイ済, 発売済み, 本番反映済み, 展開済み, 提供済み, 배포됨, 배포완료, 출시됨, 출시완료, 출시, 게시됨,
    공개됨, 릴리스됨, 릴리스완료, 릴리즈완료, 배포완, 발행됨
  `,
  available: `
    available, live, ga, general availability, verfugbar*, disponible, disponibles, disponivel,
    disponiveis, disponibil*, beschikbaar, dostepn*, tillganglig*, tilgjengelig*, tilgaengelig*,
    saatavilla, dostupn*, kullanilabilir, kullanima hazir, доступ*, متاح*, متوفر*, 可用, 可供使用, 已可用, 利用可能, 사용가능
  `,
  finish: `
    done, completed, complete, completes, completion, finished, finalized, finalised, ended, concluded,
    erledigt*, fertig, fertiggestellt, abgeschlossen*, beendet, vollendet, komplett, vollstandig,
    termine, terminee, terminees, termines, acheve, achevee, acheves, achevees, fini, finie, finis,
    finies, fait, faite, faits, faites, complete, completee, realise*, accompli*, cloture*, listo,
    lista, listos, listas, hecho, hecha, hechos, hechas, finalizad*, terminad*, completad*, complet*,
    concluid*, conclusao, feito, feita, feitos, feitas, realizad*, gereed, klaar, voltooid, afgerond,
    afgehandeld, completat*, fatto, fatta, fatti, conclus*, ultimat*, finit*, pronta, gotow*, zrobion*,
    zakonczon*, ukonczon*, wykonan*, skonczon*, klar, klart, slutford, slutfort, fardig, faerdig, ferdig,
    fullfort, fullford, fuldfort, avslutad, afsluttet, avsluttet, valmis, valmistunut, suoritettu, hotov*,
    dokoncen*, splnen*, tamamland*, tamam, bitti, bitmis, bitirildi, yapildi, готов*, выполнен*,
    сделан*, заверш*, законч*, реализован*, исполнен*, виконан*, зроблен*, завершен*, закінчен*,
    реалізован*, مكتمل*, منجز*, اكتمل*, انتهى, انتهت, منته, منتهي*, تم, تمت, أنجز*, تم الإنجاز, تم الانتهاء*, مكتمله, مكتملة,
    已完成, 完成, 已完结, 已完結, 完结, 完結, 已结束, 已結束, 搞定, 做完, 完了, 完了済み, 終了, 済, 済み, 対応済み, 対応済, 完成済み, 完工, 실행완료,
    완료, 완료됨, 끝, 끝남, 종료, 완성
  `,
  close: `
    closed, close, clos, close e, geschlossen*, ferme, fermee, fermees, fermes, cerrad*, fechad*, gesloten,
    chius*, zamkniet*, stangd, lukket, lukkede, suljettu, uzavren*, kapali, kapatildi, kapandi, закрыт*,
    закрит*, مغلق*, تم الإغلاق, 已关闭, 已關閉, 关闭, 關閉, クローズ, 닫힘, 종결
  `,
  release: `
    ship, shipping, release, releasing, releases, launch, launching, deploy, deploying, deployment,
    deliver, delivery, delivering, roll out, rollout, go live, going live, go lives, availability, publish,
    publishing, publication, production, prod, veroffentlichung, auslieferung, freigabe, einfuhrung,
    livraison, deploiement, mise en production, mise en ligne, lancement, sortie, lanzamiento,
    despliegue, entrega, publicacion, lancamento, implantacao, publicacao, uitrol, oplevering,
    publicatie, lancering, rilascio, lancio, pubblicazione, wydanie, wdrozenie, lansering, julkaisu,
    vydani, nasazeni, yayin, surum, релиз, выпуск, запуск, развертывание, внедрение, реліз, випуск,
    впровадження, إصدار, إطلاق, نشر, طرح, 发布, 發布, 發佈, 上线, 上線, 部署, 交付, 发行, リリース, 公開, デプロイ, 出荷, 配信, 展開, 릴리스,
    릴리즈, 배포, now, jetzt, maintenant, ahora, agora, nu, сейчас, зараз, الآن, 现在, 現在, 지금, 开始, 開始, 시작
  `,
  open: `
    planning, discovery, discovering, research, researching, analysis, analyse, analyze, investigation, definition,
    scoping, refinement, grooming, estimation, ideation, exploration, spec, specs, specification,
    requirements, concept, konzept, konzeption, conception, analisis, anforderungen, spezifikation,
    planung, konzeptphase, planification, planificacion, planejamento, анализ, аналіз,
    调研, 調研, 需求, 分析, 要件定義, 設計, 기획, 분석,
    open, opened, reopened, new, accepted, confirmed, triage, triaged, acknowledged, assigned,
    unassigned, prioritised, prioritized, prioritisation, prioritization, estimated, refined, groomed,
    specified, scoped, defined, idea, ideas, wishlist, icebox, inbox, draft, explor*, gathering,
    investigating, evaluating, likely, unlikely, candidate, candidates, under, unscheduled, unplanned,
    unprioritised, unprioritized, deferred, someday, parked, parking lot, on ice, frozen, committee,
    queue, submitted, suggested, suggestion, approval, decision, pickup, start, unconfirmed, untriaged,
    not yet planned, not planned yet, not cancel*, not yet cancel*, not been cancel*, un cancel*,
    noch nicht geplant, nog niet gepland, zuruckgestellt, zu erledigen, offen*, wieder geoffnet,
    erneut geoffnet, neu, neue, aufgaben, ideen, idee, vorschlag, entwicklung ausgewahlt, a faire, ouvert*, reouvert*,
    rouvert*, nouveau, nouvelle, nouveaux, idees, por hacer, por empezar, por iniciar, por comenzar, sin empezar, sin
    comenzar, sin iniciar, tareas por hacer,
    tareas pendientes, pendiente, pendientes, abiert*, reabiert*, nuevo, nueva, nuevos, nuevas,
    a fazer, para fazer, tarefas pendentes, pendente, pendentes, abert*,
    reabert*, novo, nova, novos, novas, te doen, nog te doen, heropend, nieuw, taken,
    da fare, aperto, aperta, aperti, riaperto, nuovo, nuova, do zrobienia, nowe, nowy, nowa, otwart*,
    nie rozpoczet*, att gora, ny, nye, nytt, oppen, oppna, apen, aben, a gjore, at gore, avoin,
    avoinna, uusi, tehtava, tekematta, ei aloitettu, k reseni, otevren*, novy, nova, nove, zadano,
    ke zpracovani, yapilacak, yapilacaklar, acik, yeni, bekliyor, baslamadi, новый, новая, новое, новые, нове,
    новий, нова, нові, открыт*, к выполнению, к исполнению, сделать, нужно сделать, ожидает, ожидание,
    идея, идеи, бэклог, беклог, очередь, на рассмотрении, не начат*, відкрит*, до виконання, зробити, очікує, ідея,
    на розгляді, черга, не розпочат*, جديد*, مفتوح*, للتنفيذ, المهام, لم يبدأ, لم تبدأ, لم يبدا, قيد الانتظار, انتظار, فكرة,
    قيد الدراسة, مقترح*, 待办, 待辦, 待处理, 待處理, 待开始, 待開始, 待开发, 待開發, 待定, 新建, 新的, 开放, 開放, 打开, 需求池, 积压, 未规划, 未計劃,
    想法, 提案, 已接受, 待评估, 待規劃, 待确认, 待確認, 待機, 待機中, 準備中, オープン, 新規, 未定, バックログ, アイデア, やること, 着手前, 開始前, 受付, 受付済み, 提案中, 未計画,
    할일, 할것, 대기중, 대기, 신규, 새로운, 열림, 백로그, 아이디어, 제안됨, 제안, 시작예정, 미정, 등록
  `,
  period: `
    q1, q2, q3, q4, h1, h2, january, jan, february, feb, march, mar, april, apr, may, june, jun, july, jul,
    august, aug, september, sept, sep, october, oct, november, nov, december, dec, spring, summer,
    autumn, fall, winter, month, quarter, year, week, januar, februar, marz, mai, juni, juli, oktober,
    dezember, fruhjahr, sommer, herbst, janvier, fevrier, mars, avril, juin, juillet, aout, septembre,
    octobre, novembre, decembre, enero, febrero, marzo, abril, mayo, junio, julio, agosto, septiembre,
    octubre, noviembre, diciembre, janeiro, fevereiro, marco, maio, junho, julho, setembro, outubro,
    novembro, dezembro, monday, tuesday, wednesday, thursday, friday, tomorrow, quartal, trimestre,
    kwartaal, t1, t2, t3, t4
  `,
  by:
    "by, bis, bis zum, bis ende, d ici, pour, para, hasta, ate, voor, tegen, entro, till, til, targeting",
  and: "and, und, et, y, e, en ook, ed, oraz, и, і, و, then",
  neutral: `
    all, fully, full, entirely, it, is, has, been, yet, currently, generally, publicly, widely, quite,
    everyone, everybody, everything, everywhere, customers, users, to, for, on, in, at, of, the, a, an, from, as,
    be, this, that, items, item, work, task, tasks, issue, issues, feature, features, project, projects,
    status, state, version, ver, v, only, worldwide, global, globally, public, officially, official,
    successfully, successful, success, ok, okay, yes, already, just, we, our, end, early, mid, late, last,
    since, as planned, as scheduled, as expected, zum, zur, fur, die, der, das, den, dem,
    am, im, ab, aufgabe, alle, alles, ist, wurde, schon, bereits, nun, noch, le, la, les, l, de, du, des,
    tache, taches, tout, tous, toutes, deja, est, es, el, los, las, tarea, tareas, o, os, as, um, uma, itens, tarefa, tarefas, ya,
    ja, todo el, del, encore, todavia, aun, ainda, nog, mas, em, en, van, het, een, is al, taak, si, gia, zadanie, ukol,
    uppgift, oppgave, opgave, tehtava valmis, gorev, задача, задачи, задание, уже, все, завдання, вже, المهمة, مهمة,
    已, 已经, 已經, 全部, 的, 了, 任务, 任務, 状态, 狀態, 中, の, が, を, は, に, へ, と, です, ました, した, 작업, 됨, 함, 은, 는, 이, 가
  `,
};

/** Of a resolution: words that would not stop a status. */
export const UNSOLVED_WORDS = `
  incomplete, unvollstandig, incomplet*, onvolledig, known error, works for me, worksforme, non issue,
  not fixed, no response, no change, moved, inactive, later, remind, notabug,
  notourbug, migrated, answered elsewhere, insufficient data, insufficient_data, cantfix, upstream
`;
