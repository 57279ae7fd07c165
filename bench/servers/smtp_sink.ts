/**
 * A mail server that takes every mail and forgets it; it prints its port. It takes as many milliseconds
 * for an answer as its first argument says.
 */
const delayMs = Number(Deno.args[0] ?? 0);
const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
console.log(JSON.stringify({ port: listener.addr.port }));
for await (const connection of listener) void converse(connection).catch(() => {});

/** RFC 5321, as far as a client that sends without pipelining goes. */
async function converse(connection: Deno.Conn): Promise<void> {
  const say = async (line: string) => {
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
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
      if (isData) await say("354 go on");
      else if (wasData || command !== "QUIT") await say("250 ok");
      else return void await say("221 bye");
    }
  }
}
