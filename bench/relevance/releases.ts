import { readFile } from "node:fs/promises";

/** One release as an import reads it. */
export interface Release {
  release_item_id: string;
  feature_name: string;
  [field: string]: unknown;
}

interface SampleRelease extends Release {
  changes?: readonly { set?: Partial<Release>; removed?: true; restored?: true }[];
}

/** The releases that are searched: those of a public roadmap and those of the sample, as they end. */
export async function readReleases(): Promise<Release[]> {
  const { data } = await readJson<{ data: Release[] }>("./fabric.json");
  const { items } = await readJson<{ items: SampleRelease[] }>("../../sample/roadmap.json");
  return [...data, ...items.flatMap((item) => endOf(item) ?? [])];
}

/** Reads a JSON file beside this one. */
export async function readJson<Content>(path: string): Promise<Content> {
  return JSON.parse(await readFile(new URL(path, import.meta.url), "utf8"));
}

/** A release of the sample after its last change; null: it was removed. */
function endOf({ changes = [], ...release }: SampleRelease): Release | null {
  let isRemoved = false;
  for (const { set, removed, restored } of changes) {
    Object.assign(release, set);
    if (removed || restored) isRemoved = removed === true;
  }
  return isRemoved ? null : release as Release;
}
