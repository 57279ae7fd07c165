import PostalMime, { type Email } from "postal-mime";
import { generate } from "selfsigned";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

/** An email as received by a server. */
export interface ReceivedMail extends Email {
  /** The addresses of the envelope. */
  envelopeTo: string[];
  envelopeFrom: string;
  /** Whether the connection was encrypted, and the `user` it was logged in as. */
  secure: boolean;
  user: string | undefined;
  /** The raw source. */
  raw: string;
}

/** A mail server on loopback. */
export interface MailServer extends AsyncDisposable {
  readonly port: number;
  /** The value of SMTP_URL that leads to it. */
  readonly url: string;
  readonly received: ReceivedMail[];
  /** Waits until this number of emails has been received in total. */
  receive(count: number): Promise<ReceivedMail[]>;
}

/** Starts a mail server that accepts everything by default. */
export async function startMailServer(
  { port = 0, ...options }: SMTPServerOptions & { port?: number } = {},
): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const waiting: (() => void)[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: options.key ? [] : ["STARTTLS"],
    disableReverseLookup: true,
    closeTimeout: 100,
    async onData(stream, session, done) {
      const chunks: Uint8Array[] = [];
      try {
        for await (const chunk of stream) chunks.push(chunk);
      } catch (error) {
        return done(error as Error); // the connection broke
      }
      const raw = new TextDecoder().decode(Buffer.concat(chunks));
      received.push({
        ...await PostalMime.parse(raw),
        raw,
        envelopeTo: session.envelope.rcptTo.map(({ address }) => address),
        envelopeFrom: session.envelope.mailFrom ? session.envelope.mailFrom.address : "",
        secure: session.secure,
        user: session.user as string | undefined,
      });
      done();
      for (const wake of waiting.splice(0)) wake();
    },
    ...options,
  });
  server.on("error", () => {}); // some tests are about clients that disconnect
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", () => resolve()));
  const listening = (server.server.address() as { port: number }).port;
  return {
    port: listening,
    url: `${options.secure ? "smtps" : "smtp"}://127.0.0.1:${listening}`,
    received,
    async receive(count) {
      while (received.length < count) {
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
      return received;
    },
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Creates a self-signed certificate for 127.0.0.1. */
export async function makeCertificate(): Promise<{ key: string; cert: string }> {
  const { private: key, cert } = await generate([{ name: "commonName", value: "127.0.0.1" }], {
    algorithm: "sha256",
    extensions: [{
      name: "subjectAltName",
      altNames: [{ type: 7, ip: "127.0.0.1" }, { type: 2, value: "localhost" }],
    }],
  });
  return { key, cert };
}

/** The link in an email to a path such as `/verify-email`. */
export function linkOf({ text = "" }: { text?: string }, path: string): string {
  const link = text.split(/\s+/).find((word) =>
    word.includes(`${path}?token=`) && !word.includes("&cadence=")
  );
  if (!link) throw new Error(`No link to ${path} in: ${text}`);
  return link;
}
