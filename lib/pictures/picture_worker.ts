import { initWasm, Resvg } from "@resvg/resvg-wasm";
import { serveWork } from "../work/run_in_worker.ts";
import { FONT_FAMILY, fontFilesFor } from "./fonts.ts";
import type { PictureRequest } from "./pictures.ts";

const fonts = new Map<string, Promise<Uint8Array>>();
let isReady: Promise<unknown> | undefined;

function readFont(file: URL): Promise<Uint8Array> {
  if (!fonts.has(file.href)) fonts.set(file.href, Deno.readFile(file));
  return fonts.get(file.href)!;
}

// In a worker: drawing takes a tenth of a second, for which no other request shall wait.
serveWork(async (input) => {
  const { svg, renderer } = input as PictureRequest;
  const [fontBuffers] = await Promise.all([
    Promise.all(fontFilesFor(svg).map(readFont)),
    isReady ??= initWasm(renderer),
  ]);
  const font = { fontBuffers, defaultFontFamily: FONT_FAMILY };
  return new Resvg(svg, { font }).render().asPng();
});
