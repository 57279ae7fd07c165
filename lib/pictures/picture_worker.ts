import { initWasm, Resvg } from "@resvg/resvg-wasm";
import { serveWork } from "../work/run_in_worker.ts";
import { FONT_FAMILY, FONT_FILES } from "./fonts.ts";
import type { PictureRequest } from "./pictures.ts";

let fonts: Promise<Uint8Array[]> | undefined;

// In a worker: drawing takes a tenth of a second, for which no other request shall wait.
serveWork(async (input) => {
  const { svg, renderer } = input as PictureRequest;
  fonts ??= Promise.all([
    Promise.all(FONT_FILES.map((file) => Deno.readFile(file))),
    initWasm(renderer),
  ]).then(([files]) => files);
  const font = { fontBuffers: await fonts, defaultFontFamily: FONT_FAMILY };
  return new Resvg(svg, { font }).render().asPng();
});
