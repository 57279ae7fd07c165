import { ExpectedError } from "../../expected_error.ts";

/** A picture that the settings name. */
export interface Picture {
  /** Under which it is served, before a hash is added. */
  readonly name: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly width: number;
  readonly height: number;
}

/** A picture that cannot be used; the message names the setting. */
class PictureError extends ExpectedError {}

/** Every visitor loads the logo. */
const MAX_KILOBYTES = 512;
const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** Reads the SVG or PNG file that a setting names, as `logo.svg` or `preview.png`. */
export async function readPicture(setting: string, path: string, name: string): Promise<Picture> {
  const refuse = (why: string) => new PictureError(`${setting}: ${path} ${why}`);
  const bytes = await Deno.readFile(path).catch((error) => {
    throw refuse(`cannot be read: ${error instanceof Error ? error.message : error}`);
  });
  if (bytes.length > MAX_KILOBYTES * 1024) {
    throw refuse(`is larger than ${MAX_KILOBYTES} KB, which every visitor would have to download`);
  }
  const isPng = path.toLowerCase().endsWith(".png");
  const body = isPng ? bytes : new TextDecoder().decode(bytes);
  const size = typeof body === "string" ? sizeOfSvg(body) : sizeOfPng(body);
  if (!size && isPng) throw refuse("is not a PNG image");
  if (!size) throw refuse("is not an SVG image with a viewBox, or with a width and a height");
  return { name: `${name}.${isPng ? "png" : "svg"}`, body, ...size };
}

type Size = Pick<Picture, "width" | "height">;

/** PNG (Third Edition), 5.2 and 11.2.1: the signature, then the header with both lengths. */
function sizeOfPng(bytes: Uint8Array): Size | null {
  if (bytes.length < 24 || PNG_SIGNATURE.some((byte, i) => bytes[i] !== byte)) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return positive({ width: view.getUint32(16), height: view.getUint32(20) });
}

/** SVG 2, 8.2: the viewBox of the root gives the ratio; without one, its width and height. */
function sizeOfSvg(text: string): Size | null {
  const [, root] = /<svg\b([^<>]*)>/i.exec(text) ?? [];
  if (root === undefined) return null;
  const attribute = (name: string) =>
    new RegExp(`\\s${name}\\s*=\\s*["']([^"']*)["']`).exec(root)?.[1];
  const [, , width, height] = attribute("viewBox")?.trim().split(/[\s,]+/).map(Number) ?? [];
  return positive({ width: width ?? NaN, height: height ?? NaN }) ?? positive({
    width: parseFloat(attribute("width") ?? ""),
    height: parseFloat(attribute("height") ?? ""),
  });
}

function positive(size: Size): Size | null {
  return size.width > 0 && size.height > 0 ? size : null;
}
