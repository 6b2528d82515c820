// Attributes as people see them: what is desired beside what the device reports, and the history of both.

import { beforeAll, expect, test } from "bun:test";
import { useConsole } from "./support/console-page.ts";

const ui = useConsole();
let deviceId = "";
let token = "";

beforeAll(async () => {
  const { page } = ui;
  deviceId = await ui.connectDevice();
  const device = await ui.call("GET", `/api/devices/${deviceId}`);
  token = (device as { credentials: { token: string } }).credentials.token;
  await page.getByRole("link", { name: "Attributes", exact: true }).click();
});

const shared = () => ui.page.getByRole("region", { name: /^Shared \d/ });

const report = (attributes: unknown) =>
  fetch(`${ui.app.url}/api/v1/${token}/attributes`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(attributes),
  });

test("a desired value shows what the device reports, until the device has applied it", async () => {
  const { page } = ui;
  await page.getByRole("button", { name: "Add attribute" }).click();
  const dialog = ui.dialog();
  await dialog.getByLabel("Name").fill("setpoint");
  await dialog.getByRole("button", { name: "Number" }).click();
  await dialog.getByLabel("Value", { exact: true }).fill("21");
  await dialog.getByRole("button", { name: "Save" }).click();
  const row = shared().getByRole("listitem").filter({ hasText: "setpoint" });
  await row.getByText("not reported").waitFor();
  await report({ setpoint: 19 });
  await row.getByText("device reports 19").waitFor();
  await report({ setpoint: 21 });
  await row.getByText("in sync").waitFor();
  await page.getByRole("heading", { name: "Client 1" }).waitFor();
});

test("what the gateway observes is read only, and its times are dates", async () => {
  const server = ui.page.getByRole("region", { name: /^Server \d/ });
  const seen = server.getByRole("listitem").filter({ hasText: "lastActivityTime" });
  await seen.getByText(/\d \w{3} 20\d\d, \d\d:\d\d:\d\d/).waitFor();
  expect(await server.getByRole("button").count()).toBe(0);
});

test("the history of one attribute, and of all, shows who set which value and is updated live", async () => {
  const { page } = ui;
  await ui.call("POST", `/api/devices/${deviceId}/attributes`, {
    scope: "SHARED",
    attributes: { setpoint: 22 },
  });
  await shared().getByRole("button", { name: "History of setpoint" }).click();
  const dialog = ui.dialog();
  const lines = dialog.getByTestId("attribute-history").getByRole("listitem");
  await lines.nth(1).waitFor();
  expect(await lines.allInnerTexts()).toEqual([
    expect.stringMatching(/^22\n.*@/s),
    expect.stringMatching(/^21\n.*@/s),
  ]);
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "History", exact: true }).click();
  const all = page.getByTestId("timeline").getByRole("listitem");
  await all.nth(3).waitFor();
  await report({ firmware: "1.2" });
  await all.first().getByText("firmware").waitFor();
  await all.first().getByText("the device").waitFor();
  await page.getByRole("button", { name: "Notes", exact: true }).click();
  await page.waitForURL(/kind=notes/);
  await page.getByText("No entries yet").waitFor();
});
