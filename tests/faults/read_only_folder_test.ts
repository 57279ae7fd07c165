import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { makeItem } from "../support/app.ts";
import { runCommand } from "../support/command.ts";
import { mountDisk } from "../support/disk.ts";

const disk = await mountDisk("size=200m");

Deno.test({
  name: "A read-only folder is reported in one line, and its contents are preserved",
  ignore: disk === null,
  async fn() {
    const DATA_DIR = `${disk!.folder}/data`;
    const file = await Deno.makeTempFile({ suffix: ".json" });
    await Deno.writeTextFile(file, JSON.stringify([makeItem(1)]));
    const refused = {
      code: 1,
      out: "",
      err: `Cannot use the embedded database in ${DATA_DIR}: Read-only file system; ` +
        "set DATA_DIR to a writable folder",
    };
    try {
      for (const isNew of [true, false]) {
        await disk!.remount("ro");
        for (const command of [["import", file], ["serve"], ["migrate"]]) {
          assertEquals(await runCommand(command, { DATA_DIR, PORT: "0" }), refused);
        }
        await disk!.remount("rw");
        const { code, out } = await runCommand(["import", file], { DATA_DIR });
        const counts = isNew ? "1 added, 0 changed" : "0 added, 0 changed";
        assertEquals([code, out.includes(counts)], [0, true], out);
      }
    } finally {
      await Deno.remove(file);
      await disk!.unmount();
    }
  },
});

Deno.test("A DATA_DIR that is a file is reported in one line", async () => {
  const file = await Deno.makeTempFile();
  for (const [DATA_DIR, reason] of [[file, "File exists"], [`${file}/x`, "Not a directory"]]) {
    assertEquals(await runCommand(["migrate"], { DATA_DIR: DATA_DIR! }), {
      code: 1,
      out: "",
      err: `Cannot use the embedded database in ${DATA_DIR}: ${reason}; ` +
        "set DATA_DIR to a writable folder",
    });
  }
  await Deno.remove(file);
});
