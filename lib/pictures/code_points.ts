/** The code points that a TrueType font has a glyph for (OpenType 1.9, "cmap", format 4). */
export function readCodePoints(font: Uint8Array): Set<number> {
  const view = new DataView(font.buffer, font.byteOffset, font.byteLength);
  const table = findSubtable(view);
  const segments = view.getUint16(table + 6) / 2;
  const ends = table + 14;
  const starts = ends + 2 * segments + 2;
  const deltas = starts + 2 * segments;
  const offsets = deltas + 2 * segments;
  const points = new Set<number>();
  for (let at = 0; at < 2 * segments; at += 2) {
    const first = view.getUint16(starts + at);
    const delta = view.getUint16(deltas + at);
    const offset = view.getUint16(offsets + at);
    for (let point = first; point <= view.getUint16(ends + at); point++) {
      const place = offsets + at + offset + 2 * (point - first);
      const glyph = offset === 0 ? (point + delta) & 0xffff : view.getUint16(place);
      if (glyph !== 0) points.add(point);
    }
  }
  return points;
}

/** Where its Unicode characters are: platform 3, Windows. */
function findSubtable(view: DataView): number {
  const cmap = tablesOf(view).get("cmap")!;
  const records = Array.from(
    { length: view.getUint16(cmap + 2) },
    (_, place) => cmap + 4 + 8 * place,
  );
  const unicode = records.find((record) => view.getUint16(record) === 3)!;
  return cmap + view.getUint32(unicode + 4);
}

/** The tables of the font by their names, and where they begin. */
function tablesOf(view: DataView): Map<string, number> {
  return new Map(
    Array.from({ length: view.getUint16(4) }, (_, place) => {
      const record = 12 + 16 * place;
      const name = [0, 1, 2, 3].map((at) => String.fromCharCode(view.getUint8(record + at))).join(
        "",
      );
      return [name, view.getUint32(record + 8)];
    }),
  );
}
