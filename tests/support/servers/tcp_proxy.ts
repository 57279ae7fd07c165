/** A proxy to a server that can fail the way networks and servers do. */
export interface TcpProxy extends Disposable {
  readonly port: number;
  /** Refuses new connections and closes open ones. */
  refuse(): void;
  /** Refuses new connections; open ones continue. */
  refuseNew(): void;
  /** Accepts connections but forwards nothing; those hang even after `restore`. */
  hang(): void;
  /** Forwards new connections again. */
  restore(): void;
  /** Closes open connections; new ones lead to another port. */
  leadTo(port: number): void;
}

/** Opens a proxy to a server on a free port. */
export function openProxy(first: { hostname: string; port: number }): TcpProxy {
  let target = first;
  let listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  let forwards = true;
  let live = new Set<Deno.Conn>();
  const hung = new Set<Deno.Conn>();

  async function pump(from: Deno.Conn, to: Deno.Conn): Promise<void> {
    const buffer = new Uint8Array(16_384);
    try {
      for (let count; (count = await from.read(buffer)) !== null;) {
        if (hung.has(from)) return;
        for (let sent = 0; sent < count;) sent += await to.write(buffer.subarray(sent, count));
      }
    } catch {
      // One end has closed.
    }
    if (!hung.has(from)) close([from, to]);
  }

  async function accept(): Promise<void> {
    for await (const client of listener) {
      if (!forwards) {
        hung.add(client);
        continue;
      }
      const server = await Deno.connect(target);
      live.add(client).add(server);
      pump(client, server);
      pump(server, client);
    }
  }

  accept();
  return {
    port,
    refuseNew: () => listener.close(),
    refuse() {
      listener.close();
      close(live);
      live = new Set();
    },
    hang() {
      forwards = false;
      for (const connection of live) hung.add(connection);
      live = new Set();
    },
    restore() {
      if (forwards) {
        listener = Deno.listen({ hostname: "127.0.0.1", port });
        accept();
      }
      forwards = true;
    },
    leadTo(port) {
      target = { ...target, port };
      close(live);
      live = new Set();
    },
    [Symbol.dispose]() {
      close([listener]);
      close(live);
      close(hung);
    },
  };
}

function close(connections: Iterable<{ close(): void }>): void {
  for (const connection of connections) {
    try {
      connection.close();
    } catch {
      // It is already closed.
    }
  }
}
