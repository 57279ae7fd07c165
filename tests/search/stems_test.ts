import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { readLanguage, speak } from "../../lib/text/messages.ts";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";

/** In each language: what is found by a question in its stems, and what its words do not stand for. */
const FOUND: Readonly<Record<string, readonly (readonly [q: string, names: string[]])[]>> = {
  de: [
    ["Verzögerungen", ["Verzögerung beim Abgleich"]],
    ["die Benachrichtigung und Freigabe", ["Benachrichtigungen für Freigaben"]],
    // English stays known: most names of products are English.
    ["restore databases", ["Restoring a database"]],
  ],
  fr: [["améliorer", ["Recherche améliorée"]], ["notifications planifiées", [
    "Notification planifiée",
  ]], ["ai", ["AI à la carte"]]],
  es: [["configuraciones", ["Configuración de permisos"]], ["informe retrasada", [
    "Informes retrasados",
  ]]],
  "pt-BR": [["notificações", ["Notificação por e-mail"]], ["versão", ["Versões antigas"]]],
  it: [["notifiche", ["Notifica per gli ospiti"]], ["ai", ["AI skills"]]],
  nl: [["meldingen van vertraging", ["Melding van vertragingen"]]],
  ar: [["إشعار", ["الإشعارات الجديدة"]], ["التأخير", ["تأخير المزامنة"]]],
  // No stems: words as they stand, their beginnings, and near spellings.
  pl: [["opóźnie", ["Opóźnienie synchronizacji"]], ["opóźnienia", ["Opóźnienie synchronizacji"]]],
  ja: [["通知", ["新しい通知機能"]], ["機能", ["新しい通知機能"]]],
};

testOnDatabases(
  "Words are found by the stems of the language, and by those of English",
  async (database) => {
    const names = Object.values(FOUND).flatMap((questions) =>
      questions.flatMap(([, found]) => found)
    );
    await importItems(
      database,
      [...new Set(names), "Anderes", "Maintain"].map((feature_name, n) =>
        makeItem(n, { feature_name, feature_description: null, product_name: "Atlas" })
      ),
    );
    try {
      for (const [tag, questions] of Object.entries(FOUND)) {
        await using app = await startApp(database, { LANGUAGE: tag });
        for (const [q, wanted] of questions) {
          const { data } = await app.json(`/api/releases?match=words&q=${encodeURIComponent(q)}`);
          const found = data.map((item: { feature_name: string }) => item.feature_name);
          const others = wanted[0]!.startsWith("AI") ? ["AI skills", "AI à la carte"] : wanted;
          assertEquals(found.toSorted(), others.toSorted(), `${tag}: ${q}`);
        }
      }
      await using app = await startApp(database);
      const found = await app.fetch("/api/releases?match=words&q=notifiche");
      assertEquals(found.headers.get("x-search-mode"), "similar", "no stem, but a near spelling");
      await found.body?.cancel();
    } finally {
      speak(readLanguage("en"));
    }
  },
);
