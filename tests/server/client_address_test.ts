import { strictEqual as assertEquals } from "node:assert/strict";
import { clientAddress, networkOf, siteNetworkOf } from "../../lib/http/clients/client_address.ts";

function addressOf(forwarded: string | null, trustedProxies: number, peer = "10.0.0.1"): string {
  const headers = new Headers(forwarded === null ? {} : { "X-Forwarded-For": forwarded });
  return clientAddress(headers, { peer, trustedProxies });
}

Deno.test("Without trusted proxies only the peer counts", () => {
  assertEquals(addressOf(null, 0), "10.0.0.1");
  assertEquals(addressOf("6.6.6.6", 0), "10.0.0.1");
});

Deno.test("Behind trusted proxies the last entries count, never the client's own", () => {
  assertEquals(addressOf("203.0.113.7", 1), "203.0.113.7");
  assertEquals(addressOf("6.6.6.6, 203.0.113.7", 1), "203.0.113.7");
  assertEquals(addressOf("6.6.6.6, 203.0.113.7, 10.0.0.2", 2), "203.0.113.7");
  assertEquals(addressOf("6.6.6.6,203.0.113.7:4711", 1), "203.0.113.7");
  assertEquals(addressOf("[2001:db8::7]:4711", 1), "2001:db8::7");
  assertEquals(addressOf("2001:db8::7", 1), "2001:db8::7");
});

Deno.test("If entries are missing or invalid, the last plausible one counts", () => {
  assertEquals(addressOf(null, 1), "10.0.0.1");
  assertEquals(addressOf("", 1), "10.0.0.1");
  assertEquals(addressOf("203.0.113.7", 5), "203.0.113.7");
  assertEquals(addressOf("unknown", 1), "10.0.0.1");
  assertEquals(addressOf("203.0.113.7, <script>, 10.0.0.2", 3), "10.0.0.2");
  assertEquals(addressOf(`${"1.1.1.1, ".repeat(5000)}203.0.113.7`, 1), "203.0.113.7");
});

Deno.test("One IPv6 network is one client", () => {
  assertEquals(networkOf("203.0.113.7"), "203.0.113.7");
  assertEquals(networkOf("::ffff:203.0.113.7"), "203.0.113.7");
  assertEquals(networkOf("::ffff:cb00:7107"), "203.0.113.7");
  assertEquals(networkOf("2001:DB8:0:1::1"), "2001:db8:0:1::/64");
  assertEquals(networkOf("2001:db8:0:1:ffff:ffff:ffff:ffff"), "2001:db8:0:1::/64");
  assertEquals(networkOf("2001:db8:0:2::1"), "2001:db8:0:2::/64");
  assertEquals(networkOf("::1"), "0:0:0:0::/64");
  assertEquals(networkOf("local"), "local");
});

Deno.test("All networks of one IPv6 site are one site", () => {
  assertEquals(siteNetworkOf("203.0.113.7"), null);
  assertEquals(siteNetworkOf("::ffff:203.0.113.7"), null);
  assertEquals(siteNetworkOf("2001:DB8:0:1::1"), "2001:db8:0::/48");
  assertEquals(siteNetworkOf("2001:db8:0:ffff:ffff:ffff:ffff:ffff"), "2001:db8:0::/48");
  assertEquals(siteNetworkOf("2001:db8:1:1::1"), "2001:db8:1::/48");
  assertEquals(siteNetworkOf("local"), null);
});
