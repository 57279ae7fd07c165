import type { Content, Kept } from "./representation.ts";

/** What a keeper needs to know to build an answer that it does not have. */
export interface Building {
  cacheControl: string;
  /** Whose request has it built. */
  client: string;
  build: () => Promise<Content>;
}

/** Keeps built representations by the rules of a variant, and has missing ones built once. */
export interface Keeper {
  /** What lies in memory and may be served at once. */
  peek(key: string): Kept | null;
  get(key: string, building: Building): Promise<Kept>;
}

/** The UTC day of a moment, in days since 1970. */
export function dayOf(milliseconds: number): number {
  return Math.floor(milliseconds / 86_400_000);
}
