import { match, strictEqual as assertEquals } from "node:assert/strict";
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
