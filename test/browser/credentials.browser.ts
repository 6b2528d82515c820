// How a device signs in, decided in the console: token, password, certificate, and with TLS.

import { beforeAll, expect, test } from "bun:test";
import mqtt from "mqtt";
import { freePort } from "../support/free-port.ts";
import { overflow, seriousFindings } from "./support/accessibility.ts";
import { useConsole } from "./support/console-page.ts";

let tlsPort = 0;
const ui = useConsole({
  async settings() {
    tlsPort = await freePort();
    return ["--tls", "auto", "--https-port", String(await freePort()), "--mqtt-tls-port", String(tlsPort)];
  },
});

beforeAll(async () => {
  await ui.connectDevice();
});

const example = async () => (await ui.page.getByTestId("snippet").textContent()) ?? "";

test("the example with TLS has the port and the certificate, which can be downloaded", async () => {
  const { page } = ui;
  await page.getByTestId("snippet").waitFor();
  expect(await example()).not.toContain("cafile");
  await page.getByLabel("With TLS").check();
  expect(await example()).toContain(`--cafile ca.pem -h 127.0.0.1 -p ${tlsPort}`);
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: /Download ca\.pem/ }).click();
  expect((await download).suggestedFilename()).toBe("lineside-ca.pem");
});

test("a device gets a user name and a password that is shown once, and signs in with them", async () => {
  const { page } = ui;
  await page.getByRole("button", { name: "Change credentials" }).click();
  const dialog = ui.dialog();
  await dialog.getByRole("button", { name: "Password", exact: true }).click();
  await dialog.getByLabel("User name", { exact: true }).fill("pump 7");
  expect(await seriousFindings(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Change credentials" }).click();
  const password = (await page.getByTestId("copyable").textContent()) ?? "";
  expect(password.length).toBeGreaterThanOrEqual(24);
  await page.getByRole("button", { name: "I have copied it" }).click();
  expect(await page.getByText(password).count()).toBe(0);
  expect(await example()).toContain("-u 'pump 7' -P THE-PASSWORD");
  expect(await page.getByRole("button", { name: "curl" }).count()).toBe(0);
  const ca = await (await fetch(`${ui.app.url}/api/v1/connectivity/ca.pem`)).text();
  const client = await mqtt.connectAsync(`mqtts://127.0.0.1:${tlsPort}`, {
    username: "pump 7",
    password,
    ca,
    reconnectPeriod: 0,
  });
  await client.publishAsync("v1/devices/me/telemetry", '{"temperature": 21.5}', { qos: 1 });
  await page.locator('[data-testid="connect-status"][data-state="receiving"]').waitFor();
  await client.endAsync();
});

test("an invalid certificate shows its error, and a fingerprint is accepted", async () => {
  const { page } = ui;
  await page.getByRole("button", { name: "Change credentials" }).click();
  const dialog = ui.dialog();
  await dialog.getByRole("button", { name: "Certificate", exact: true }).click();
  await dialog.getByLabel("Certificate of the device (PEM)").fill("-----BEGIN PRIVATE KEY-----");
  await dialog.getByRole("button", { name: "Change credentials" }).click();
  await dialog.getByRole("alert").filter({ hasText: "private key" }).waitFor();
  await dialog.getByLabel("Certificate of the device (PEM)").fill("ab".repeat(32));
  await dialog.getByRole("button", { name: "Change credentials" }).click();
  await page.getByText("ab".repeat(32)).waitFor();
  expect(await example()).toContain("--cert device.pem --key device.key");
  expect(await page.getByLabel("With TLS").isDisabled()).toBe(true);
  for (const width of [360, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await overflow(page)).toEqual([0, 0]);
    expect(await seriousFindings(page)).toEqual([]);
  }
});

test("a device returns to an access token", async () => {
  const { page } = ui;
  await page.getByRole("button", { name: "Change credentials" }).click();
  const dialog = ui.dialog();
  await dialog.getByRole("button", { name: "Access token" }).click();
  await dialog.getByLabel("Token of your own").fill("my-own-token-7-of-20-characters");
  await dialog.getByRole("button", { name: "Change credentials" }).click();
  await page.getByRole("button", { name: "Create new token" }).waitFor();
  expect(await example()).toContain("my-own-token-7-of-20-characters");
});
