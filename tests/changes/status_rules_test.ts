import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { decideTone, judgeWords } from "../../lib/roadmap/status_tone.ts";
import { importItems, makeItem, serve } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";

/** What people write besides the defaults of tools: parts that are finished, what is to come, and what ended. */
const ENGLISH_AND_OTHERS: Readonly<Record<string, string>> = {
  in_progress: `
    Discovery complete; Spec complete; Backend done; Docs done; Phase 1 complete;
    Analyse abgeschlossen; Conception terminée; Design finished; Frontend complete; Research done;
    Requirements complete; UX done; Prototype finished; Planning complete; Scoping done; API done;
    Konzept fertig; Entwicklung abgeschlossen; Análisis terminado; Desarrollo completado;
    Ontwerp klaar; Analyse afgerond; Phase 2 of 3 complete; Step 1 done; Part 1 finished;
    Security review complete; Legal review done; Translation done; Kicked off; Bug fixing;
    Behind schedule; Wird ausgerollt; Released internally; Shipped (behind flag);
    Internal release; Rolled out to 10%; Live for beta testers; Available for insiders;
    Shipped internally; Live behind a feature flag; Released to staff only; GA pending;
    Release pending; On schedule; Ahead of schedule; 75 % done; 99%; Tested; Tested, not released;
    Feature complete, not released; Development not finished; Partially available; Ready for GA;
    Waiting for release; Awaiting GA; Approved for release; Halted; In beta testing;
    Dark launched; Milestone 1 completed; Sprint 3 done; MVP done; MVP complete; POC finished;
    Backend shipped; Dev work finished; Frontend fertig; Sviluppo completato; Testes concluídos;
    Tests terminés; Spezifikation abgeschlossen; Rolling out to all customers; In flight;
    Investigation complete
  `,
  planned: `
    GA in March; Done by Q3; Sera livré; Available in Q4; Live in 2027; GA expected; GA by June;
    Will ship in May; Complete by end of Q2; Shipping in March; Release in May; Planned for GA;
    Launch in 2028; Available from March; Coming March; Will be available; Expected to ship;
    Scheduled; To ship; To be announced; On the roadmap; Not begun; Not begun yet;
    Has not started; Work not started; Development not started; Testing not started;
    Design not started; Wird erwartet; Será lanzado; Sarà rilasciato; Zal worden uitgebracht;
    Disponible en marzo; Verfügbar ab März; Disponible bientôt; Fertig bis März; Terminé pour Q3;
    Needs design; Needs approval; Release planning; Launch planning; Awaiting decision;
    Selected for sprint; Ready to build; Queued; Not committed; Wishlist; Not scheduled;
    Undecided; Under evaluation; Not in development; Not yet in progress; Unconfirmed; Planning;
    Scoping
  `,
  shipped: `
    Post-launch; Post-release; Hypercare; In use; Shipped in May; Released in March; Done in Q2;
    Released 2026-03-01; Live since March; Completed in 2025; Released v2.3; Delivered as planned;
    Tested and released; Reviewed, merged and deployed; All done; Fully complete;
    Release complete; Launch complete; Rollout done; Done (v2); Work completed; Task complete;
    Closed (fixed); Closed - completed; Resolved - fixed; Done - Released; Completed ✓;
    Done & released; Released to production; Available worldwide; Live in production; Now GA;
    In GA; Already released; Successfully deployed; Officially launched; Publicly available;
    Released to everyone; Available to all customers; Finished (Q3); Abgeschlossen (Q3);
    100% done; 100% complete; Fertig und veröffentlicht; Terminé et publié; Deployment complete;
    Went live; Gone live
  `,
  stopped: `
    Closed Skipped; Closed without release; Postponed indefinitely; Paused indefinitely;
    Suspended; Stopped; Void; Expired; Denied; Skipped; Closed (stale); Dismissed;
    Ended without release; On hold indefinitely; Will not be done; Closed as not planned;
    Not going ahead; Delayed indefinitely; Cut; Gestoppt; Arrêté; Detenido; Gestopt; Suspendu;
    Sospeso; Auf unbestimmte Zeit verschoben; Done - Won't fix; Cancelled after launch;
    Development stopped; Work stopped; Shelved; Never released; Decommissioned; Replaced;
    Closed, not released
  `,
};

