import { deepStrictEqual as assertEquals } from "node:assert/strict";
import http from "node:http";
import {
  findNginx,
  type Nginx,
  type NginxOptions,
  startNginx,
} from "../../../bench/servers/nginx.ts";
import { makeItem } from "../app.ts";
import { startCommand } from "../command.ts";
import { testOnOneDatabase } from "../fault_databases.ts";
import { startServer, type TestServer } from "../server.ts";

export { startNginx };

/** Returns whether nginx is installed. */
export function hasNginx(): boolean {
  return findNginx() !== null;
}

/** For tests that would exceed the limits of the example. */
export const UNLIMITED = { rate: "100000r/s" };

/** Tests the example deploy/nginx.conf in front of one server, with two items of two products. */
export function testBehindNginx(
  name: string,
  test: (nginx: Nginx, server: TestServer) => Promise<void>,
  { settings: more = {}, ...options }: NginxOptions & { settings?: Record<string, string> } = {},
): void {
  testOnOneDatabase(name, async (settings) => {
    const file = await Deno.makeTempFile({ suffix: ".json" });
    const items = [makeItem(1), makeItem(2, { product_name: "Other" })];
    await Deno.writeTextFile(file, JSON.stringify(items));
    assertEquals(await startCommand(["import", file], settings).ended, 0);
    await Deno.remove(file);
    await using server = await startServer({
      ...settings,
      ...more,
      ROADMAP_VARIANT: "both",
      TRUSTED_PROXIES: "1",
    });
    await using nginx = await startNginx([server.port, server.port], options);
    await test(nginx, server);
  });
}

/** Sends a GET from another address of this machine, and returns the response status. */
export function askFrom(localAddress: string, { port }: Nginx, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = http.get({ host: "127.0.0.1", port, path, localAddress, agent: false });
    request.on("error", reject);
    request.on("response", (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode!));
    });
  });
}
