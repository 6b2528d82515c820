// People and programs: what somebody sets of themselves, and what an administrator does with users and API keys.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { setUpOwner } from "./support/newcomer.ts";
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
}, 60_000);

afterAll(async () => {
  await browser?.close();
  await app?.stop();
}, 30_000);

test(
  "the own name and notifications are set in the profile, and a phone number of letters is not taken",
  async () => {
    const { page } = browser;
    await page.goto(app.url);
    await page.getByRole("button", { name: "Account and appearance" }).last().click();
    await page.getByRole("link", { name: "My profile" }).click();
    await page.getByLabel("Name").fill("Anna M. Berger");
    await page.getByLabel("is cleared").check();
    await page.getByLabel("Warning").uncheck();
    await page.getByLabel("From level").selectOption("2");
    const phone = page.getByLabel("Phone number");
    await phone.fill("call me");
    await page.getByRole("button", { name: "Save" }).click();
    expect(await phone.evaluate((input: HTMLInputElement) => input.validity.patternMismatch)).toBe(true);
    await phone.fill("+49 170 1234567");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").first().waitFor();
    await page.reload();
    await page.getByLabel("is cleared").waitFor();
    expect(await page.getByLabel("Name").inputValue()).toBe("Anna M. Berger");
    expect(await page.getByLabel("is cleared").isChecked()).toBe(true);
    expect(await page.getByLabel("Warning").isChecked()).toBe(false);
    expect(await page.getByLabel("From level").inputValue()).toBe("2");
    expect(await phone.inputValue()).toBe("+49 170 1234567");
  },
  STEP_MS,
);

test("the pages caused no console error, no exception and no request to another host", () => {
  expect(browser.complaints).toEqual([]);
});
