import { type AddressInfo, connect, createServer } from "node:net";

/** Forwards bytes to a server, and cuts the connection at the headers of an email. */
export async function startBreakingServer(breaks: () => boolean, port: number) {
  const listener = createServer((client) => {
    const server = connect(port, "127.0.0.1");
    const cut = () => [client, server].forEach((socket) => socket.destroy());
    client.on("data", (bytes) => {
      if (breaks() && /^Subject:/m.test(bytes.toString())) cut();
      else server.write(bytes);
    });
    server.on("data", (bytes) => client.write(bytes));
    for (const socket of [client, server]) socket.on("close", cut).on("error", cut);
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", () => resolve()));
  return {
    port: (listener.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => listener.close(() => resolve())),
  };
}
