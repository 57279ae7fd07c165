import type { TestApp } from "./app.ts";

/** Reads a page of JSON and all the following ones by their Link header (RFC 8288). */
export async function readPages<Page>(app: TestApp, path: string): Promise<Page[]> {
  const pages: Page[] = [];
  let next: string | undefined = path;
  while (next !== undefined) {
    const response: Response = await app.fetch(next);
    if (response.status !== 200) throw new Error(`${next} answered ${response.status}`);
    pages.push(await response.json());
    next = /<([^>]*)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  }
  return pages;
}
