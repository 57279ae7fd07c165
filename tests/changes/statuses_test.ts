import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { bringUpToDate } from "../../commands/command.ts";
import { readMigrations } from "../../lib/database/migrate.ts";
import { sql } from "../../lib/database/sql.ts";
import { decideTone } from "../../lib/roadmap/status_tone.ts";
import { importItems, makeItem, serve, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";

/** Statuses that commas part. */
const listIn = (text: string) => text.split(",").map((status) => status.trim());

/**
 * The default statuses of Jira, Azure DevOps, Linear, GitHub, GitLab, Notion, Monday, Asana, Aha!,
 * Productboard, Trello and ClickUp, and what else people write; those of Jira in its languages too.
 */
const STATUSES: Readonly<Record<string, readonly string[]>> = {
  // Nobody works on it yet, whatever is announced, asked for or denied.
  planned: listIn(`
    Launch TBD, GA TBA, Zurückgestellt, To Do, TO DO, Todo, ToDo, Backlog, Open, Reopened, New,
    Selected for Development, Ready for development, Ready to develop, Ready to start, Not started,
    Not Started, NOT_STARTED, Unstarted, Unreleased, Not available, Not yet available,
    Not yet released, Not released, To be released, To be shipped, Coming soon, Planned,
    In planning, Planning, Under consideration, Future consideration, Under review, Needs review,
    Proposed, Approved, Triage, Idea, New idea, Candidate, Discovery, Parking lot,
    Unlikely to implement, Likely to implement, Release planned, Planned release,
    Scheduled for release, Upcoming release, Next release, Delivery planned, Launch Q3 2027,
    GA Q4 2026, GA planned, Beta planned, Planned for beta, Upcoming beta, Next, Later, Accepted,
    Requested, Feature requested, Release requested, Unavailable, Not live, Not done, Incomplete,
    Unresolved, Not yet planned, Unplanned, Unscheduled, Not in progress, Not active, Yet to start,
    Awaiting approval, Pending approval, Waiting for triage, Ready, Draft, In discovery,
    In backlog, Next up, Available soon, Launching soon, Coming in Q3, Will be released,
    Future steps, Deferred, Not cancelled, Open for voting, Exploring, 0%, 0% done, In refinement,
    Zu erledigen, Offen, Geplant, Für Entwicklung ausgewählt, Nicht begonnen,
    Noch nicht veröffentlicht, Nicht verfügbar, Unveröffentlicht, In Planung, Demnächst,
    Wieder geöffnet, À faire, A faire, Ouvert, Prévu, Planifié, Bientôt disponible, Pas commencé,
    Non disponible, Pas encore publié, Sélectionné pour le développement, Por hacer, Abierto,
    Planificado, No iniciado, No disponible, Próximamente, Sin empezar,
    Seleccionado para desarrollo, Pendiente, Tareas por hacer, A fazer, Tarefas pendentes, Aberto,
    Não iniciado, Em breve, Planejado, Indisponível, Selecionado para desenvolvimento, Te doen,
    Gepland, Niet gestart, Nog niet uitgebracht, Niet beschikbaar, Binnenkort,
    Geselecteerd voor ontwikkeling, Heropend, 0 of 5 done, 0/5
  `),
  // Work has begun, waits for its release, is held up, or is there for some only.
  in_progress: [
    ...listIn(`
    Aktiv, Actif, Activo, Attivo, In Realisierung, In Erprobung, En construcción, En ejecución,
    In lavorazione, Onder constructie, Wordt ontwikkeld, Under utveckling, In the works, In sprint,
    Feature complete, In Progress, IN PROGRESS, InProgress, in_progress, In progress 🚧, Doing,
    Working on it, Active, On track, At risk, Off track, In Review, In review, Code review, QA,
    In QA, Testing, In Testing, UAT, In UAT, On hold, Paused, Blocked, Stuck, Delayed, Postponed,
    Rolling out, In development, Under development, Development, In Dev, WIP, Work in progress,
    Started, Building, Ready to ship, Ready for release, Ready for launch, Ready to release,
    Ready for QA, Ready for review, Ready for production, Release candidate, RC1, Awaiting release,
    Pending release, Pending Deploy, Waiting for review, Awaiting deployment, Partially shipped,
    Partially released, Shipped to beta, Public preview, Private preview, In preview, Preview,
    Beta, Open beta, Closed beta, Alpha, Early access, Limited availability, Development complete,
    Dev complete, Code complete, Dev done, QA passed, Testing complete, Design complete, In design,
    Merged, Deployed to staging, Done in staging, Committed, Underway, Ongoing,
    Waiting for customer, Rolled back, Reverted, Completed but not yet released, 50% done, 80%,
    Almost done, Phased rollout, Rollout, Pre-release, Release, Launch, Now, Developed, Tested,
    Staged, Soft launch, In pilot, Not ready but started, Shipping, Release delayed, Delivery,
    In Arbeit, In Bearbeitung, In Entwicklung, In Prüfung, Wird überprüft, In Überprüfung,
    Pausiert, Verschoben, Bereit zur Veröffentlichung, En cours, En développement, En révision,
    En pause, En curso, En progreso, En desarrollo, En revisión, En espera, Em andamento,
    Em progresso, Em desenvolvimento, Em revisão, Em análise, In uitvoering, Bezig,
    In ontwikkeling, Wordt getest, In behandeling, In de wacht, 2 of 5 done, 3/5 done, Done (3/5),
    2 von 5 erledigt, 4 sur 5 terminé, Step 2 of 5, 99 of 100 shipped, Hardening, Rework,
    Reworking, Resumed, Restarted, Refactoring, Testing in production
  `),
    "Done, not released",
    "Fixed, not yet released",
  ],
  // Everybody has it.
  shipped: listIn(`
    En production, En producción, Em produção, In produzione, In productie, Mis en production,
    Disponibile, Achieved, Done, DONE, Done ✅, ✅ Done, done!, Completed, Complete, Closed,
    Resolved, Shipped, Shipped 🚀, Released, Launched, Live, GA, GA (US only), Generally available,
    General availability, Available, Available now, Now available, Delivered, Deployed,
    Deployed to production, In production, Finished, Fixed, Implemented, Published, Rolled out,
    Fully rolled out, Rollout complete, 100%, Released in 2.3, Shipped Q3 2026, Already exists,
    Done done, Now live, Released to all, Fertig, Erledigt, Geschlossen, Abgeschlossen,
    Veröffentlicht, Ausgeliefert, Verfügbar, Gelöst, Umgesetzt, Terminé, Terminée, Terminé(e),
    Résolu, Fermé, Livré, Publié, Disponible, Déployé, Listo, Hecho, Finalizada, Cerrado, Resuelto,
    Publicado, Lanzado, Completado, Terminado, Concluído, Concluída, Feito, Fechado, Resolvido,
    Lançado, Entregue, Itens concluídos, Disponível, Gereed, Klaar, Voltooid, Afgerond, Gesloten,
    Opgelost, Uitgebracht, Beschikbaar, 5 of 5 done, 5/5 done, Verified in production,
    Validated in prod, Tested in production, Merged to production, Shipped 3/5
  `),
  // It is over, and nothing comes of it; a word of this wins over all others.
  stopped: [
    ...listIn(`
    Descoped, De-scoped, Cut from scope, No plans, Cancelled, Canceled, CANCELLED ❌, Cancelling,
    Won't do, Won't Do, Won’t fix, Wont fix, Won't Fix, WONTFIX, Will not implement, Not planned,
    not_planned, Removed, Duplicate, Duplicated, Closed as duplicate, Closed (won't fix),
    Closed - not planned, Declined, Rejected, Abandoned, Discontinued, Deprecated, Retired,
    Obsolete, Dropped, Archived, Withdrawn, No longer planned, Out of scope, Cannot reproduce,
    Can't reproduce, End of life, Released (deprecated), Not doing, Scrapped, Killed, Invalid,
    By design, Abgebrochen, Abgelehnt, Storniert, Verworfen, Wird nicht umgesetzt, Nicht geplant,
    Duplikat, Eingestellt, Annulé, Rejeté, Abandonné, Refusé, Supprimé, Doublon, Ne sera pas fait,
    Cancelado, Rechazado, Descartado, Duplicado, No se hará, Rejeitado, Removido, Não será feito,
    Geannuleerd, Afgewezen, Vervallen, Verwijderd, Wordt niet gedaan, Closed Incomplete,
    Closed as incomplete, Closed - unresolved, Closed unreleased, Phased out, Phasing out,
    Turned off, Switched off, Called off, Ruled out, Wound down, Not viable, Not moving forward,
    Not feasible, Not worth it, Not actionable, Not valid, Unnecessary, Nicht machbar,
    No es viable, Não viável
  `),
    "Closed, no action",
  ],
  // No word of it is known: it counts as planned, and the dry run says so.
  unknown: listIn(`
    Waved 2, Foo, ✅, constructor, __proto__, No Status, Q3, Widgets
  `),
};

Deno.test("A status counts as what its words say", () => {
  for (const [tone, statuses] of Object.entries(STATUSES)) {
    const expected = tone === "unknown" ? { tone: "planned", by: "unknown" } : { tone, by: "word" };
    for (const status of statuses) assertEquals([status, decideTone(status)], [status, expected]);
  }
});

Deno.test("Neither case nor signs change what a status counts as", () => {
  for (const status of Object.values(STATUSES).flat()) {
    const { tone } = decideTone(status);
    const spaced = status.replaceAll(" ", "\u00a0");
    for (const other of [`🚀 ${status}!`, status.normalize("NFD"), `[${spaced}]`]) {
      assertEquals([other, decideTone(other).tone], [other, tone]);
    }
    // "ToDo" is two words, "TODO" one.
    const isJoined = /\p{Ll}\p{Lu}/u.test(status);
    if (!isJoined) assertEquals([status, decideTone(status.toUpperCase()).tone], [status, tone]);
  }
});

Deno.test("A mapping decides before the source's category, and that before the words", () => {
  const tones = { "in qa": "shipped" } as const;
  const cases = [
    ["In QA", { tones, category: "To Do" }, "shipped", "mapping"],
    ["In QA", { category: "To Do" }, "planned", "category"],
    ["In QA", { category: "new" }, "planned", "category"],
    ["Waved 2", { category: "indeterminate" }, "in_progress", "category"],
    ["Waved 2", { category: "In Arbeit" }, "in_progress", "category"],
    ["Waved 2", { category: "Done" }, "shipped", "category"],
    ["Waved 2", { category: "Done", resolution: "Won't Do" }, "stopped", "category"],
    ["Waved 2", { category: "Done", resolution: "Cannot Reproduce" }, "stopped", "category"],
    ["Waved 2", { category: "Done", resolution: "Duplikat" }, "stopped", "category"],
    ["Waved 2", { category: "Done", resolution: "Incomplete" }, "stopped", "category"],
    ["Waved 2", { category: "Done", resolution: "Fixed" }, "shipped", "category"],
    ["Closed", { resolution: "Won't Fix" }, "stopped", "category"],
    ["Closed", { resolution: "Unresolved" }, "shipped", "word"],
    ["To Do", { resolution: "Won't Fix" }, "planned", "word"],
    // Jira keeps what was called off among what is done.
    ["Cancelled", { category: "Done" }, "stopped", "word"],
    ["Waved 2", { category: "undefined" }, "planned", "unknown"],
    ["Waved 2", { category: "unstarted" }, "planned", "category"],
    ["Waved 2", { category: "canceled" }, "stopped", "category"],
    ["Waved 2", { category: "InProgress" }, "in_progress", "category"],
    ["In progress", { category: "open" }, "in_progress", "word"],
    ["Planned", { category: "closed" }, "shipped", "category"],
    ["Planned", { category: "closed", resolution: "not_planned" }, "stopped", "category"],
    ["constructor", { tones: {} }, "planned", "unknown"],
    ["__proto__", { tones }, "planned", "unknown"],
    ["constructor", { category: "constructor", resolution: "toString" }, "planned", "unknown"],
  ] as const;
  for (const [status, hints, tone, by] of cases) {
    assertEquals([status, hints, decideTone(status, hints)], [status, hints, { tone, by }]);
  }
});

testOnDatabases(
  "A status named like a part of JavaScript is imported as any other",
  async (database) => {
    const names = ["constructor", "__proto__", "toString", "hasOwnProperty"];
    const items = names.map((name, number) => makeItem(number + 1, { release_status: name }));
    await using app = await serve(database, items);
    const { items: found } = await app.json("/search.json");
    assertEquals(found.map(({ tone }: { tone: string }) => tone), names.map(() => "planned"));
  },
);

testOnDatabases(
  "An upgrade judges statuses again, also of the past, as news to nobody",
  async (database) => {
    const take = (release_status: string, asOf: string) =>
      importItems(database, [makeItem(1, { release_status })], { asOf });
    await take("Planned", "2026-07-10");
    await take("2 of 5 done", "2026-07-15");
    await take("5 of 5 done", "2026-07-18");
    await using app = await startApp(database);
    const look = async () => {
      const { items } = await app.json("/search.json");
      const { shipped } = await app.json("/api/insights");
      return {
        tones: items.map(({ tone }: { tone: string }) => tone),
        delivered: shipped.releases.map((one: { delivered_on: string }) => one.delivered_on),
        kinds: await database.query(sql`select kinds_by_day from change_entries order by entry_id`),
        changes: (await app.json("/api/changes")).data.length,
      };
    };
    const right = await look();
    assertEquals(right.delivered, ["2026-07-18"]);
    // A former version took the fraction for an end, and whole fractions for words it did not know.
    await database.script(`
      update item_rows set tone = 'planned', tone_by = 'unknown';
      update changes set tone_after = 'shipped' where new_value = '2 of 5 done';
      update changes set tone_before = 'shipped', tone_after = 'planned'
      where new_value = '5 of 5 done';
      update change_entries set tone_after = 'shipped', kinds_by_day = '{shipped}'
      where tone_after = 'in_progress';
      update change_entries
      set tone_before = 'shipped', tone_after = 'planned', kinds_by_day = '{edited}'
      where tone_before = 'in_progress';
      update service_state set data_version = data_version + 1;
    `);
    await bringUpToDate(database, await readMigrations());
    assertEquals(await look(), right);
    // A word for the same is no release that ships once more.
    await take("Done", "2026-07-20");
    const [entry] = await database.query<{ kinds: string[] }>(
      sql`select kinds_by_day as kinds from change_entries order by entry_id desc limit 1`,
    );
    assertEquals(entry!.kinds, ["edited"]);
  },
);
