import { deepStrictEqual as assertEquals, match, ok, rejects } from "node:assert/strict";
import {
  contrastOf,
  formatColour,
  GROUNDS,
  OWN_ACCENT,
  styleOfAccent,
} from "../../lib/config/accent.ts";
import { readConfig } from "../../lib/config/config.ts";
import { startApp, type TestApp } from "../support/app.ts";
import { testOnOne } from "../support/databases.ts";
import { readPage } from "../support/pages.ts";
import { startWithMail, subscribe } from "../support/subjects/subscribing.ts";

const STATIC = new URL("../../static/", import.meta.url);
const SQUARE =
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><script>alert(1)</script>` +
  `<rect width="10" height="10"/></svg>`;

/** The URLs of the stylesheet and images that a page links, by their role. */
function signsOf(html: string) {
  const find = (pattern: RegExp) => pattern.exec(html)?.[1];
  return {
    style: find(/<link rel="stylesheet" href="([^"]+)"/),
    icon: find(/<link rel="icon"[^>]* href="([^"]+)"/),
    touchIcon: find(/<link rel="apple-touch-icon" href="([^"]+)"/),
    preview: find(/<meta property="og:image" content="([^"]+)"/),
    card: find(/<meta name="twitter:card" content="([^"]+)"/),
    logo: find(/<img class="logo" src="([^"]+)"/),
  };
}

async function fetchBytes(app: TestApp, address: string): Promise<Uint8Array> {
  const response = await app.fetch(address, { headers: { "accept-encoding": "br" } });
  assertEquals([response.status, response.headers.get("content-encoding")], [200, null], address);
  assertEquals(response.headers.get("content-type"), "image/png");
  return await response.bytes();
}

/** A folder with the given files. */
async function makeFiles(files: Record<string, string | Uint8Array>) {
  const folder = await Deno.makeTempDir();
  for (const [name, content] of Object.entries(files)) {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    await Deno.writeFile(`${folder}/${name}`, bytes);
  }
  return {
    path: (name: string) => `${folder}/${name}`,
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

testOnOne("A site has default images without any setting", async (database) => {
  await using app = await startApp(database, { BASE_URL: "https://example.com/road" });
  const html = await readPage(app, "/road/");
  const { icon, touchIcon, preview, card, logo } = signsOf(html);
  match(icon!, /^\/road\/assets\/favicon-[\w-]{12}\.svg$/);
  match(preview!, /^https:\/\/example\.com\/road\/assets\/preview-[\w-]{12}\.png$/);
  assertEquals([card, logo], ["summary_large_image", undefined]);
  const png = await fetchBytes(app, new URL(preview!).pathname);
  assertEquals(png, await Deno.readFile(new URL("preview.png", STATIC)));
  ok((await fetchBytes(app, touchIcon!)).length > 1_000);
});

testOnOne("Logo, accent, links and imprint come from the settings", async (database) => {
  await using plain = await startApp(database);
  const before = signsOf(await readPage(plain, "/"));
  await using files = await makeFiles({ "sign.svg": SQUARE });
  await using app = await startApp(database, {
    SITE_NAME: "Acme <Roadmap>",
    SITE_LOGO: files.path("sign.svg"),
    SITE_ACCENT: "8A1C7C",
    SITE_LINKS: `Our "docs" https://example.com/docs?a=1&b=2; Support /support`,
    SITE_FOOTER_LINKS: "Mail mailto:hello@example.com;",
    SITE_IMPRINT: "Acme & Sons <Inc>, 1 Main Street.",
  });
  const html = await readPage(app, "/");
  const signs = signsOf(html);
  match(
    html,
    /<header.*<a href="https:\/\/example.com\/docs\?a=1&amp;b=2">Our (&quot;|")docs.*<\/h/,
  );
  match(html, /<header.*<a href="\/support">Support<\/a>.*<\/header>/);
  match(
    html,
    /<footer.*Acme &amp; Sons &lt;Inc(>|&gt;), 1 Main Street\..*mailto:hello.*<\/footer>/,
  );
  match(
    html,
    /<img class="logo"[^>]* alt(="")? width="28" height="28"[^>]*><span>Acme &lt;Roadmap/,
  );
  assertEquals(signs.icon, signs.logo);
  // An SVG does not work there, and the default image would show another site's brand.
  assertEquals([signs.touchIcon, signs.preview, signs.card], [undefined, undefined, "summary"]);

  const logo = await app.fetch(signs.logo!);
  assertEquals(logo.headers.get("content-type"), "image/svg+xml; charset=utf-8");
  match(logo.headers.get("content-security-policy")!, /^default-src 'none'; .*sandbox$/);
  assertEquals(await logo.text(), SQUARE);
  assertEquals(await (await app.fetch("/favicon.ico")).text(), SQUARE);

  ok(signs.style !== before.style, "the style has another address");
  const style = await (await app.fetch(signs.style!)).text();
  match(style, /--accent: light-dark\(#8a1c7c, #[\da-f]{6}\);/);
});

testOnOne(
  "A wide logo replaces the name, and a PNG is used for every icon",
  async (database) => {
    const preview = await Deno.readFile(new URL("preview.png", STATIC));
    const square = await Deno.readFile(new URL("touch-icon.png", STATIC));
    await using files = await makeFiles({
      "wide.svg": `<?xml version="1.0"?><svg width="90px" height='30' xmlns="x"></svg>`,
      "square.png": square,
      "preview.PNG": preview,
    });
    {
      await using app = await startApp(database, { SITE_LOGO: files.path("wide.svg") });
      const html = await readPage(app, "/");
      match(html, /<img class="logo"[^>]* alt="Roadcast" width="84" height="28"[^>]*><\/a>/);
    }
    {
      await using app = await startApp(database, { SITE_LOGO: files.path("square.png") });
      const signs = signsOf(await readPage(app, "/"));
      const { logo } = signs;
      match(logo!, /^\/assets\/logo-[\w-]{12}\.png$/);
      assertEquals([signs.icon, signs.touchIcon, signs.card], [logo, logo, "summary"]);
      assertEquals(signs.preview, `http://localhost:8000${logo}`);
      assertEquals(await fetchBytes(app, logo!), square);
    }
    for (
      const [name, sign] of [["square.png", /<img src="([^"]+)" alt="" width="24"/], [
        "wide.svg",
        null,
      ]] as const
    ) {
      await using services = await startWithMail(database, { SITE_LOGO: files.path(name) });
      assertEquals((await subscribe(services.app, { email: `${name}@example.com` })).status, 202);
      await services.app.sendMails();
      const { html } = services.mail.received.at(-1)!;
      const [, address] = sign?.exec(html!) ?? [];
      if (sign === null) {
        ok(!html!.includes("<img"), "mail programs show no SVG");
      } else assertEquals(await fetchBytes(services.app, new URL(address!).pathname), square);
    }
    await using app = await startApp(database, {
      SITE_LOGO: files.path("wide.svg"),
      SITE_PREVIEW: files.path("preview.PNG"),
    });
    const signs = signsOf(await readPage(app, "/"));
    assertEquals(signs.card, "summary_large_image");
    assertEquals(await fetchBytes(app, new URL(signs.preview!).pathname), preview);
  },
);

