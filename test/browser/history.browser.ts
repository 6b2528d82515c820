// History out of a device and into it, as files, the way a person does it.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { setUpOwner } from "./support/first-visit.ts";
import { type RunningApp, startApp } from "./support/running-app.ts";
import { openBrowser, type WatchedBrowser } from "./support/watched-browser.ts";

const STEP_MS = 30_000;
let app: RunningApp;
let browser: WatchedBrowser;

beforeAll(async () => {
  app = await startApp();
  browser = await openBrowser(app.url);
  browser.page.setDefaultTimeout(10_000);
  await setUpOwner(browser.page, app);
  await browser.page.getByRole("button", { name: /Connect a device/ }).click();
  await browser.page.waitForURL(/\/devices\/[^/]+\/connect$/);
}, 60_000);

afterAll(async () => {
  await browser?.close();
  await app?.stop();
}, 30_000);

const ROWS = 40_000;
const START = Date.now() - ROWS * 1000;
const rows = Array.from(
  { length: ROWS },
  (_, index) => `${START + index * 1000},${(index % 977) / 10},"note ${index}"`,
);

test(
  "a device without data takes a file, tells of refused rows, and shows what came",
  async () => {
    const { page } = browser;
    await page.getByRole("link", { name: "Data", exact: true }).click();
    await page.getByRole("button", { name: "Import", exact: true }).click();
    const file = `ts,temperature,note\n${rows.join("\n")}\nnever,1,x\n`;
    await page
      .locator('input[type="file"]')
      .setInputFiles({ name: "history.csv", mimeType: "text/csv", buffer: Buffer.from(file) });
    await page.getByRole("dialog").getByRole("button", { name: "Import", exact: true }).click();
    const outcome = page.getByRole("status").filter({ hasText: "stored" });
    await outcome.waitFor();
    expect(await outcome.textContent()).toMatch(
      /80,000 values are stored.*1 rows were refused, the first because: ts must be/,
    );
    const german = "Zeit;temperature\r\n05.01.2026 10:00;1.021,5\r\n";
    await page
      .locator('input[type="file"]')
      .setInputFiles({ name: "german.csv", mimeType: "text/csv", buffer: Buffer.from(german) });
    await page.getByLabel("Time zone").fill("Europe/Berlin");
    await page.getByRole("dialog").getByRole("button", { name: "Import", exact: true }).click();
    await page.getByText("1 values are stored.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("temperature").first().waitFor();
  },
  STEP_MS,
);

test(
  "everything can be downloaded again, as CSV and exactly",
  async () => {
    const { page } = browser;
    await page.getByRole("button", { name: "Import, export" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Everything").click();
    const texts: string[] = [];
    for (const format of ["CSV", "NDJSON"]) {
      await dialog.getByText(format, { exact: true }).click();
      const download = page.waitForEvent("download");
      await dialog.getByRole("button", { name: "Download" }).click();
      texts.push(await Bun.file(await (await download).path()).text());
    }
    expect(texts[0]?.split("\r\n").length).toBe(ROWS + 1 + 2); // with the row of the German file
    expect(texts[0]?.split("\r\n").slice(0, 3)).toEqual([
      "ts,note,temperature",
      "2026-01-05T09:00:00.000Z,,1021.5",
      `${new Date(START).toISOString()},note 0,0`,
    ]);
    expect(texts[1]?.split("\n")[2]).toBe(
      `{"ts":${START + 1000},"values":{"note":"note 1","temperature":0.1}}`,
    );
  },
  STEP_MS,
);

test("the pages caused no console error and no request to another host", () => {
  expect(browser.complaints).toEqual([]);
});
