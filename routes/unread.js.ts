import { OWN_ACCENT } from "../lib/config/accent.ts";
import type { ReadConfig, ReadHandlers } from "./route.ts";
import { language, say } from "../lib/text/messages.ts";

export const config: ReadConfig = {
  cache: "data",
  errors: "json",
  summary: "A bell for pages of other sites, with the number of changed releases",
};

export const handler: ReadHandlers = {
  GET: {
    isOn: ({ EMBED_ORIGINS }) => EMBED_ORIGINS.length > 0,
    read: (_input, { services: { config, assets }, site }) => ({
      normalised: null,
      build() {
        const { light, dark } = config.accent ?? OWN_ACCENT;
        const { tag, plurals } = language();
        const changed = Object.fromEntries(
          plurals.resolvedOptions().pluralCategories.map((category) => [
            category,
            say("unread.changed", { name: config.SITE_NAME, number: "#", category }),
          ]),
        );
        const settings = JSON.stringify({
          base: site.url,
          name: config.SITE_NAME,
          origins: config.EMBED_ORIGINS,
          light,
          dark,
          lang: tag,
          changed,
        });
        const [name = ""] = assets.scriptsOf("unread");
        const script = assets.find(name)?.body ?? "";
        return Promise.resolve({
          contentType: "text/javascript; charset=utf-8",
          body: `(ROADCAST=>{${script}})(${settings});\n`,
        });
      },
    }),
  },
};
