import { setTimeout as delay } from "node:timers/promises";

/** Nothing comes any more where nothing has come for so long. */
const IDLE_MS = 10_000;

/** A mail server that takes every mail and forgets it, and so many milliseconds for each answer. */
export function startSmtpSink(answerMs: number) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const receivers = new Set<string>();
  let received = 0;
  void serve();

  async function serve(): Promise<void> {
    for await (const connection of listener) void converse(connection).catch(() => {});
  }

  /** RFC 5321, as far as a client that sends without pipelining goes. */
  async function converse(connection: Deno.Conn): Promise<void> {
    const say = async (line: string) => {
      await delay(answerMs);
      return await connection.write(new TextEncoder().encode(`${line}\r\n`));
    };
    await say("220 sink");
    let text = "";
    let isData = false;
    for await (const chunk of connection.readable.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      while (true) {
        const end: number = isData ? text.indexOf("\r\n.\r\n") : text.indexOf("\r\n");
        if (end < 0) break;
        const command: string = text.slice(0, end).toUpperCase();
        text = text.slice(end + (isData ? 5 : 2));
        const wasData: boolean = isData;
        isData = !wasData && command === "DATA";
        if (command.startsWith("RCPT")) receivers.add(command);
        if (wasData) received++;
        if (isData) await say("354 go on");
        else if (wasData || command !== "QUIT") await say("250 ok");
        else return void await say("221 bye");
      }
    }
  }

  return {
    port: listener.addr.port,
    get received() {
      return received;
    },
    /** How many emails went to somebody who had one before. */
    get repeated() {
      return Math.max(0, received - receivers.size);
    },
    /** Emails a second, for so long or until none has come for a while. */
    async rate(milliseconds: number): Promise<number> {
      const [first, started] = [received, performance.now()];
      let last = { received, at: started };
      while (performance.now() - started < milliseconds && performance.now() - last.at < IDLE_MS) {
        await delay(50);
        if (received > last.received) last = { received, at: performance.now() };
      }
      return (last.received - first) / Math.max(1, last.at - started) * 1000;
    },
    [Symbol.asyncDispose]: () => Promise.resolve(listener.close()),
  };
}
