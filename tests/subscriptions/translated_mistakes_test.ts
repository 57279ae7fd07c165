import { doesNotMatch, match } from "node:assert/strict";
import { LANGUAGES } from "../../lib/text/languages.ts";
import { readLanguage, say, speak } from "../../lib/text/messages.ts";
import { startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";

testOnDatabases(
  "A choice that a form does not offer is answered in the words of the site's language",
  async (database) => {
    try {
      for (const tag of LANGUAGES) {
        await using app = await startApp(database, { LANGUAGE: tag, SUBSCRIBE_LIMIT: "100" });
        for (const wrong of [["cadence", "hourly"], ["kinds", "nonsense"], ["due", "some day"]]) {
          const body = new URLSearchParams([
            ["email", "ann@example.com"],
            ["scope", "chosen"],
            wrong,
          ]);
          const answer = await app.fetch("/subscribe", { method: "POST", body });
          const [, sentence = ""] =
            /class="(?:mistake|notice problem)"[^>]*>([^<]*)</.exec(await answer.text()) ?? [];
          match(
            sentence,
            new RegExp(RegExp.escape(say("mistake.not_offered"))),
            `${tag} ${wrong[0]}`,
          );
          doesNotMatch(sentence, /immediate|shipped|next30/);
        }
      }
    } finally {
      speak(readLanguage("en"));
    }
  },
);
