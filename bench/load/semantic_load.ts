import { Buffer } from "node:buffer";
import { once } from "node:events";
import postgres from "postgres";
import { type BenchItem, nameOf, textHashOf } from "../data/semantic_data.ts";

const BATCH = 500;

/** Loads items and, by the binary form of COPY, their vectors as those of a set. */
export async function loadItems(
  url: string,
  items: Iterable<BenchItem>,
  set: number,
): Promise<void> {
  const sql = postgres(url, { max: 2, onnotice: () => {} });
  const copy = await sql`
    copy embeddings (set_id, text_hash, embedding) from stdin (format binary)
  `.writable();
  copy.write(Buffer.concat([Buffer.from("PGCOPY\n\xff\r\n\0", "latin1"), Buffer.alloc(8)]));
  for (const batch of batchesOf(items)) {
    await insertItems(sql, batch);
    const bytes = Buffer.concat(batch.map((item) => encodeRow(item, set)));
    if (!copy.write(bytes)) await once(copy, "drain");
  }
  copy.end(Buffer.from([0xff, 0xff]));
  await once(copy, "finish");
  await sql`vacuum (analyze) item_rows, item_texts, embeddings`;
  await sql.end();
}

async function insertItems(sql: postgres.Sql, items: readonly BenchItem[]): Promise<void> {
  const rows = items.map(({ number }) => ({
    text_id: number,
    search_text: nameOf(number).toLowerCase(),
    tags: "{}",
  }));
  await sql`insert into item_texts ${sql(rows)} overriding system value`;
  await sql`
    insert into item_rows ${
    sql(items.map(({ number, product, status, type }) => ({
      release_item_id: `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`,
      feature_name: nameOf(number),
      release_type: type,
      release_status: status,
      product_name: product,
      product_names: [product],
      last_modified: "2026-07-01",
      text_id: number,
    })))
  }`;
}

/** PostgreSQL documentation, COPY, "Binary Format"; pgvector's halfvec_send. */
function encodeRow(item: BenchItem, set: number): Buffer {
  const hash = textHashOf(item);
  const row = new DataView(
    new ArrayBuffer(2 + 8 + 4 + hash.length + 4 + 4 + item.vector.length * 2),
  );
  row.setInt16(0, 3);
  row.setInt32(2, 4);
  row.setInt32(6, set);
  row.setInt32(10, hash.length);
  new Uint8Array(row.buffer).set(hash, 14);
  const start = 14 + hash.length;
  row.setInt32(start, 4 + item.vector.length * 2);
  row.setInt16(start + 4, item.vector.length);
  item.vector.forEach((value, index) => {
    row.setFloat16(start + 8 + index * 2, value);
  });
  return Buffer.from(row.buffer);
}

function* batchesOf<Value>(values: Iterable<Value>): Generator<Value[]> {
  let batch: Value[] = [];
  for (const value of values) {
    if (batch.push(value) === BATCH) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}
