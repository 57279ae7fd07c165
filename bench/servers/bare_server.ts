/**
 * The baseline of cached responses: a bare `Deno.serve` that returns one response. Reads the
 * response as JSON from its input and prints its port.
 */
interface Answer {
  status: number;
  headers: Record<string, string>;
  /** Base64; null: no body */
  body: string | null;
}

const { status, headers, body }: Answer = await new Response(Deno.stdin.readable).json();
const bytes = body === null ? null : Uint8Array.fromBase64(body);
const server = Deno.serve(
  { port: 0, hostname: "127.0.0.1", onListen: () => {} },
  () => new Response(bytes, { status, headers }),
);
console.log(server.addr.port);
