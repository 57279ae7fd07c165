import { openMailer } from "../../lib/delivery/mail/mailer.ts";
import { reasonOf } from "../../lib/delivery/mail/mail.ts";
import {
  type ConfiguredSource,
  ConfiguredSources,
} from "../../lib/import/schedule/configured_sources.ts";
import { readHeaders } from "../../lib/import/schedule/source_headers.ts";
import { readLastRuns } from "../../lib/import/import_runs_sql.ts";
import { readSource } from "../../lib/import/sources/read_source.ts";
import { EmbeddingService } from "../../lib/search/embedding_service.ts";
import { firstLineOf } from "../../lib/expected_error.ts";
import { countOf } from "../../lib/text/count_of.ts";
import { type Check, type CheckContext, MAX_MS, mend, off, ok } from "./check.ts";

/** What is asked gets somewhat less time than the check, so that its own reason is shown. */
const TIMEOUT_MS = MAX_MS - 1_500;

const mail: Check = {
  name: "mail server",
  async run({ config }) {
    if (config.smtp === null) return off("SMTP_URL is not set: emails are written to the log");
    const { host } = new URL(config.smtp.url);
    const mailer = await openMailer(config, TIMEOUT_MS);
    try {
      await mailer.verify();
      return ok(`${host} accepts the user and password`);
    } catch (error) {
      return mend(
        `${host}: ${reasonOf(error)}. Set SMTP_URL to a server that accepts emails from Roadcast`,
      );
    } finally {
      mailer.close();
    }
  },
};

const embeddings: Check = {
  name: "embeddings",
  async run({ config: { embedding } }) {
    if (embedding === null) return off("OPENAI_API_KEY is not set: search is by words");
    const service = new EmbeddingService(embedding);
    try {
      await service.embed(["Roadcast"], service, { timeout: TIMEOUT_MS, maxRetries: 0 });
    } catch (error) {
      return mend(`${firstLineOf(error)}. See OPENAI_BASE_URL, OPENAI_API_KEY, EMBEDDING_MODEL`);
    }
    return ok(`${service.model} at ${service.origin}, ${service.dimensions} dimensions`);
  },
};

const sources: Check = {
  name: "sources",
  async run(patient) {
    const { current } = await ConfiguredSources.read(patient.config);
    if (current.length === 0) return off("none: import by `deno task import FILE-OR-URL`");
    const reasons = await Promise.all(current.map((source) => tryReading(source, patient)));
    const wrong = reasons.filter((reason) => reason !== null);
    if (wrong.length > 0) return mend(`${wrong.join("; ")}. See docs/sources.md`);
    const last = await describeLast(current, patient);
    return ok(`${countOf(current.length, "source")} can be read${last}`);
  },
};

/** Reads the first items; null if that is possible, otherwise why it is not. */
async function tryReading(
  { name, from, kind, fields, sheet, headers, api }: ConfiguredSource,
  { config }: CheckContext,
): Promise<string | null> {
  try {
    const portions = readSource(from, {
      headers: readHeaders(from, headers),
      userAgent: config.sourceUserAgent,
      kind,
      fields,
      sheet,
      api,
      sourceName: name,
      settings: config,
      maxBytes: config.sourceMaxBytes,
      pausesMs: [],
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await portions.next();
    await portions.return(null);
    return null;
  } catch (error) {
    return `${name}: ${firstLineOf(error)}`;
  }
}

/** How many sources the last import of failed; it may do so for what stands further on. */
async function describeLast(
  sources: readonly ConfiguredSource[],
  { database }: CheckContext,
): Promise<string> {
  const opened = await database.catch(() => null);
  if (opened === null) return "";
  const runs = await readLastRuns(opened, sources.map(({ name }) => name)).catch(() => []);
  const failed = runs.filter(({ error }) => error !== null).map(({ source_name }) => source_name);
  return failed.length > 0 ? `; the last import failed of ${failed.join(", ")}` : "";
}

/** The checks of what other machines offer, in the order in which they are shown. */
export const SERVICE_CHECKS: readonly Check[] = [mail, embeddings, sources];
