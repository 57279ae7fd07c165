import { importItems } from "../app.ts";
import { makeItems, makeTable } from "./document_data.ts";
import { once, type Place } from "./document_place.ts";
import { startMailServer } from "../servers/mail_server.ts";
import { serveSource } from "../servers/source_server.ts";
import { subscribe } from "../subjects/subscribing.ts";
import { waitFor } from "../wait_for.ts";

const ADMIN_TOKEN = "an-admin-token-of-31-characters";

/** The states of examples that need a running server. */
export function makeServerStates({ stack, pathOf, write, prepare, listen, freshServer }: Place) {
  return {
    freshServer,

    /** The fresh server, once it has logged the email of a subscription. */
    loggedMail: once(async () => {
      const state = await freshServer();
      await fetch(`${state.server.url}/api/subscribe`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ email: "ann@example.com" }),
      });
      await waitFor("the mail", () => state.server.output().includes("To: ann@example.com"));
      return state;
    }),

    /** The scripts are not built; the running server has already read them. */
    unbuilt: once(async () => {
      await freshServer();
      await Deno.remove(pathOf("dist"), { recursive: true });
      return { settings: {} };
    }),

    /** A service without items that accepts snapshots. */
    takingServer: once(async () => {
      const { app, replaced } = await listen({ ADMIN_TOKEN });
      app.setClock("2026-11-20T12:00:00Z");
      await write("roadmap.csv", makeTable(2));
      return { settings: { ADMIN_TOKEN }, replaced };
    }),

    /** A service with a source that is due, and three waiting emails. */
    dueWork: once(async () => {
      const source = stack.use(serveSource(() => Response.json(makeItems(1))));
      const mail = stack.use(await startMailServer());
      const { app, replaced } = await listen({
        ADMIN_TOKEN,
        ROADMAP_SOURCE: source.url,
        SMTP_URL: mail.url,
        MAIL_FROM: "roadmap@example.com",
      });
      for (const name of ["ann", "bob", "cid"]) {
        await subscribe(app, { email: `${name}@example.com` });
      }
      return { settings: { ADMIN_TOKEN }, replaced };
    }),

    /** A roadmap in a file, already imported by another server. */
    otherServer: once(async () => {
      const { database, replaced } = await listen({});
      await importItems(database, makeItems(400));
      await write("roadmap.json", makeItems(400));
      return { settings: await prepare("copied", async () => {}), replaced };
    }),
  };
}
