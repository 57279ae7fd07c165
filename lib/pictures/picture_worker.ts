import { parentPort, workerData } from "node:worker_threads";
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import { FONT_FAMILY, FONT_FILES } from "./fonts.ts";
import type { PictureRequest } from "./pictures.ts";

// In a worker: drawing takes a tenth of a second, for which no other request shall wait.
const { svg, renderer } = workerData as PictureRequest;
const [fontBuffers] = await Promise.all([
  Promise.all(FONT_FILES.map((file) => Deno.readFile(file))),
  initWasm(renderer),
]);
const font = { fontBuffers, defaultFontFamily: FONT_FAMILY };
parentPort!.postMessage(new Resvg(svg, { font }).render().asPng());
