/** The first message of a connection (PostgreSQL, 54.7, "Message Formats"). */
const SSL_REQUEST = 80877103;
const STARTUP = 196608;

/**
 * A PostgreSQL on loopback that refuses everyone: it does not support TLS, and responds to every
 * new connection with an error.
 */
export function startRefusingPostgres(
  { code, message }: { code: string; message: string },
): { url: string } & AsyncDisposable {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const connections = new Set<Deno.TcpConn>();
  const serving = (async () => {
    for await (const connection of listener) {
      connections.add(connection);
      refuse(connection, formatError({ code, message })).catch(() => {});
    }
  })();
  return {
    url: `postgres://roadcast:secret@127.0.0.1:${listener.addr.port}/roadcast`,
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const connection of connections) tryClose(connection);
      await serving;
    },
  };
}

async function refuse(connection: Deno.TcpConn, error: Uint8Array): Promise<void> {
  const buffer = new Uint8Array(10_000);
  while (await connection.read(buffer) !== null) {
    const code = new DataView(buffer.buffer).getInt32(4);
    if (code === SSL_REQUEST) await connection.write(new TextEncoder().encode("N"));
    if (code === STARTUP) await connection.write(error);
    if (code !== SSL_REQUEST) break;
  }
  tryClose(connection);
}

/** An ErrorResponse: each of its fields starts with a letter and ends with NUL. */
function formatError({ code, message }: { code: string; message: string }): Uint8Array {
  const fields = new TextEncoder().encode(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const bytes = new Uint8Array(5 + fields.length);
  bytes[0] = "E".charCodeAt(0);
  new DataView(bytes.buffer).setInt32(1, 4 + fields.length);
  bytes.set(fields, 5);
  return bytes;
}

function tryClose(connection: Deno.TcpConn): void {
  try {
    connection.close();
  } catch {
    // The client was faster.
  }
}
