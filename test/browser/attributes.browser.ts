// Attributes as people see them: what is desired beside what the device reports, and the history of both.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { callApi } from "./support/call-api.ts";
import { setUpOwner } from "./support/first-visit.ts";
import { type RunningApp, startApp } from "./support/running-app.ts";
import { openBrowser, type WatchedBrowser } from "./support/watched-browser.ts";

const STEP_MS = 30_000;
let app: RunningApp;
let browser: WatchedBrowser;
let deviceId = "";
let token = "";

beforeAll(async () => {
  app = await startApp();
  browser = await openBrowser(app.url);
  const { page } = browser;
  page.setDefaultTimeout(10_000);
  await setUpOwner(page, app);
  await page.getByRole("button", { name: /Connect a device/ }).click();
  await page.waitForURL(/\/devices\/[^/]+\/connect$/);
  deviceId = /devices\/([^/]+)\//.exec(page.url())?.[1] ?? "";
  const device = await callApi(page, app, "GET", `/api/devices/${deviceId}`);
  token = (device as { credentials: { token: string } }).credentials.token;
  await page.getByRole("link", { name: "Attributes", exact: true }).click();
}, 60_000);

afterAll(async () => {
  await browser?.close();
  await app?.stop();
}, 30_000);

const report = (attributes: unknown) =>
  fetch(`${app.url}/api/v1/${token}/attributes`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(attributes),
  });

test(
  "a desired value shows what the device reports of it, live, until the device has taken it up",
  async () => {
    const { page } = browser;
    await page.getByRole("button", { name: "Add attribute" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("setpoint");
    await dialog.getByRole("button", { name: "Number" }).click();
    await dialog.getByLabel("Value", { exact: true }).fill("21");
    await dialog.getByRole("button", { name: "Save" }).click();
    const row = page.getByRole("listitem").filter({ hasText: "setpoint" });
    await row.getByText("not reported").waitFor();
    await report({ setpoint: 19 });
    await row.getByText("device reports 19").waitFor();
    await report({ setpoint: 21 });
    await row.getByText("taken up").waitFor();
  },
  STEP_MS,
);

test(
  "the history of one attribute, and of all, tells who set what, and grows as it happens",
  async () => {
    const { page } = browser;
    await callApi(page, app, "POST", `/api/devices/${deviceId}/attributes`, {
      scope: "SHARED",
      attributes: { setpoint: 22 },
    });
    await page.getByRole("button", { name: "History of setpoint" }).click();
    const dialog = page.getByRole("dialog");
    const lines = dialog.getByTestId("attribute-history").getByRole("listitem");
    await lines.nth(1).waitFor();
    expect(await lines.allInnerTexts()).toEqual([
      expect.stringMatching(/^22\n.*@/s),
      expect.stringMatching(/^21\n.*@/s),
    ]);
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "History", exact: true }).click();
    const all = page.getByTestId("attribute-history").getByRole("listitem");
    await all.nth(3).waitFor();
    await report({ firmware: "1.2" });
    await all.first().getByText("firmware").waitFor();
    await all.first().getByText("the device").waitFor();
    await page.getByRole("button", { name: "Client" }).click();
    await page.waitForURL(/scope=CLIENT/);
    await page.getByText("22", { exact: true }).waitFor({ state: "detached" });
    await all.nth(2).waitFor();
    expect(await all.count()).toBe(3);
  },
  STEP_MS,
);
