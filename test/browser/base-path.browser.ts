// The console below a base path, behind a real nginx with TLS.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createReverseProxy, findProxy, type ReverseProxy } from "../support/reverse-proxy.ts";
import { createTestApp, PASSWORD, type TestApp } from "../support/test-app.ts";
import { openBrowser, type WatchedBrowser } from "./support/watched-browser.ts";

const BASE = "/lineside";
const isMissing = findProxy("nginx") === null;
if (isMissing && process.env.CI) throw new Error("nginx must be installed in CI");

describe.skipIf(isMissing)("behind nginx below a base path", () => {
  let proxy: ReverseProxy;
  let fixture: TestApp;
  let browser: WatchedBrowser;
  let token: string;
  let direct: string;
  /** Addresses that the page asked for outside of the base path. */
  const outside: string[] = [];
  const sockets: string[] = [];

  beforeAll(async () => {
    proxy = await createReverseProxy("nginx");
    const origin = `https://localhost:${proxy.port}`;
    const config = { public_url: `${origin}${BASE}`, trusted_proxies: "127.0.0.1" };
    fixture = await createTestApp({ config });
    direct = `http://127.0.0.1:${fixture.app.http.server?.port}`;
    await proxy.start(Number(new URL(direct).port));
    token = (await fixture.signIn("TENANT_OWNER")).token;
    browser = await openBrowser(origin, { anyCertificate: true });
    browser.page.context().on("request", (request) => {
      const { pathname, protocol } = new URL(request.url());
      if (protocol === "https:" && !pathname.startsWith(`${BASE}/`)) outside.push(request.url());
    });
    browser.page.on("websocket", (socket) => sockets.push(new URL(socket.url()).pathname));
  });
  afterAll(async () => {
    await browser?.close();
    await fixture?.stop();
    await proxy?.stop();
  });

  async function call(path: string, body: unknown) {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetch(`${direct}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return response.json();
  }

  async function signIn(url: string): Promise<void> {
    const { page } = browser;
    await page.goto(url);
    await page.getByLabel("Email").fill("user1@one.example");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(/\/lineside\/$/);
    await page.getByRole("link", { name: "Devices", exact: true }).waitFor();
  }

  test("signs in, follows links, shows live values, and stays below the base path", async () => {
    const { page } = browser;
    const root = `https://localhost:${proxy.port}${BASE}`;
    const device = await call("/api/devices", { name: "Press 7", deviceType: "press" });
    await signIn(`${root}/`);
    await page.getByRole("link", { name: "Dashboards", exact: true }).click();
    await page.waitForURL(`${root}/dashboards`);
    await page.getByRole("link", { name: "Devices", exact: true }).click();
    await page.getByRole("link", { name: "Press 7" }).click();
    await page.waitForURL(new RegExp(`${BASE}/devices/${device.deviceId}`));
    await call(`/api/v1/${device.credentials.token}/telemetry`, { pressure: 42.5 });
    await page.getByText("42.5").first().waitFor();

    await page.getByRole("link", { name: "Connect", exact: true }).click();
    await page.getByRole("button", { name: "curl", exact: true }).click();
    expect(await page.getByTestId("snippet").textContent()).toContain(`${root}/api/v1/`);

    await page.reload();
    await page.getByTestId("snippet").waitFor();
    await page.goBack();
    await page.goto(`${root}/manual/proxy`);
    await page.getByRole("heading", { name: "Base path", exact: true }).waitFor();
    await page.goto(`${root}/docs`);
    await page.getByText("on this gateway's real data").waitFor();
    await page.getByRole("link", { name: "Console" }).click();
    await page.getByRole("link", { name: "Devices", exact: true }).waitFor();

    expect(sockets.length).toBeGreaterThan(0);
    expect(sockets.filter((path) => path !== `${BASE}/api/ws`)).toEqual([]);
    expect(outside).toEqual([]);
    expect(browser.complaints).toEqual([]);
  });

  test("opens at the gateway itself, too", async () => {
    const { page } = browser;
    await page.goto(`${direct}/devices`);
    await page.waitForURL(/\/lineside\/idp\/authorize/);
    await page.getByLabel("Email").waitFor();
  });
});
