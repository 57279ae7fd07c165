import { match, strictEqual as assertEquals } from "node:assert/strict";
import { decodeEntities } from "../../lib/text/plain_text.ts";
import type { TestApp } from "./app.ts";

/**
 * Fetches a page and expects a status, and the headers that every page has. What its scripts may say
 * later is left out.
 */
export async function readPage(app: TestApp, path: string, status = 200): Promise<string> {
  const response = await app.fetch(path);
  const html = await response.text();
  assertEquals(response.status, status, html);
  const { headers } = response;
  assertEquals(headers.get("content-type"), "text/html; charset=utf-8");
  match(headers.get("content-security-policy")!, /default-src 'none'; script-src 'self';/);
  match(headers.get("content-security-policy")!, /frame-ancestors 'none'/);
  assertEquals(headers.get("x-content-type-options"), "nosniff");
  match(html, /^<!doctype html><html lang="en">/);
  return html.replace(/<script id="texts-[^"]*"[^>]*>.*?<\/script>/gs, "");
}

/** The texts of the links to releases, in their order. */
export function releasesIn(html: string): string[] {
  return [...html.matchAll(/<a href="[^"]*\/release\/[^"]*">(.*?)<\/a>/g)]
    .map(([, text]) => text!.replace(/<[^>]*>/g, ""));
}

const BLOCK =
  /<\/?(?:article|aside|blockquote|button|dd|details|div|dl|dt|fieldset|figcaption|figure|form|h\d|legend|li|main|nav|ol|option|p|pre|section|summary|table|tr|ul)\b[^>]*>/g;

/**
 * What a page says, as a reader reads it without styles: a line for each block, what its links lead
 * to, what is said of pictures and checked in forms, and what was added and removed.
 */
export function textOf(html: string): string {
  const [main] = /<main.*<\/main>/s.exec(html)!;
  const text = main
    .replace(/<(script|style|select|template)\b.*?<\/\1>/gs, "")
    .replace(/<a [^>]*?href="([^"]*)"[^>]*>(.*?)<\/a>/gs, "$2 ($1)")
    .replace(/<[^>]* aria-label="([^"]*)"[^>]*>/g, (tag, label) => `${tag}[${label}] `)
    .replace(/<input[^>]* checked[^>]*>/g, "(x) ")
    .replace(/<ins>/g, "{+").replace(/<\/ins>/g, "+}").replace(/<del>/g, "{-").replace(
      /<\/del>/g,
      "-}",
    )
    .replace(BLOCK, "\n")
    .replace(/<[^>]*>/g, " ");
  return decodeEntities(text).split("\n").map((line) => line.replace(/\s+/g, " ").trim())
    .filter((line) => line !== "").join("\n") + "\n";
}

/** Set to anything, the golden files are written anew instead of compared. */
const UPDATE = Boolean(Deno.env.get("UPDATE_GOLDEN"));

/** Expects a text to be that of a golden file. */
export async function expectGolden(name: string, text: string): Promise<void> {
  const file = new URL(`../golden/${name}`, import.meta.url);
  if (UPDATE) {
    await Deno.mkdir(new URL("./", file), { recursive: true });
    await Deno.writeTextFile(file, text);
  }
  assertEquals(text, await Deno.readTextFile(file), name);
}
