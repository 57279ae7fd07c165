import type { Page } from "playwright-core";

/**
 * The sum of the layout shifts since the page was loaded, as measured by the browser (Layout
 * Instability, CLS).
 *
 * @param unexplained leaves out shifts during or right after an input
 */
export function sumShifts(page: Page, { unexplained = false } = {}): Promise<number> {
  return page.evaluate((unexplained) =>
    new Promise<number>((resolve) => {
      const observer = new PerformanceObserver((list) => add(list.getEntries()));
      let sum = 0;
      function add(entries: PerformanceEntryList): void {
        for (const entry of entries as (PerformanceEntry & Shift)[]) {
          if (!unexplained || !entry.hadRecentInput) sum += entry.value;
        }
      }
      observer.observe({ type: "layout-shift", buffered: true });
      // Buffered entries arrive in a separate task, new ones after the next frames.
      requestAnimationFrame(() =>
        requestAnimationFrame(() => {
          setTimeout(() => {
            add(observer.takeRecords());
            resolve(sum);
          });
        })
      );
    }), unexplained);
}

interface Shift {
  value: number;
  hadRecentInput: boolean;
}
