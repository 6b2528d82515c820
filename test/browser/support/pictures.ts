import { expect } from "bun:test";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { appear } from "./screenshots.ts";

/** Whether the pictures of the documentation are to be taken: they change with every run. */
export const takesPictures = process.env.LINESIDE_README_IMAGES === "1";

const IMAGES = join(import.meta.dir, "../../../docs/images");
const BYTES_MAX = 80_000;
/** Time in which a page shows its newest data. */
export const SETTLED_MS = 2500;

export type PageLanguage = "en" | "de";
export const pageLanguages: readonly PageLanguage[] = ["en", "de"];
export type Clip = NonNullable<NonNullable<Parameters<Page["screenshot"]>[0]>["clip"]>;

/** A screen of settings without the navigation beside it. */
export const screenClip = (height = 560): Clip => ({ x: 224, y: 0, width: 816, height });

/** Shows the console in a language, by default in a size that suits `screenClip`. */
export async function showIn(page: Page, language: PageLanguage, height = 560, width = 1040): Promise<void> {
  await appear(page, { theme: "light", language, width });
  await page.setViewportSize({ width, height });
}

/** Saves what the page shows now. Needs `pngquant`, which reduces the number of colors. */
export async function take(page: Page, name: string, language: PageLanguage, clip?: Clip): Promise<void> {
  await page.waitForTimeout(SETTLED_MS);
  const path = join(IMAGES, `${name}${language === "en" ? "" : `.${language}`}.png`);
  await page.screenshot({ path, ...(clip && { clip }) });
  const { exitCode } = Bun.spawnSync([
    "pngquant",
    "--force",
    "--strip",
    "--speed=1",
    "--ext=.png",
    "128",
    path,
  ]);
  expect([path, exitCode]).toEqual([path, 0]);
  expect([path, (await stat(path)).size < BYTES_MAX]).toEqual([path, true]);
}