testOnOne("An unusable image is reported with the reason", async (database) => {
  await using files = await makeFiles({
    "text.svg": "<html></html>",
    "unsized.svg": `<svg xmlns="http://www.w3.org/2000/svg"></svg>`,
    "flat.svg": `<svg viewBox="0 0 10 0"></svg>`,
    "false.png": "GIF89a, and so on and on and on",
    "large.svg": `<svg viewBox="0 0 1 1">${" ".repeat(512 * 1024)}</svg>`,
  });
  const reasons = {
    "none.svg": /cannot be read: No such file/,
    "text.svg": /is not an SVG image with a viewBox, or with a width and a height$/,
    "unsized.svg": /is not an SVG image with a viewBox/,
    "flat.svg": /is not an SVG image with a viewBox/,
    "false.png": /is not a PNG image$/,
    "large.svg": /is larger than 512 KB, which every visitor would have to download$/,
  };
  for (const [name, reason] of Object.entries(reasons)) {
    await rejects(startApp(database, { SITE_LOGO: files.path(name) }), ({ message }: Error) => {
      ok(message.startsWith(`SITE_LOGO: ${files.path(name)} `), message);
      match(message, reason);
      return true;
    });
  }
});

Deno.test("Every accepted accent is readable on every background and under every text", () => {
  const steps = [0, 51, 102, 153, 204, 255];
  let accepted = 0;
  for (const red of steps) {
    for (const green of steps) {
      for (const blue of steps) {
        const light = formatColour([red, green, blue]);
        let accent;
        try {
          ({ accent } = readConfig({ SITE_ACCENT: light }));
        } catch {
          continue;
        }
        accepted++;
        const style = styleOfAccent(accent!);
        const token = (name: string) =>
          new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(style)!.slice(1);
        const grounds = [["#ffffff", "#fbfaf8"], ["#151718", "#1d2021"]];
        for (const theme of [0, 1]) {
          const on = [...grounds[theme]!, token("accent-soft")[theme]!, token("on-accent")[theme]!];
          for (const ground of on) {
            const contrast = contrastOf(token("accent")[theme]!, ground);
            ok(contrast >= 4.5, `${light}: ${ground} has ${contrast} in theme ${theme}`);
          }
          const strong = token("accent-strong")[theme]!;
          ok(contrastOf(strong, grounds[theme]![1]!) >= 4.5, `${light}: ${strong}`);
          ok(contrastOf(strong, token("on-accent")[theme]!) >= 4.5, `${light}: ${strong}`);
        }
      }
    }
  }
  ok(accepted > 50 && accepted < 216, `${accepted}`);
});

Deno.test("The accent is checked against the colours of the stylesheet", async () => {
  const style = await Deno.readTextFile(new URL("styles/tokens.css", STATIC));
  const token = (name: string) =>
    new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(style)!.slice(1);
  assertEquals(token("accent"), [OWN_ACCENT.light, OWN_ACCENT.dark]);
  assertEquals([token("ground")[0], token("surface")[1]], [
    GROUNDS.light.ground,
    GROUNDS.dark.ground,
  ]);
  ok((await Deno.readTextFile(new URL("favicon.svg", STATIC))).includes(OWN_ACCENT.light));
});
