/**
 * The parts of curl that the documents use, for machines without it: `-X`, `-H`, `-d`,
 * `--data-binary`, one URL. Unlike curl it fails on an error status, as no document shows one.
 */
import { parseArgs } from "node:util";

const { values, positionals: [address] } = parseArgs({
  args: Deno.args,
  allowPositionals: true,
  options: {
    request: { type: "string", short: "X" },
    header: { type: "string", short: "H", multiple: true },
    data: { type: "string", short: "d" },
    "data-binary": { type: "string" },
  },
});
const headers = (values.header ?? []).map((line) => /^(.*?): (.*)$/.exec(line)!.slice(1, 3));
const file = values["data-binary"];
const response = await fetch(address!.includes("://") ? address! : `http://${address}`, {
  method: values.request ?? (values.data ?? file ? "POST" : "GET"),
  headers: headers as [string, string][],
  body: file?.startsWith("@") ? await Deno.readFile(file.slice(1)) : file ?? values.data,
});
console.log(await response.text());
if (!response.ok) {
  console.log(`${address} answered ${response.status}`);
  Deno.exitCode = 22;
}
