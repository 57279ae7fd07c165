/** The gate runs every test, and every run of a property; `deno task test` alone the quick ones. */
const RUNS_ALL = Deno.env.get("TEST_ALL") === "1";

/** The tests of this process that are left to the gate. */
let left = 0;

/** Registers a test that takes more than a second, in the gate only. */
export function slowTest<Test>(
  register: (name: string, test: Test) => void,
  name: string,
  test: Test,
): void {
  if (RUNS_ALL) register(name, test);
  else left += 1;
}

/** How many runs of a property are tried: a fifth where the gate tries all. */
export function runs(all: number): number {
  return RUNS_ALL ? all : Math.ceil(all / 5);
}

/** Shows in the output of the tests how many are left. */
export function noteLeftTests(): void {
  if (left === 0) return;
  Deno.test({ name: `${left} slow tests, which TEST_ALL=1 runs`, ignore: true, fn: () => {} });
}
