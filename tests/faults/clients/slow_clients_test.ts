import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { testOnOneDatabase } from "../../support/fault_databases.ts";
import { startServer } from "../../support/server.ts";

const IDLE = 1_000;
const SLOW = 50;

testOnOneDatabase(
  `${IDLE} idle connections and ${SLOW} slow clients block no other client`,
  async (settings) => {
    await using server = await startServer({ ...settings });
    const connect = () => Deno.connect({ hostname: "127.0.0.1", port: server.port });
    const connections: Deno.Conn[] = [];
    const send = (connection: Deno.Conn, text: string) =>
      connection.write(new TextEncoder().encode(text));
    try {
      for (let count = 0; count < IDLE; count++) connections.push(await connect());
      for (let count = 0; count < SLOW; count++) {
        const head = await connect();
        const body = await connect();
        const reader = await connect();
        connections.push(head, body, reader);
        await send(head, "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ");
        await send(body, "POST /api/subscribe HTTP/1.1\r\nHost: x\r\nContent-Length: 90\r\n\r\n{");
        await send(reader, "GET /api/filter-options HTTP/1.1\r\nHost: x\r\n\r\n".repeat(50));
      }
      for (let count = 0; count < 20; count++) {
        for (const path of ["/", "/api/releases", "/health"]) {
          const response = await fetch(`${server.url}${path}?unique=${count}`);
          await response.body?.cancel();
          assertEquals(response.status, 200);
        }
        for (const [place, connection] of connections.slice(IDLE).entries()) {
          if (place % 3 === 0) await send(connection, "a");
        }
      }
      const [head] = connections.slice(IDLE);
      await send(head!, "\r\n\r\n");
      const answer = new Uint8Array(15);
      await head!.read(answer);
      assertEquals(new TextDecoder().decode(answer), "HTTP/1.1 200 OK");
    } finally {
      for (const connection of connections) connection.close();
    }
  },
);
