/**
 * `deno task screenshots`: makes the pictures of README.md from the sample roadmap, as a fresh start
 * shows it, so that they stay true.
 */
import { LOOKS, openPage, startBrowser, startSampleServer } from "./support/browser.ts";

const FOLDER = new URL("../docs/pictures/", import.meta.url).pathname;

await using server = await startSampleServer();
const browser = await startBrowser();
for (const { options } of LOOKS.filter(({ options }) => options.viewport.width === 1280)) {
  const { page, close } = await openPage(browser, server, { ...options, reducedMotion: "reduce" });
  await page.goto("/");
  await page.waitForLoadState("networkidle");
  const path = `${FOLDER}roadmap-${options.colorScheme}.png`;
  await page.screenshot({ path });
  console.log(`Wrote ${path}`);
  await close();
}
await browser.close();
