import { SOURCE_KINDS } from "../lib/config/source_kinds.ts";
import { WEBHOOK_KINDS } from "../lib/delivery/webhooks/webhook.ts";
import { CHANGE_KINDS } from "../lib/roadmap/changes/kinds.ts";
import { DUE_PERIODS } from "../lib/roadmap/filter/filter_values.ts";
import type { Help } from "./help.ts";

/**
 * What each command takes and what `--help` says of it, in the order in which they are listed. An
 * option is written here and nowhere else: `given.ts` reads the arguments by this table.
 */
export const HELPS = {
  serve: {
    summary: "Builds the scripts of the pages, migrates the database, and starts the server",
    usage: "deno task start [--sample]",
    words: {
      "--sample": "loads the sample roadmap also into an empty PostgreSQL",
    },
  },
  import: {
    summary: "Imports a full snapshot of a roadmap from a file or URL",
    usage:
      "deno task import FILE-OR-URL-OR-NAME [--as-of YYYY-MM-DD] [--partial] [--allow-mass-removal] " +
      "[--source KIND] [--fields FILE] [--sheet NAME] [--encoding NAME] [--source-name NAME] [--announce] [--dry-run [--json] [--write-fields FILE]]",
    takes: [1, 1],
    words: {
      "FILE-OR-URL-OR-NAME":
        "JSON, NDJSON, CSV, a spreadsheet (.xlsx), a feed, another Roadcast, a Microsoft roadmap, or the name of a configured source",
      "--as-of YYYY-MM-DD": "date of changes for which the source has none (default: today)",
      "--partial": "the snapshot is partial: items missing from it stay unchanged",
      "--allow-mass-removal":
        "accept it even if it is empty, or removes more than half, or all of a product",
      "--source KIND": `one of ${SOURCE_KINDS.join(", ")}; default: detected`,
      "--fields FILE": "JSON file that maps columns of the source to fields of an item",
      "--sheet NAME": "sheet of a spreadsheet; default: the only one with a table",
      "--encoding NAME": "encoding of its text, such as gbk; default: detected",
      "--source-name NAME":
        "name of the source; ids that are not UUIDs become UUIDs of that source",
      "--announce": "send digests and webhooks even if this is the first import of the source",
      "--dry-run":
        "stores nothing; shows how the data was read, what would be stored, and every problem",
      "--json": "with --dry-run: shows it as JSON",
      "--write-fields FILE":
        "with --dry-run: writes the mapping that was used, which --fields takes",
    },
  },
  imports: {
    summary: "Lists the imports, newest first",
    usage: "deno task imports [--limit NUMBER]",
    words: {
      "--limit NUMBER": "maximum number (20)",
    },
  },
  announcements: {
    summary: "Lists which post announces which release, or corrects one",
    usage: "deno task announcements [--reject POST | --set RELEASE POST]",
    takes: [0, 1],
    words: {
      "--reject POST": "the post, by its address, announces no release",
      "--set RELEASE POST": "the post announces this release, by its id or its exact name",
    },
  },
  sources: {
    summary: "Lists the sources with their last import, or removes the items of one",
    usage: "deno task sources [remove NAME]",
    takes: [0, 2],
    words: {
      "remove NAME":
        "removes the items of a source, and the source itself if it was added at /admin/sources",
    },
  },
  backup: {
    summary:
      "Backs up the embedded database to a file, or either database as SQL, even while the server runs",
    usage: "deno task backup [--sql [--with-secrets]] FILE",
    takes: [1, 1],
    words: {
      FILE: "a file that does not exist yet",
      "--sql":
        "writes SQL, for moving: psql or `deno task restore` loads it into an empty database",
      "--with-secrets":
        "with --sql: also writes the secrets of sources that were typed at /admin/sources",
    },
  },
  restore: {
    summary: "Restores the embedded database from a backup",
    usage: "deno task restore FILE",
    takes: [1, 1],
    words: {
      FILE:
        "a file written by `deno task backup`, also with --sql; DATA_DIR must not have a database yet",
    },
  },
  migrate: {
    summary: "Migrates the database",
    usage: "deno task migrate",
  },
  outbox: {
    summary: "Lists emails that are waiting or failed, and why",
    usage: "deno task outbox [--all] [--retry [MAIL-ID]]",
    takes: [0, 1],
    words: {
      "--all": "includes sent emails",
      "--retry": "retries all of them now",
      "--retry MAIL-ID": "retries one of them now",
    },
  },
  subscriptions: {
    summary: "Counts, exports or imports the subscriptions, or deletes all data about a person",
    usage: "deno task subscriptions [--export | --bounced | --reactivate ADDRESS | " +
      "--delete ADDRESS | import FILE [--dry-run] [--encoding NAME]]",
    takes: [0, 2],
    words: {
      "import FILE": "sends each new address of a CSV file an email to confirm",
      "--dry-run": "only says who would get one",
      "--encoding NAME": "the encoding of the file, such as windows-1252",
      "--export": "writes them as CSV",
      "--bounced": "lists addresses that rejected too many emails, and why",
      "--reactivate ADDRESS": "sends emails to such an address again",
      "--delete ADDRESS": "deletes all data about a person",
    },
  },
  webhooks: {
    summary: "Sends changes to other systems and chats",
    usage: "deno task webhooks [list] | add URL [--name NAME] [--kind KIND] [--cadence CADENCE] " +
      "[--product-name NAME]… [--release-type TYPE]… [--release-status STATUS]… [--source NAME]… [--tag GROUP:VALUE]… " +
      "[--q WORDS]… [--due PERIOD]… [--date-name NAME] [--change-kind KIND]… | " +
      "remove NAME | enable NAME | test NAME | rotate NAME | deliveries [NAME]",
    takes: [0, Infinity],
    words: {
      "list": "lists the webhooks, with their latest delivery",
      "add URL": "adds one, and prints its signing secret, which is not shown again",
      "--name NAME": "name for the other commands (the host name)",
      "--kind KIND": `${WEBHOOK_KINDS.join(", ")} (standard: signed JSON)`,
      "--cadence CADENCE": "immediate, after each import (default), or one message daily or weekly",
      "--product-name NAME": {
        repeatable: "only releases of that product; repeatable, like those below",
      },
      "--release-type TYPE": { repeatable: "only releases of that type" },
      "--release-status STATUS": { repeatable: "only releases with that status" },
      "--source NAME": { repeatable: "only releases that come from that source" },
      "--tag GROUP:VALUE": {
        repeatable: "only releases with that tag; of several groups, one of each",
      },
      "--q WORDS": { repeatable: "only releases that a search by these words finds" },
      "--due PERIOD": { repeatable: `only releases that are due then: ${DUE_PERIODS.join(", ")}` },
      "--date-name NAME": "by that named date instead of the release date",
      "--change-kind KIND": { repeatable: `only changes of that kind: ${CHANGE_KINDS.join(", ")}` },
      "remove NAME": "removes one, with its deliveries",
      "enable NAME": "enables one again, and retries waiting deliveries now",
      "test NAME": "sends a test message now, and prints the result",
      "rotate NAME": "gives one a new secret; for 24 hours the former one signs as well",
      "deliveries [NAME]": "lists the latest deliveries, of one or of all",
    },
  },
  tokens: {
    summary: "Adds, lists or removes tokens that may only import the named sources",
    usage: "deno task tokens add NAME --source SOURCE [--source …] | list | remove NAME",
    takes: [1, 2],
    words: {
      "add NAME": "adds a token and shows it, once",
      "--source SOURCE": {
        repeatable: "a source that the token may import by POST /api/import; may be repeated",
      },
      "list": "lists the tokens with their sources and the day of their last use",
      "remove NAME": "removes a token; it stops working at once",
    },
  },
  digest: {
    summary: "Emails verified subscribers what has changed since their last digest, and reminders",
    usage: "deno task digest [--cadence immediate|daily|weekly]",
    words: {
      "--cadence CADENCE": "only subscribers with this frequency: immediate, daily or weekly",
    },
  },
  embed: {
    summary: "Embeds every new or changed item, for semantic search",
    usage: "deno task embed",
  },
  search: {
    summary: "Runs a semantic search, and shows the similarity of each release",
    usage: 'deno task search "words" [--limit N]',
    takes: [1, 1],
    words: {
      '"words"': "words to search for",
      "--limit N": "maximum number of releases (20)",
    },
  },
  doctor: {
    summary: "Checks settings, database, services, disk and clock, and suggests fixes",
    usage: "deno task doctor [--json]",
    words: { "--json": "prints the results as JSON" },
  },
} as const satisfies Readonly<Record<string, Help>>;
