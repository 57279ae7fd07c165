import { strictEqual as assertEquals } from "node:assert/strict";
import { chooseCoding, matchesEtag } from "../lib/http/cache/conditional.ts";

const ETAG = 'W/"abc"';

for (
  const [ifNoneMatch, isMatch] of [
    [null, false],
    ["", false],
    ["*", true],
    [" * ", true],
    ['"*"', false],
    ['W/"abc"', true],
    ['"abc"', true],
    ["abc", false],
    ['w/"abc"', true], // the opaque tag is found in it
    ['"ab"', false],
    ['"abcd"', false],
    ['"x", W/"abc"', true],
    ['"abc",W/"y"', true],
    ['"a,b" , W/"abc" , "c"', true],
    ['""', false],
    [`${'"x", '.repeat(50_000)}"abc"`, true],
  ] as const
) {
  Deno.test(`If-None-Match ${show(ifNoneMatch)} ${isMatch ? "names" : "does not name"} it`, () => {
    assertEquals(matchesEtag(ifNoneMatch, ETAG), isMatch);
  });
}

for (
  const [acceptEncoding, coding] of [
    [null, null],
    ["", null],
    ["gzip, deflate, br", "br"],
    ["gzip", "gzip"],
    ["GZIP", "gzip"],
    ["deflate", null],
    ["*", "br"],
    ["*;q=0", null],
    ["br;q=0, *", "gzip"],
    ["br;q=0.1, gzip", "gzip"],
    ["br ; q=0.5 , gzip ; q=0.5", "br"],
    ["br;q=0, gzip;q=0", null],
    ["identity, gzip;q=0", null],
    ["identity, gzip;q=0.5", null],
    ["identity;q=0.5, gzip", "gzip"],
    ["identity;q=0, gzip;q=0.001", "gzip"],
    [`gzip${",".repeat(900)}`, "gzip"],
    [`gzip${",".repeat(60_000)}`, null],
  ] as const
) {
  Deno.test(`Accept-Encoding ${show(acceptEncoding)} gets ${coding ?? "no coding"}`, () => {
    assertEquals(chooseCoding(acceptEncoding), coding);
  });
}

function show(value: string | null): string {
  return JSON.stringify(value === null || value.length < 40 ? value : `${value.slice(0, 40)}…`);
}
