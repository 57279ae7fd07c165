import { withBounceMailbox } from "../delivery/bounces/bounce_mailbox.ts";
import { readRefusingHosts } from "../delivery/outbox/listed_mails_sql.ts";
import { openMailer } from "../delivery/mail/mailer.ts";
import { adviseSignIn, describeOffer } from "../delivery/mail/sign_in_advice.ts";
import { reasonOf } from "../delivery/mail/mail.ts";
import { AccessTokens } from "../http/outgoing/access_tokens.ts";
import { findSearchableSet } from "../search/embedding_sets_sql.ts";
import type { EmbeddingService } from "../search/embedding_service.ts";
import { describeMinSimilarity } from "../search/min_similarity.ts";
import { countOf } from "../text/phrases.ts";
import { firstLineOf } from "../expected_error.ts";
import { type Check, type CheckContext, fail, off, ok, TIMEOUT_MS } from "./check.ts";
import { sources } from "./source_checks.ts";

const mail: Check = {
  name: "mail server",
  async run({ config, database }) {
    if (config.smtp === null) return off("SMTP_URL is not set: emails are written to the log");
    const { host, username, password } = new URL(config.smtp.url);
    const hasToken = username !== "" && password === "" && config.mailOauth !== null;
    const mailer = await openMailer(config, TIMEOUT_MS);
    const { methods, error } = await mailer.verify();
    mailer.close();
    const refusing = await describeRefusing(database);
    if (error === null && refusing !== null) return fail(refusing);
    if (error === null) {
      const what = hasToken ? "the access token" : "the user and password";
      return ok([`${host} accepts ${what}`, ...describeOffer(methods)].join(". "));
    }
    const reason = `${host}: ${reasonOf(error)}`;
    const advice = adviseSignIn(methods, { hasToken, setting: "SMTP_URL" });
    const isRejected = (error as { code?: string }).code === "EAUTH";
    return fail(
      isRejected && advice.length > 0
        ? [reason, ...advice].join(". ")
        : `${reason}. Set SMTP_URL to a server that accepts emails from Roadcast`,
    );
  },
};

/** Whom a host has something against, and what to do; null where no host has. */
async function describeRefusing(database: CheckContext["database"]): Promise<string | null> {
  const opened = await database.catch(() => null);
  const [first, ...others] = (opened && await readRefusingHosts(opened).catch(() => null)) ?? [];
  if (!first) return null;
  const also = others.length > 0 ? ` So do ${others.map(({ host }) => host).join(", ")}.` : "";
  return `${first.host} rejects emails to all of its addresses (${
    countOf(first.mails, "email")
  } kept and retried for a day): ${first.reason}.${also} ` +
    "Ask the host or the blocklist that it names to accept your mail server";
}

const bounces: Check = {
  name: "bounce mailbox",
  async run({ config: { BOUNCE_MAILBOX: bounceMailbox, mailOauth } }) {
    if (bounceMailbox === null) {
      return off("BOUNCE_MAILBOX is not set: returned emails are not read");
    }
    const times = { silenceMs: TIMEOUT_MS, maxMs: TIMEOUT_MS };
    try {
      const settings = { ...bounceMailbox, tokens: mailOauth && new AccessTokens(mailOauth) };
      const { length } = await withBounceMailbox(settings, times, (mailbox) => mailbox.list());
      const { host, folder } = bounceMailbox;
      return ok(`${folder} at ${host}, ${countOf(length, "unread notification")}`);
    } catch (error) {
      return fail(`${firstLineOf(error)}. Set BOUNCE_MAILBOX to a mailbox that Roadcast can read`);
    }
  },
};

const embeddings: Check = {
  name: "embeddings",
  async run({ config: { embedding }, database }) {
    if (embedding === null) return off("OPENAI_API_KEY is not set: search is by words");
    // Its client library takes 20 MB.
    const { EmbeddingService } = await import("../search/embedding_service.ts");
    const service = new EmbeddingService(embedding);
    try {
      const limits = { timeout: TIMEOUT_MS, maxRetries: 0 };
      const [vector] = await service.embed(["Roadcast"], service, limits);
      if (!vector) throw service.zeroVector();
    } catch (error) {
      return fail(`${firstLineOf(error)}. See OPENAI_BASE_URL, OPENAI_API_KEY, EMBEDDING_MODEL`);
    }
    const minSimilarity = describeMinSimilarity({
      set: embedding.minSimilarity,
      measured: await readMeasured(database, service),
    });
    return ok(
      `${service.model} at ${service.origin}, ${service.dimensions} dimensions, ` +
        `minimum similarity ${minSimilarity}`,
    );
  },
};

/** The measured minimum similarity of a model; null: there is none, or no database to ask. */
async function readMeasured(
  database: CheckContext["database"],
  { model, dimensions }: EmbeddingService,
): Promise<number | null> {
  const opened = await database.catch(() => null);
  const set = opened && await findSearchableSet(opened).catch(() => null);
  const isOf = set?.model === model && set.dimensions === dimensions;
  return isOf ? set.min_similarity : null;
}

/** The checks of what other machines offer, in the order in which they are shown. */
export const SERVICE_CHECKS: readonly Check[] = [mail, bounces, embeddings, sources];
