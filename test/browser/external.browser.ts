// A company login beside the gateway's own: there and back in a real browser, and out again.
import { afterAll, beforeAll, test } from "bun:test";
import type { Page } from "playwright-core";
import { freePort } from "../support/free-port.ts";
import {
  CLIENT_ID,
  CLIENT_SECRET,
  type OpenIdProvider,
  startOpenIdProvider,
} from "../support/openid-provider.ts";
import { OWNER, setUpOwner } from "./support/first-visit.ts";
import { type RunningApp, startApp } from "./support/running-app.ts";
import { openBrowser, type WatchedBrowser } from "./support/watched-browser.ts";

let provider: OpenIdProvider;
let app: RunningApp;
let browser: WatchedBrowser;

beforeAll(async () => {
  const port = await freePort();
  provider = await startOpenIdProvider([`http://127.0.0.1:${port}/idp/callback`]);
  const settings = [
    `--oidc-issuer=${provider.issuer}`,
    `--oidc-client-id=${CLIENT_ID}`,
    `--oidc-client-secret=${CLIENT_SECRET}`,
    "--oidc-name=Plant login",
  ];
  app = await startApp(settings, { httpPort: port });
  const first = await openBrowser(app.url);
  await setUpOwner(first.page, app);
  await first.close();
  browser = await openBrowser(app.url);
  // The provider's own pages ask for fonts from afar.
  await browser.page.route(
    (url) => url.hostname !== "127.0.0.1",
    (route) => route.abort(),
  );
});
afterAll(async () => {
  await browser?.close();
  await app?.stop();
  await provider?.stop();
});

async function signInThere(page: Page): Promise<void> {
  await page.waitForURL((url) => url.origin === provider.issuer);
  await page.locator('input[name="login"]').fill(OWNER.email);
  await page.locator('input[name="password"]').fill("whatever");
  await page.locator('button[type="submit"]').click();
  await page.locator('button[type="submit"]').click(); // consent
}

test("the console leads to the external provider and back to the requested address", async () => {
  const { page } = browser;
  await page.goto(`${app.url}/settings/security`);
  await signInThere(page);
  await page.waitForURL(`${app.url}/settings/security`);
  await page.getByTestId("sessions").getByRole("listitem").first().waitFor();
});

test("the next sign-in after a sign-out asks for the account, even with an open login at the provider", async () => {
  const { page } = browser;
  await page.getByRole("button", { name: "Account and appearance" }).filter({ visible: true }).click();
  await page.getByRole("button", { name: "Sign out", exact: true }).filter({ visible: true }).click();
  await page.waitForURL((url) => url.origin === provider.issuer);
  await page.locator('input[name="login"]').waitFor();
  await page.goto(app.url); // also who comes next
  await page.waitForURL((url) => url.origin === provider.issuer);
  await page.locator('input[name="login"]').waitFor();
});
