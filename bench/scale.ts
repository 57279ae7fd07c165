import { ScaleOptions } from "./scale_report.ts";
import { findNginx } from "./nginx.ts";
import { prepareDatabase } from "./scale_data.ts";
import { printRun, printScaleTitle } from "./scale_report.ts";
import { runScale } from "./scale_run.ts";

/** How many servers share the database, run by run. */
const PROCESSES = [1, 4];

/** Loads one process and then four behind nginx; true: nothing was lost, doubled or different. */
export async function benchScale(
  { items, subscribers, seconds }: ScaleOptions,
  server: string,
): Promise<boolean> {
  if (findNginx() === null) {
    console.error("nginx is missing. Install it (Debian: apt-get install nginx) and try again");
    return false;
  }
  console.error(`Making ${items} releases and ${subscribers} subscribers …`);
  const folder = await Deno.makeTempDir({ prefix: "roadcast-bench-" });
  try {
    await using prepared = await prepareDatabase(server, { items, subscribers });
    printScaleTitle({ items, subscribers, seconds });
    let isGood = true;
    for (const processes of PROCESSES) {
      await using copy = await prepared.copy();
      const run = await runScale(processes, { databaseUrl: copy.url, seconds, folder });
      printRun(run);
      isGood &&= run.wrong.length === 0;
    }
    return isGood;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
