import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { parseSources } from "../../lib/import/sources/source_config.ts";

type Keys = Record<string, unknown>;

const JIRA = ".from: must be jira:https://HOST?jql=… or jira:HOST/PROJECT";
const client = (more: Keys = {}) => ({
  kind: "json",
  auth: {
    client_credentials: {
      ...{ token_url: "https://example.com/t", client_id: "a", client_secret: "env:B" },
      ...more,
    },
  },
});

/** What a source in the configuration says, and its mistakes. */
const SOURCES: readonly (readonly [Keys, mistakes: readonly string[]])[] = [
  [{ items: "data" }, [".items: must be a JSON pointer, such as /data/items"]],
  [{ items: "/a~2" }, [".items: must be a JSON pointer, such as /data/items"]],
  [{ pages: "Link" }, [
    '.pages: must be an object such as {"next": "/next_cursor", "parameter": "cursor"}',
  ]],
  [{ pages: { next: "cursor" } }, [
    '.pages.next: must be a JSON pointer, such as /meta/next, or "Link"',
  ]],
  [{ pages: { next: "/a", size: 2 } }, [".pages.size: is unknown"]],
  [{ pages: {} }, ['.pages: requires "next" or "parameter"']],
  [{ pages: { next: "/a", parameter: " " } }, [".pages.parameter: must not be empty"]],
  [{ pages: { next: "Link", parameter: "page" } }, [
    '.pages: "Link" cannot be combined with "parameter": it is the full address of the next page',
  ]],
  [{ pages: { next: "/a", parameter: "/a/b" } }, [
    '.pages.parameter: is a JSON pointer, so "body" must be an object',
  ]],
  [{ pages: { next: "/a", parameter: "/~" }, body: {} }, [
    ".pages.parameter: must be a JSON pointer, such as /data/items",
  ]],
  [{ pages: { parameter: "page" }, body: { page: "{next}" } }, [
    ".pages.next: is required with {next}: pages are counted in a parameter",
  ]],
  [{ body: { after: "{next}" } }, ['.body: has {next}, but "pages" is missing']],
  [{ body: 5 }, [".body: must be text or JSON"]],
  [{ method: "PUT" }, [".method: must be GET or POST"]],
  [{ method: "GET", body: "a" }, ['.body: requires "method": "POST"']],
  [{ kind: "csv", items: "/a", method: "GET" }, [
    '.items: is for sources of kind "json" only',
    '.method: is for sources of kind "json" only',
  ]],
  [{ from: "a.json", items: "/a", pages: { next: "/b" } }, [
    ".from: must be an http or https address to use items, pages",
  ]],
  [{ from: "a.json", items: "/a" }, []],
  [{ pages: { next: "/a", parameter: "after" }, body: '{"after": "{next}"}' }, []],
  [{ headers: { "content-type": "application/graphql" }, body: "{ a }" }, []],
  [client(), []],
  [client({ client_secret: "plain" }), [
    ".auth.client_credentials.client_secret: must be env:NAME, as it holds a secret",
  ]],
  [client({ token_url: "http://example.com/t" }), [
    ".auth.client_credentials.token_url: must be an https address",
  ]],
  [{ auth: { password: "x" } }, [
    ".auth.client_credentials: must be an object with token_url, client_id and client_secret",
    ".auth.password: is unknown",
  ]],
  [{ pages: { by: "weeks", parameter: "p" } }, ['.pages.by: must be "pages" or "items"']],
  [{ pages: { by: "items", next: "/next", parameter: "p" } }, [
    '.pages.by: cannot be combined with "next", which names the next page',
  ]],
  [{ from: "https://example.com/?start=now", pages: { by: "items", parameter: "start" } }, [
    '.pages.parameter: counts from "now", which is not a whole number',
  ]],
  [{ body: { skip: "x" }, pages: { by: "items", parameter: "/skip" } }, [
    '.pages.parameter: counts from "x", which is not a whole number',
  ]],
  [{ headers: { "x y": "1" } }, [".headers.x y: is not the name of a header"]],
  [{ headers: { Host: "example.com" } }, [".headers.Host: cannot be set"]],
  [{ headers: { "If-None-Match": "1" } }, [".headers.If-None-Match: cannot be set"]],
  [{ headers: { Authorization: "Bearer x" } }, [
    ".headers.Authorization: must be env:NAME, as it holds a secret",
  ]],
  [{ headers: { "x-key": "env:A B" } }, [".headers.x-key: must be env:NAME"]],
  [{ headers: { "x-key": "a\nb" } }, [
    ".headers.x-key: must be 1 to 4000 printable ASCII characters",
  ]],
  [{ headers: { "x-key": 1 } }, [".headers.x-key: must be text"]],
  [{ headers: [] }, [".headers: must be an object"]],
  [{ headers: { Authorization: "env:OUR_TOKEN", "user-agent": "Ours/1" } }, []],
  [{ from: "gitlab:acme/widgets" }, []],
  [{ from: "gitlab:acme/widgets", kind: "github" }, ['.kind: must be "gitlab" here']],
  [{ from: "https://gitlab.com/a", kind: "gitlab" }, [
    ".from: must be gitlab:group/project or gitlab:group",
  ]],
  [{ from: "gitlab:https://gitlab.com/a", kind: "gitlab" }, [
    ".from: must be gitlab:group/project or gitlab:group",
  ]],
  [{ from: "jira:a.example/WID" }, []],
  [{ from: "jira:a.example/WID", kind: "csv" }, ['.kind: must be "jira" here']],
  [{ from: "jira:me:sesame@a.example/WID" }, [JIRA]],
  [{ from: "https://a.example", kind: "jira" }, [JIRA]],
];

Deno.test("Each mistake of a source in the configuration is named", () => {
  for (const [keys, expected] of SOURCES) {
    const source = { name: "a", from: "https://example.com/api", ...keys };
    const { mistakes } = parseSources({ sources: [source] });
    assertEquals(mistakes, expected.map((mistake) => `sources[0]${mistake}`));
  }
});
