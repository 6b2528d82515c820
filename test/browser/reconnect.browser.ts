// The gateway restarts while somebody watches a chart: the console says so, comes back by itself and misses nothing.
import { afterAll, beforeAll, expect, test } from "bun:test";
import mqtt from "mqtt";
import { setUpOwner, tokenOnPage } from "./support/first-visit.ts";
import { type RunningApp, startApp } from "./support/running-app.ts";
import { openBrowser, type WatchedBrowser } from "./support/watched-browser.ts";

const STEP_MS = 40_000;
let app: RunningApp;
let browser: WatchedBrowser;

beforeAll(async () => {
  app = await startApp();
  browser = await openBrowser(app.url);
  browser.page.setDefaultTimeout(20_000);
}, 60_000);

afterAll(async () => {
  await browser?.close();
  await app?.stop();
}, 30_000);

async function sendOnce(token: string, values: object): Promise<void> {
  const device = await mqtt.connectAsync(`mqtt://127.0.0.1:${app.mqttPort}`, { username: token });
  await device.publishAsync("v1/devices/me/telemetry", JSON.stringify(values), { qos: 1 });
  await device.endAsync();
}

test(
  "a restart is announced, and what came before the console was back is in the table",
  async () => {
    const { page } = browser;
    await setUpOwner(page, app);
    await page.getByRole("button", { name: /Connect a device/ }).click();
    const token = await tokenOnPage(page);
    await sendOnce(token, { level: 11.5 });
    await page.getByRole("link", { name: "Data", exact: true }).click();
    await page.getByRole("button", { name: "Table", exact: true }).click();
    await page.getByText("11.5").first().waitFor();

    await app.halt();
    await page.getByText("Connection lost.").waitFor();
    await page.context().setOffline(true);
    await app.resume();
    await sendOnce(token, { level: 12.5 });
    expect(await page.getByText("12.5").count()).toBe(0);

    await page.context().setOffline(false);
    await page.getByText("12.5").first().waitFor();
    await page.getByText("Connection lost.").waitFor({ state: "detached" });
  },
  STEP_MS,
);