/** Statuses in scripts and languages beside those of the tools' defaults. */
const SCRIPTS: Readonly<Record<string, string>> = {
  planned: `
    Не начато; Не начат; Запланировано; К выполнению; Новая; Открыто; Бэклог; В планах; Ожидает;
    Не розпочато; Заплановано; До виконання; Нове; Відкрито; 未开始; 未開始; 待办; 待辦; 计划中; 計劃中; 待处理; 待處理;
    尚未开始; 未完成; 未发布; 未着手; 未対応; 計画中; 予定; 検討中; リリース予定; 公開予定; 未完了; 未リリース; まだ開始していません; 시작 전; 시작전; 예정;
    할 일; 대기; 대기 중; 미착수; 계획됨; 출시 예정; 미완료; Başlamadı; Başlanmadı; Yapılacak; Planlandı; Planlanıyor;
    Yeni; Açık; Nie rozpoczęto; Nierozpoczęte; Do zrobienia; Zaplanowane; Nowe; Otwarte;
    Nezahájeno; Nezačato; Naplánováno; Nový; Otevřeno; Ei aloitettu; Aloittamatta; Suunniteltu;
    Tekemättä; Ej påbörjad; Inte påbörjad; Planerad; Att göra; Ny; Öppen; لم يبدأ; لم تبدأ;
    لم يبدأ بعد; مخطط; مخطط له; جديد; قيد الانتظار; قريبا; Ikke startet; Ikke påbegyndt; Planlagt;
    Non iniziato; Da fare; Скоро; Скоро выйдет
  `,
  in_progress: `
    В работе; В процессе; В разработке; Выполняется; Начато; На тестировании; Тестирование;
    Приостановлено; В роботі; У процесі; В розробці; Виконується; 进行中; 進行中; 开发中; 開發中; 测试中; 测试;
    已暂停; 開発完了; テスト完了; 开发完成; 测试完成; 設計完了; 処理中; 対応中; 作業中; 開発中; 着手済み; リリース待ち; 保留; 保留中; 진행 중; 진행중;
    개발 중; 테스트 중; 개발 완료; 보류; 작업 중; Devam ediyor; Geliştiriliyor; Yapılıyor; W toku; W trakcie;
    W trakcie realizacji; W realizacji; Wstrzymane; Probíhá; V procesu; Rozpracováno; Ve vývoji;
    Pozastaveno; Käynnissä; Kesken; Työn alla; Pågående; Pågår; Under utveckling; Påbörjad;
    قيد التنفيذ; قيد التطوير; جاري العمل; جارٍ التنفيذ; قيد التقدم; معلق; I gang; In corso;
    Разработка завершена; Beta dostępna; Тестування завершено
  `,
  shipped: `
    Готово; Выполнено; Завершено; Завершён; Сделано; Закрыто; Выпущено; Опубликовано; Решено;
    Реализовано; Доступно; Зроблено; Виконано; Закрито; Випущено; 已完成; 完成; 已发布; 已發布; 已上线; 已上線;
    已关闭; 已關閉; 已解决; 发布完成; 已交付; 完了; リリース済み; 公開済み; 対応済み; 提供開始; リリース完了; 完了済み; 解決済み; クローズ; 완료; 완료됨;
    출시됨; 배포 완료; 배포됨; 출시 완료; 종료; Tamamlandı; Bitti; Yayınlandı; Yayında; Kapatıldı; Yapıldı;
    Gotowe; Zrobione; Zakończone; Ukończone; Wydane; Wdrożone; Zamknięte; Hotovo; Dokončeno;
    Vydáno; Nasazeno; Uzavřeno; Valmis; Julkaistu; Suljettu; Klar; Klart; Slutförd; Lanserad;
    Släppt; Stängd; Avslutad; مكتمل; مكتملة; تم; تم الإنجاز; منجز; تم الإصدار; مغلق; اكتمل; متاح;
    Ferdig; Færdig; Lukket; Completato; Fatto; Rilasciato; Disponível
  `,
  stopped: `
    Отменено; Отменён; Отклонено; Не будет сделано; Дубликат; Скасовано; Відхилено;
    Не буде зроблено; 已取消; 取消; 已拒绝; 已拒絕; 已废弃; 不做; 重复; キャンセル; 中止; 却下; 対応しない; 見送り; 取り消し; 취소; 취소됨;
    거절됨; 중단; 반려; İptal edildi; İptal; Reddedildi; Vazgeçildi; Anulowane; Odrzucone; Anulowano;
    Zrušeno; Zamítnuto; Peruttu; Hylätty; Peruutettu; Avbruten; Avbrutet; Inställd; Avvisad; ملغى;
    ملغي; تم الإلغاء; مرفوض; ألغي; Avlyst; Aflyst; Annullato; Rifiutato
  `,
  unknown: `
    Waved 2; Status 7; ✅; Foo bar; Блабла; ステータス; 색깔; Q3; No Status; Late; Yes; Blue; None
  `,
};

