import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { overflow, seriousFindings } from "./accessibility.ts";

export interface Appearance {
  readonly theme: "light" | "dark";
  /** As it was, if undefined. */
  readonly language?: "en" | "de";
  readonly width: number;
}

/** From the next page on. */
export async function appear(page: Page, { theme, language, width }: Appearance): Promise<void> {
  await page.evaluate(
    ([selected, spoken]) => {
      localStorage.setItem("lineside.theme", selected);
      if (spoken) localStorage.setItem("lineside.language", spoken);
    },
    [theme, language] as const,
  );
  await page.setViewportSize({ width, height: 900 });
}

/** What is on the page now has no serious accessibility finding and keeps within its width. `SHOTS` names a folder for pictures. */
export async function expectTidy(page: Page, name: string, { theme, width }: Appearance): Promise<void> {
  if (process.env.SHOTS)
    await page.screenshot({ path: `${process.env.SHOTS}/${name}-${theme}-${width}.png` });
  expect({ name, findings: await seriousFindings(page) }).toEqual({ name, findings: [] });
  expect({ name, px: (await overflow(page)).map((px) => Math.max(0, px)) }).toEqual({ name, px: [0, 0] });
}
