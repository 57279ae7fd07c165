/** A disk in memory. */
export interface Disk {
  readonly folder: string;
  /** Changes its options, such as `ro` or `size=400m`. */
  remount(options: string): Promise<void>;
  unmount(): Promise<void>;
}

/** Mounts a disk in memory; null, with the reason logged, where mounting is not allowed. */
export async function mountDisk(options: string): Promise<Disk | null> {
  const folder = await Deno.makeTempDir();
  const failure = await run("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder]);
  if (failure !== null) {
    await Deno.remove(folder);
    console.log(`A test with a disk of its own is left out: ${failure}`);
    return null;
  }
  return {
    folder,
    async remount(options) {
      const failure = await run("mount", ["-o", `remount,${options}`, folder]);
      if (failure !== null) throw new Error(failure);
    },
    async unmount() {
      await run("umount", [folder]);
      await Deno.remove(folder);
    },
  };
}

/** Runs a command; returns null, or its error output if it failed. */
async function run(command: string, args: string[]): Promise<string | null> {
  try {
    const { success, stderr } = await new Deno.Command(command, { args }).output();
    return success ? null : new TextDecoder().decode(stderr).trim();
  } catch (error) {
    return String(error);
  }
}