const listed = (table: Readonly<Record<string, string>>) =>
  Object.entries(table).flatMap(([tone, list]) =>
    list.split(";").map((status) => [tone, status.trim()] as const)
  );

for (
  const [name, table] of [[
    "A part that is finished, what is to come and what is not for everybody have not shipped",
    ENGLISH_AND_OTHERS,
  ], ["Statuses of other scripts count as what their words say", SCRIPTS]] as const
) {
  Deno.test(name, () => {
    const wrong = listed(table).flatMap(([tone, status]) => {
      const judged = judgeWords(status);
      return (judged?.tone ?? "unknown") === tone ? [] : [
        `${status}: ${judged ? `${judged.tone}, because ${judged.rule}` : "unknown"}, not ${tone}`,
      ];
    });
    assertEquals(wrong, []);
  });
}

/** Each rule, and statuses that it decides. */
const RULES: Readonly<Record<string, readonly string[]>> = {
  "a word of stopping wins": ["Done - Won't fix", "キャンセル", "Released (deprecated)"],
  "closed though it is not done": ["Closed Incomplete", "Closed, unresolved"],
  "a share counts": ["0% done", "80%", "100%"],
  "work is done on it now, or it is long out": [
    "Work in progress",
    "Post-launch review",
    "В работе",
  ],
  "what is denied or to come is not released": ["Not yet released", "GA in March", "Ready to ship"],
  "a part, a stop on the way, or a part of the people is not all": ["Beta", "Shipped internally"],
  "released, or finished with nothing else said": ["GA", "Done (v2)", "Discovery complete"],
  "on its way, or not begun": ["Launch", "New idea", "Now"],
};

Deno.test("Each rule about the words of a status decides some", () => {
  for (const [rule, statuses] of Object.entries(RULES)) {
    for (const status of statuses) {
      assertEquals([status, judgeWords(status)?.rule], [status, rule]);
    }
  }
});

Deno.test("A stopping resolution stops whatever has begun, whatever word its status has", () => {
  const cases = [
    ["RESOLVED", "WONTFIX", "stopped"],
    ["VERIFIED", "DUPLICATE", "stopped"],
    ["VERIFIED", "FIXED", "in_progress"],
    ["RESOLVED", "FIXED", "shipped"],
    ["RESOLVED", "WORKSFORME", "stopped"],
    ["CLOSED", "MOVED", "stopped"],
    ["In progress", "Declined", "stopped"],
    ["Wave 2", "Won't Do", "stopped"],
    ["NEW", "---", "planned"],
    ["To Do", "Won't Do", "planned"],
  ] as const;
  for (const [status, resolution, tone] of cases) {
    assertEquals([status, resolution, decideTone(status, { resolution }).tone], [
      status,
      resolution,
      tone,
    ]);
  }
});

testOnDatabases("A release whose status nobody knows is overdue nowhere", async (database) => {
  const past = (number: number, feature_name: string, release_status: string) =>
    makeItem(number, { feature_name, release_status, release_date: "Q1 2026" });
  const items = [past(1, "Late thing", "Planned"), past(2, "Odd thing", "Waved 2")];
  await using app = await serve(database, items);
  const paths = [
    "/?",
    "/?view=board&from=Q1%202026&",
    "/search.json?",
    "/api/releases?",
    "/api/changes?",
    "/rss.xml?",
    "/calendar.ics?",
  ];
  for (const path of paths) {
    const text = await (await app.fetch(`${path}due=overdue`)).text();
    assertEquals([path, text.includes("Late thing"), text.includes("Odd thing")], [
      path,
      true,
      false,
    ]);
  }
  const { quarters } = await app.json("/search.json");
  assertEquals(quarters, [{ quarter: "Q1 2026", shipped: 0, planned: 1, unknown: 1 }]);
  const { board } = await app.json("/search.json?view=board&release_date_from=Q1%202026");
  const groups = board.columns.flatMap((
    column: { groups: { standing: string; total: number }[] },
  ) => column.groups.map(({ standing, total }) => [standing, total]));
  assertEquals(groups, [["overdue", 1], ["unclear", 1]]);
  await importItems(database, items.map((item) => ({ ...item, release_date: "Q3 2026" })));
  const insights = await app.json("/api/insights");
  assertEquals([insights.shipped.planned, insights.moved.total], [1, 1]);
});
