import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";

/** The minified file: a page reads it in half the time of the other. */
const axeSource = readFileSync(join(import.meta.dir, "../../../node_modules/axe-core/axe.min.js"), "utf8");

/**
 * Waits until no color is on its way from one theme to the other. The page hears of another theme a frame later, and an
 * inherited color reaches each level of the tree a transition later than the level above.
 */
const settled = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const running = () =>
      document
        .getAnimations()
        .filter((animation) => animation.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY);
    for (let still = 0; still < 3; ) {
      const ending = running();
      await Promise.allSettled(ending.map((animation) => animation.finished));
      await frame();
      still = ending.length > 0 ? 0 : still + 1;
    }
  });

/**
 * What axe finds serious or critical on the page. An element that changes while it is looked at, such as a button that becomes enabled, can
 * be found with the old color on the new ground: only what a second look finds, too, counts.
 */
export async function seriousFindings(page: Page): Promise<string[]> {
  const first = await findingsNow(page);
  if (first.length === 0) return first;
  const second = await findingsNow(page);
  return first.filter((finding) => second.includes(finding));
}

async function findingsNow(page: Page): Promise<string[]> {
  await settled(page);
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axeSource);
  const violations = await page.evaluate(async () => {
    // Injected by the line above. Only rules that are off by default need what `preload` loads.
    const { axe: injected } = globalThis as unknown as { axe: typeof import("axe-core") };
    const result = await injected.run(document, { resultTypes: ["violations"], preload: false });
    return result.violations.map((v) => ({
      id: v.id,
      impact: v.impact,
      nodes: v.nodes.map((n) => n.html.slice(0, 160)),
    }));
  });
  return violations
    .filter((v) => v.impact === "serious" || v.impact === "critical")
    .map((v) => `${v.id}: ${v.nodes.slice(0, 3).join(" | ")}`);
}

/** Horizontal overflow of the page and of its main part, in px. */
export function overflow(page: Page): Promise<number[]> {
  return page.evaluate(() => {
    const main = document.querySelector("main");
    return [
      document.documentElement.scrollWidth - innerWidth,
      main ? main.scrollWidth - main.clientWidth : 0,
    ];
  });
}
