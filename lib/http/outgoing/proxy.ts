/**
 * The variable of the environment that sends requests to an address through a proxy, as `fetch` obeys
 * it; null: they go there themselves. NO_PROXY lists hosts, each with the hosts below it.
 *
 * ```ts
 * const environment = new Map([
 *   ["HTTPS_PROXY", "http://proxy:3128"],
 *   ["NO_PROXY", "localhost,.corp.example"],
 * ]);
 * const found = ["https://a.example/", "https://jira.corp.example/", "http://a.example/"]
 *   .map((address) => proxyVariable(new URL(address), (name) => environment.get(name)));
 * if (found.join() !== "HTTPS_PROXY,,") throw new Error(found.join());
 * ```
 */
export function proxyVariable(
  { protocol, hostname }: URL,
  valueOf: (name: string) => string | undefined = (name) => Deno.env.get(name),
): string | null {
  const scheme = protocol === "https:" ? "HTTPS" : "HTTP";
  const names = [`${scheme}_PROXY`, "ALL_PROXY"].flatMap((name) => [name, name.toLowerCase()]);
  const without = (valueOf("NO_PROXY") ?? valueOf("no_proxy") ?? "").split(",")
    .map((host) => host.trim().replace(/^\*?\./, "").toLowerCase()).filter((host) => host !== "");
  const isLeftOut = without.some((host) =>
    host === "*" || hostname === host || hostname.endsWith(`.${host}`)
  );
  return isLeftOut ? null : names.find((name) => Boolean(valueOf(name))) ?? null;
}

/** What is said where a server that is asked directly cannot be reached; empty without a proxy. */
export function describeNoProxy(url: URL): string {
  const variable = proxyVariable(url);
  return variable === null
    ? ""
    : `; ${variable} is set, but this request does not go through a proxy ` +
      '(docs/install.md, "A proxy that leads out")';
}
