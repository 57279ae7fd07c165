import { type Running, startProgram } from "./servers/process.ts";

/** A bare handler that returns what the service on this port answers to a request. */
export async function startBareHandler(port: number, request: string): Promise<Running> {
  const { status, headers, body } = await readAnswer(port, request);
  const input = JSON.stringify({ status, headers, body: body?.toBase64() ?? null });
  return await startProgram(["bench/servers/bare_server.ts"], { input });
}

/** One response as received, not decompressed. */
async function readAnswer(port: number, request: string) {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(
    new TextEncoder().encode(request.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")),
  );
  const bytes = new Uint8Array(await new Response(connection.readable).arrayBuffer());
  const text = new TextDecoder("latin1").decode(bytes);
  const headEnd = text.indexOf("\r\n\r\n");
  const [statusLine, ...lines] = text.slice(0, headEnd).split("\r\n");
  const status = Number(statusLine!.split(" ")[1]);
  return {
    status,
    headers: Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)])
        // `Deno.serve` adds these itself.
        .filter(([name]) => !/^(date|connection|content-length)$/i.test(name!)),
    ),
    body: status === 304 ? null : bytes.subarray(headEnd + 4),
  };
}
