import { createHmac } from "node:crypto";
import { serveSource } from "./source_server.ts";

/** A WebSub hub (W3C) on loopback, as strict as the recommendation. */
export interface WebSubHub extends AsyncDisposable {
  readonly url: string;
  /** The reasons for the requests it refused. */
  readonly refused: string[];
}

interface Subscription {
  topic: string;
  callback: string;
  secret: string;
}

/**
 * Starts a hub that verifies subscriptions (section 5.3), fetches a topic when its publisher says that
 * it changed, and distributes it with a signature (sections 7 and 7.1).
 *
 * @param fetchTopic how it fetches from the publisher
 */
export function startWebSubHub(fetchTopic: (topic: string) => Promise<Response>): WebSubHub {
  const subscriptions: Subscription[] = [];
  const refused: string[] = [];
  const server = serveSource(async (request) => {
    try {
      const form = new URLSearchParams(await request.text());
      const mode = form.get("hub.mode");
      if (mode === "subscribe") subscriptions.push(await verify(form));
      else if (mode === "publish") await distribute(form.get("hub.url")!);
      else throw new Error(`hub.mode is ${mode}`);
      return new Response(null, { status: mode === "subscribe" ? 202 : 204 });
    } catch (error) {
      refused.push((error as Error).message);
      return new Response((error as Error).message, { status: 400 });
    }
  });

  const url = `${server.url}/hub`;

  async function distribute(topic: string): Promise<void> {
    const response = await fetchTopic(topic);
    const content = await response.text();
    if (!response.ok) throw new Error(`${topic} answers ${response.status}`);
    const links = readLinks(response.headers.get("link") ?? "");
    // Section 4: the publisher names the hub and the canonical address of the topic.
    if (links.hub !== url) throw new Error(`${topic} names the hub ${links.hub}`);
    if (links.self !== topic) throw new Error(`${topic} names itself ${links.self}`);
    for (const { callback, secret } of subscriptions.filter((one) => one.topic === topic)) {
      const signature = createHmac("sha256", secret).update(content).digest("hex");
      await fetch(callback, {
        method: "POST",
        headers: {
          "Content-Type": response.headers.get("content-type")!,
          Link: response.headers.get("link")!,
          "X-Hub-Signature": `sha256=${signature}`,
        },
        body: content,
      }).then((answer) => answer.body?.cancel());
    }
  }

  return { url, refused, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

async function verify(form: URLSearchParams): Promise<Subscription> {
  const [topic, callback, secret] = ["hub.topic", "hub.callback", "hub.secret"]
    .map((name) => form.get(name)!) as [string, string, string];
  const challenge = crypto.randomUUID();
  const query = new URLSearchParams({
    "hub.mode": "subscribe",
    "hub.topic": topic,
    "hub.challenge": challenge,
    "hub.lease_seconds": "86400",
  });
  const answer = await (await fetch(`${callback}?${query}`)).text();
  if (answer !== challenge) throw new Error(`${callback} did not confirm`);
  return { topic, callback, secret };
}

/** The links of a `Link` header (RFC 8288) by their relation. */
function readLinks(header: string): Record<string, string> {
  const links = [...header.matchAll(/<([^>]*)>;\s*rel="([^"]*)"/g)];
  return Object.fromEntries(links.map(([, target, relation]) => [relation, target]));
}
