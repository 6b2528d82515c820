// The API documentation: offline, and tried out in the session of whoever reads it.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { setUpOwner } from "./support/first-visit.ts";
import { type RunningApp, startApp } from "./support/running-app.ts";
import { openBrowser, type WatchedBrowser } from "./support/watched-browser.ts";

let app: RunningApp;
let browser: WatchedBrowser;

beforeAll(async () => {
  app = await startApp();
  browser = await openBrowser(app.url);
  browser.page.setDefaultTimeout(15_000);
}, 60_000);

afterAll(async () => {
  await browser?.close();
  await app?.stop();
}, 30_000);

test("whoever is not signed in is told how to try requests out", async () => {
  const { page } = browser;
  await page.goto(`${app.url}/docs`);
  await page.getByRole("link", { name: "Sign in", exact: true }).waitFor();
  await page.getByRole("heading", { name: /^Lineside/ }).waitFor();
}, 40_000);

test("a request that is tried out goes in the session of the console, and is answered", async () => {
  const { page } = browser;
  await setUpOwner(page, app);
  await page.goto(`${app.url}/docs#/auth/getCurrentUser`);
  await page.getByText("requests go out as anna@plant-north.example (TENANT_OWNER)").waitFor();
  const operation = page.locator("#operations-auth-getCurrentUser");
  const [answer] = await Promise.all([
    page.waitForResponse((response) => new URL(response.url()).pathname === "/api/auth/me"),
    operation.getByRole("button", { name: "Execute" }).click(),
  ]);
  expect(answer.status()).toBe(200);
  expect(await answer.json()).toMatchObject({ email: "anna@plant-north.example" });
  await operation.getByText('"TENANT_OWNER"').first().waitFor();
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/api-docs.png` });
}, 40_000);

test("the page caused no console error and no request to another host", () => {
  expect(browser.complaints).toEqual([]);
});
