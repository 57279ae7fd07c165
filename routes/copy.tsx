import { byDate } from "../lib/service/services.ts";
import { z } from "zod";
import { searchAddress } from "../components/search/search_query.ts";
import { OWN_ACCENT } from "../lib/config/accent.ts";
import type { MailFragment } from "../lib/delivery/mail/mail_content.ts";
import { writeFragment } from "../lib/delivery/mail/mail_frame.ts";
import type { Content } from "../lib/http/responses/representation.ts";
import { COPY_HEADERS } from "../lib/http/responses/page_headers.ts";
import { onlyChoice, parseParameters, uuid } from "../lib/http/requests/parameters.ts";
import { Problem } from "../lib/http/responses/problem.ts";
import {
  CHANGELOG_PAGE_QUERY,
  type ChangelogPageQuery,
  changelogPageQuery,
  readChangelogPage,
} from "../lib/roadmap/changes/page_changelog.ts";
import { readDateChanges, readHistory } from "../lib/roadmap/changes/history_sql.ts";
import { Spellings } from "../lib/roadmap/filter/filter_options.ts";
import { findRelease } from "../lib/roadmap/releases.ts";
import { copyChangelog, copyRelease, copySearch } from "../lib/ui/copied.ts";
import { Layout } from "../lib/ui/layout.tsx";
import { HISTORY_LENGTH } from "../lib/ui/release_parts.tsx";
import { pageContent } from "../lib/ui/render_page.tsx";
import { answerSearch, parseSearch } from "./(_components)/read_search.ts";
import { type Context, type ReadConfig, type ReadHandlers, type ReadPlan, today } from "./route.ts";
import { say } from "../lib/text/messages.ts";
import { said } from "../lib/text/said.ts";

const COPY_QUERY = z.object({
  of: onlyChoice(["changelog"]),
  release_item_id: uuid().optional(),
});

/** Views other than the list are not copied. */
const OF_VIEWS = ["view", "from", "group"];

export const config: ReadConfig = {
  cache: "data",
  errors: "page",
  summary: "A page of the list, the changelog or one release, to paste into an email",
};

export const handler: ReadHandlers = {
  GET: {
    read(input, context): ReadPlan {
      const query = new URLSearchParams(input.query);
      for (const name of OF_VIEWS) query.delete(name);
      const { of, release_item_id } = parseParameters(COPY_QUERY, query);
      if (of !== undefined && release_item_id !== undefined) {
        throw new Problem(400, said("problem.exclude"));
      }
      if (release_item_id !== undefined) {
        const build = () => buildRelease(release_item_id, context);
        return { normalised: { release_item_id }, build };
      }
      if (of === "changelog") {
        if (!context.site.variant.hasChangelog) {
          throw new Problem(404, said("problem.no_changelog"));
        }
        const parsed = parseParameters(CHANGELOG_PAGE_QUERY, query);
        return { normalised: { of, parsed }, build: () => buildChangelog(parsed, context) };
      }
      const parsed = parseSearch({ ...input, query }, context);
      return {
        normalised: parsed.search,
        async build() {
          const { search } = parsed;
          const found = await answerSearch(parsed, { ...context, client: input.client });
          const { answer, options: _, ...lifetime } = found;
          const back = searchAddress(context.site.path, search);
          return { ...copied(copySearch(search, answer, context), back, context), ...lifetime };
        },
      };
    },
  },
};

async function buildChangelog(query: ChangelogPageQuery, context: Context): Promise<Content> {
  const { services, site } = context;
  const spellings = new Spellings(await services.listedOptions.read());
  const page = await readChangelogPage(spellings.widen(query), {
    ...byDate(services, query.date_name),
    variant: site.variant,
    today: today(services),
  });
  const back = `${site.path}/changelog${changelogPageQuery(query)}`;
  return copied(copyChangelog(query, page, context), back, context);
}

async function buildRelease(id: string, context: Context): Promise<Content> {
  const { services, site: { path, variant } } = context;
  const item = await findRelease(id, context);
  const [history, dates] = await Promise.all([
    readHistory(services.database, id, { variant, per: "modification", end: HISTORY_LENGTH }),
    readDateChanges(services.database, id),
  ]);
  const release = { item, history, dates, today: today(services) };
  return copied(copyRelease(release, context), `${path}/release/${id}`, context);
}

/** The page, from which scripts/copy.ts copies both forms. */
function copied(fragment: MailFragment, back: string, context: Context): Content {
  const { services: { config: { accent } }, site } = context;
  const { html, text } = writeFragment(fragment, {
    siteUrl: site.url,
    accent: accent ?? OWN_ACCENT,
  });
  const page = pageContent(
    <Layout title={say("copy.copy_for_email")} context={context}>
      <div class="intro">
        <h1>{say("copy.copy_for_email")}</h1>
        <p>
          {say("copy.select")} <a href={back} rel="nofollow">{say("copy.back")}</a>
        </p>
      </div>
      <div id="copy" data-copied="text/html" dangerouslySetInnerHTML={{ __html: html }} />
      <details class="copy-text">
        <summary>{say("copy.as_plain_text")}</summary>
        <pre data-copied="text/plain">{text}</pre>
      </details>
    </Layout>,
  );
  return { ...page, headers: COPY_HEADERS };
}
