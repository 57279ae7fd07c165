import { MB } from "../../../lib/config/config.ts";
import {
  describeBrought,
  importSubscribers,
  previewSubscribers,
} from "../../../lib/delivery/subscriptions/import_subscribers.ts";
import {
  readSubscriberFile,
  type SubscriberFile,
  SubscriberFileError,
} from "../../../lib/delivery/subscriptions/subscriber_file.ts";
import { readParts } from "../../../lib/http/requests/multipart.ts";
import { readUpload } from "../../../lib/http/requests/upload.ts";
import { Problem } from "../../../lib/http/responses/problem.ts";
import { decodeText } from "../../../lib/import/fetching/decode_text.ts";
import { SnapshotError } from "../../../lib/import/snapshot_error.ts";
import { sitesOf } from "../../../lib/roadmap/sites.ts";
import { countOf } from "../../../lib/text/phrases.ts";
import { PostForm } from "../../../lib/ui/admin/parts.tsx";
import { collectBytes } from "../../../lib/work/byte_streams.ts";
import type { ActionConfig, ActionHandlers } from "../../route.ts";
import { goTo, operated, operatorRoute, showPage } from "../(_components)/operator.tsx";

export const config: ActionConfig = {
  errors: "page",
  summary: {
    GET: "For operators: the form to bring subscribers along",
    POST: "Says who of a file of subscribers would get an email, and sends these",
  },
};

/** The text of a file is three times as long where all of it is encoded. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The form to bring the subscribers of another service along; the form after it sends the file again. */
const { GET, POST: invite } = operated({
  page: () => ({
    title: "Import subscribers",
    place: "/subscribers",
    children: (
      <form method="post" enctype="multipart/form-data">
        <p>
          A CSV file of another service, a list of addresses, or what "Download all as CSV" wrote.
          Each new address gets one email to confirm. Addresses that are known here, have
          unsubscribed or rejected emails stay as they are. You check who gets one before anything
          is sent.
        </p>
        <div class="field">
          <label for="file">File</label>
          <input id="file" name="file" type="file" required />
        </div>
        <p>
          <button type="submit">Upload and check</button>
        </p>
      </form>
    ),
  }),
  limits: { maxBytes: MAX_BYTES },
  actions: {
    /** The audit log has their number, and no address. */
    invite: {
      says: "The emails to confirm are being sent.",
      async run(_, { context: { services }, note }, sent) {
        const file = readSubscriberText(sent.get("text") ?? "");
        const { databaseForJobs, config, clock } = services;
        const { invited } = await importSubscribers(databaseForJobs, file, {
          variants: sitesOf(config).map(({ variant }) => variant.name),
          now: clock(),
        });
        await note("imported subscribers", countOf(invited, "email"));
        return { to: "/admin/subscribers" };
      },
    },
  },
});

/** Shows what an import of the file would do; the form beneath sends the file again. */
const preview = operatorRoute(async (visit) => {
  const { request, context } = visit;
  const { services } = context;
  const text = await readFileOf(request, services.config.ROADMAP_MAX_MB * MB);
  if (text === null) return goTo("/admin/subscribers/import", context);
  const file = readSubscriberText(text);
  const brought = await previewSubscribers(services.database, file);
  return await showPage(visit, {
    title: "Import subscribers",
    place: "/subscribers",
    back: ["/admin/subscribers/import", "Another file"],
    children: (
      <>
        <ul>
          {describeBrought(file, brought, { isDone: false }).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
        {brought.invited > 0 && (
          <PostForm
            does="invite"
            fields={{ text }}
            button="Send emails to confirm"
            weight="first"
          />
        )}
      </>
    ),
  });
});

export const handler: ActionHandlers = {
  GET,
  POST: {
    ...invite!,
    answer(request, client, context) {
      const isFile = request.headers.get("content-type")?.startsWith("multipart/form-data");
      return (isFile ? preview : invite!).answer(request, client, context);
    },
  },
};

/** Reads the text of a file of subscribers. @throws {Problem} 400 that says what is wrong */
function readSubscriberText(text: string): SubscriberFile {
  try {
    return readSubscriberFile(text);
  } catch (error) {
    if (error instanceof SubscriberFileError) throw new Problem(400, error.message);
    throw error;
  }
}

/** The text of the file of a form; null: none was chosen. @throws {Problem} */
async function readFileOf(request: Request, maxBytes: number): Promise<string | null> {
  const { chunks } = readUpload(request, { types: ["multipart/form-data"], maxBytes });
  for await (const part of readParts(request.headers.get("content-type")!, chunks)) {
    const bytes = await collectBytes(part.chunks, maxBytes, () => {
      throw new Problem(413, `The file must have at most ${maxBytes / MB} MB`);
    });
    if (part.fileName === null || bytes.length === 0) continue;
    try {
      return decodeText({ shown: "the file", bytes, charset: null });
    } catch (error) {
      if (error instanceof SnapshotError) throw new Problem(400, error.message);
      throw error;
    }
  }
  return null;
}
