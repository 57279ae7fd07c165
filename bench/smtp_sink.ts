/**
 * A mail server that takes every mail and forgets it; it prints its port. With a file as argument it
 * notes each mail there: when it came, its Message-ID and its receiver, parted by blanks.
 */
const [path] = Deno.args;
const notes = path === undefined ? null : await Deno.open(path, { append: true, create: true });
const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
console.log(JSON.stringify({ port: listener.addr.port }));
for await (const connection of listener) void converse(connection).catch(() => {});

/** RFC 5321, as far as a client that sends without pipelining goes. */
async function converse(connection: Deno.Conn): Promise<void> {
  const say = (line: string) => connection.write(new TextEncoder().encode(`${line}\r\n`));
  await say("220 sink");
  let text = "";
  let isData = false;
  let receiver = "";
  for await (const chunk of connection.readable.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    while (true) {
      const end = isData ? text.indexOf("\r\n.\r\n") : text.indexOf("\r\n");
      if (end < 0) break;
      const command = text.slice(0, end);
      text = text.slice(end + (isData ? 5 : 2));
      const wasData: boolean = isData;
      isData = !wasData && command.toUpperCase() === "DATA";
      if (wasData) note(command, receiver);
      else receiver = /^RCPT TO:<(.*?)>/i.exec(command)?.[1] ?? receiver;
      if (isData) await say("354 go on");
      else if (!wasData && command.toUpperCase() === "QUIT") return await bye(connection);
      else await say("250 ok");
    }
  }
}

function note(mail: string, receiver: string): void {
  const id = /^Message-ID: <(.*?)@/im.exec(mail)?.[1] ?? "none";
  notes?.writeSync(new TextEncoder().encode(`${Date.now()} ${id} ${receiver}\n`));
}

async function bye(connection: Deno.Conn): Promise<void> {
  await connection.write(new TextEncoder().encode("221 bye\r\n"));
}
