// The manual that comes with the gateway: read, searched, offline.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { overflow, seriousFindings } from "./support/accessibility.ts";
import { setUpOwner } from "./support/first-visit.ts";
import { type RunningApp, startApp } from "./support/running-app.ts";
import { openBrowser, type WatchedBrowser } from "./support/watched-browser.ts";

const STEP_MS = 40_000;
let app: RunningApp;
let browser: WatchedBrowser;

beforeAll(async () => {
  app = await startApp();
  browser = await openBrowser(app.url);
  browser.page.setDefaultTimeout(10_000);
  await setUpOwner(browser.page, app);
}, 60_000);

afterAll(async () => {
  await browser?.close();
  await app?.stop();
}, 30_000);

test(
  "a page is found by its words, read, and leads to others",
  async () => {
    const { page } = browser;
    await page.goto(`${app.url}/manual`);
    await page.getByRole("heading", { name: "Devices", level: 2 }).first().waitFor();
    await page.getByRole("searchbox", { name: "Search the manual" }).fill("webhook signature");
    await page.getByTestId("found").getByRole("link", { name: "Webhooks" }).click();
    await page.getByRole("article").getByRole("heading", { name: "Webhooks", exact: true }).waitFor();
    await page
      .getByRole("navigation", { name: "Pages of the manual" })
      .getByRole("link", { name: "Alarms", exact: true })
      .click();
    await page.getByRole("article").getByRole("heading", { name: "Alarms", exact: true }).waitFor();
    await page.getByRole("searchbox", { name: "Search the manual" }).fill("qwertyuiop");
    await page.getByText("Nothing found").waitFor();
  },
  STEP_MS,
);

for (const [theme, width] of [
  ["light", 360],
  ["dark", 1440],
] as const)
  test(
    `it is accessible and keeps within ${width} px, ${theme}`,
    async () => {
      const { page } = browser;
      await page.evaluate((selected) => localStorage.setItem("lineside.theme", selected), theme);
      await page.setViewportSize({ width, height: 900 });
      for (const id of ["integrations", "benchmarks", "device-protocol"]) {
        await page.goto(`${app.url}/manual/${id}`);
        await page.getByRole("article").waitFor();
        if (process.env.SHOTS)
          await page.screenshot({ path: `${process.env.SHOTS}/manual-${id}-${theme}-${width}.png` });
        expect({ id, findings: await seriousFindings(page) }).toEqual({ id, findings: [] });
        expect({ id, px: (await overflow(page)).map((px) => Math.max(0, px)) }).toEqual({ id, px: [0, 0] });
      }
    },
    STEP_MS,
  );

test("the pages caused no console error and no request to another host", () => {
  expect(browser.complaints).toEqual([]);
});
