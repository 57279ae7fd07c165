/** What a process has used: processor time in seconds, and memory in megabytes. */
export interface ProcessUse {
  readonly seconds: number;
  readonly megabytes: number;
}

const TICKS_PER_SECOND = 100;

/** Measures what a process of this machine takes while something is done. */
export async function measureUse(pid: number, work: () => Promise<unknown>): Promise<ProcessUse> {
  // Resets the peak of the memory (proc(5)).
  await Deno.writeTextFile(`/proc/${pid}/clear_refs`, "5");
  const [seconds, megabytes] = [await readSeconds(pid), await readMegabytes(pid, "VmRSS")];
  await work();
  return {
    seconds: await readSeconds(pid) - seconds,
    megabytes: await readMegabytes(pid, "VmHWM") - megabytes,
  };
}

async function readSeconds(pid: number): Promise<number> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  // The name of the program, in parentheses, may have blanks.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

async function readMegabytes(pid: number, name: "VmRSS" | "VmHWM"): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)![1]) / 1024;
}
