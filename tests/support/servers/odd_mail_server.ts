import { type AddressInfo, createServer, type Socket } from "node:net";

/** The steps of a session at which a server answers. */
export const SMTP_STEPS = ["connect", "EHLO", "AUTH", "MAIL", "RCPT", "DATA", "body"] as const;

export type SmtpStep = (typeof SMTP_STEPS)[number];

/** An answer in full, or none: it closes the connection, or says nothing. */
export type SmtpAnswer = `${number} ${string}` | "close" | "silence";

/** An email that arrived in full, and what its sender learned of that. */
export interface ArrivedMail {
  /** The id in its Message-ID. */
  id: string;
  to: string;
  text: string;
  answer: SmtpAnswer;
}

const GOOD: Record<SmtpStep, SmtpAnswer> = {
  connect: "220 ready",
  EHLO: "250 AUTH PLAIN",
  AUTH: "235 welcome",
  MAIL: "250 ok",
  RCPT: "250 ok",
  DATA: "354 go on",
  body: "250 ok",
};

/**
 * A mail server that answers what a test decides at each step; null: what a server should. It
 * knows no more of SMTP than our sender uses.
 */
export async function startOddMailServer(
  decide: (step: SmtpStep, to: string) => SmtpAnswer | null | Promise<SmtpAnswer | null>,
) {
  const arrived: ArrivedMail[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    let [buffer, to, inBody] = ["", "", false];
    let turn = Promise.resolve();
    async function answer(step: SmtpStep, note?: (answer: SmtpAnswer) => void): Promise<void> {
      const said = await decide(step, to) ?? GOOD[step];
      note?.(said);
      if (said === "close") return void socket.destroy();
      if (said === "silence") return;
      // Clients send the text after any answer that is no refusal.
      inBody = step === "DATA" && /^[23]/.test(said);
      socket.write(`${said}\r\n`);
    }
    async function handle(): Promise<void> {
      while (!socket.destroyed) {
        const end = buffer.indexOf(inBody ? "\r\n.\r\n" : "\r\n");
        if (end < 0) return;
        const text = buffer.slice(0, end);
        buffer = buffer.slice(end + (inBody ? 5 : 2));
        if (inBody) {
          inBody = false;
          const id = /^Message-ID: <([^@]+)@/m.exec(text)?.[1] ?? "";
          await answer("body", (said) => arrived.push({ id, to, text, answer: said }));
          continue;
        }
        const step = text.replace(/^HELO/, "EHLO").split(/[ :]/)[0]!;
        to = /^RCPT TO:<([^>]*)>/.exec(text)?.[1] ?? (step === "MAIL" ? "" : to);
        if (step === "QUIT" || step === "RSET" || step === "NOOP") {
          socket.write("250 ok\r\n");
        } else await answer(step as SmtpStep);
      }
    }
    turn = turn.then(() => answer("connect"));
    socket.on("data", (bytes) => {
      buffer += bytes.toString();
      turn = turn.then(handle);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  return {
    url: `smtp://user:pass@127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
