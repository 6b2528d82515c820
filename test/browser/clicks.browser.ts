// How many clicks frequent tasks take. "An alarm on a value" and "compare two devices" are counted in their own files.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { connectAsync } from "mqtt";
import type { Locator } from "playwright-core";
import { holding, type ModbusServer, startModbusServer } from "../support/modbus-server.ts";
import { until } from "../support/until.ts";
import { useConsole } from "./support/console-page.ts";
import { expectTidy } from "./support/screenshots.ts";

const CLICKS_MAX = 3;
const ui = useConsole({
  settings: ["--outbound-allow", "127.0.0.1", "--outbound-private", "host"],
  isStill: true,
});
let press: { deviceId: string; credentials: { token: string } };
let clicks = 0;

const send = (body: string, { credentials } = press) =>
  fetch(`${ui.app.url}/api/v1/${credentials.token}/telemetry`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });

beforeAll(async () => {
  press = (await ui.call("POST", "/api/devices", { name: "Press 1", deviceType: "press" })) as typeof press;
  const begin = Date.now() - 20 * 3_600_000;
  const readings = Array.from({ length: 20 }, (_, hour) => ({
    ts: begin + hour * 3_600_000,
    values: { temperature: 20 + hour, power: 3 },
  }));
  expect((await send(JSON.stringify(readings))).status).toBe(200);
});
beforeEach(() => {
  clicks = 0;
});
afterAll(() => expect(ui.complaints).toEqual([]));

async function clickFirst(locator: Locator): Promise<void> {
  clicks++;
  await locator.filter({ visible: true }).first().click();
}

const click = (role: "link" | "button", name: string | RegExp): Promise<void> =>
  clickFirst(ui.page.getByRole(role, { name, exact: true }));

const clickInMain = (role: "link" | "button", name: string | RegExp): Promise<void> =>
  clickFirst(ui.page.getByRole("main").getByRole(role, { name }));

test("the last 24 hours of a device take two clicks from the overview", async () => {
  const { page } = ui;
  await ui.open("/");
  await clickInMain("link", "Press 1");
  await click("link", "Charts of the last 24 hours");
  await page.getByTestId("chart").first().waitFor();
  await page
    .getByText(/max 39/)
    .first()
    .waitFor();
  expect(clicks).toBe(2);
});

test("a CSV file of a device takes three clicks from its page", async () => {
  const { page } = ui;
  await ui.open(`/devices/${press.deviceId}`);
  await click("link", "Data");
  await click("button", "Export and options");
  const [file] = await Promise.all([page.waitForEvent("download"), click("button", "Download CSV")]);
  expect(file.suggestedFilename()).toBe("Press-1.csv");
  expect(clicks).toBeLessThanOrEqual(CLICKS_MAX);
});

test("why a message was rejected takes one click from the overview, and what else its device sent another", async () => {
  const { page } = ui;
  expect((await send('{"temperature":')).status).toBe(400);
  const [rejection] = (await ui.call("GET", `/api/devices/${press.deviceId}/rejections`)) as {
    reason: string;
  }[];
  await ui.open("/");
  await click("link", "Faults");
  const main = page.getByRole("main");
  await main
    .getByText(rejection?.reason ?? "no rejection")
    .first()
    .waitFor();
  await main.getByText('{"temperature":', { exact: true }).waitFor();
  await clickInMain("link", "Press 1");
  await page.getByRole("button", { name: "Pause" }).waitFor();
  expect(clicks).toBe(2);
});

test("the device that floods the gateway takes two clicks from the overview", async () => {
  const { page } = ui;
  const pump = (await ui.call("POST", "/api/devices", {
    name: "Pump 9",
    deviceType: "pump",
  })) as typeof press;
  for (let n = 0; n < 60; n++) expect((await send(JSON.stringify({ flow: n }), pump)).status).toBe(200);
  await ui.open("/");
  await click("link", "Message rate");
  const row = page.getByRole("table", { name: "Busiest devices" }).getByRole("row").nth(1);
  await row.getByText("Pump 9").waitFor();
  await clickFirst(row.getByRole("link", { name: "Pump 9" }));
  await page.getByRole("heading", { name: "Pump 9" }).waitFor();
  expect(clicks).toBe(2);
});

test("a Tasmota plug takes three clicks from the gallery to its chart", async () => {
  const { page } = ui;
  await ui.open("/integrations/new");
  await clickInMain("link", /^Tasmota/);
  await clickInMain("button", "Create integration");
  const entry = (name: string) =>
    page
      .getByTestId("broker-access")
      .getByText(name, { exact: true })
      .locator("xpath=following-sibling::dd[1]//code")
      .textContent();
  const username = (await entry("User name")) ?? "";
  const password = (await entry("Password")) ?? "";
  const plug = await connectAsync(`mqtt://127.0.0.1:${ui.app.mqttPort}`, { username, password });
  await plug.publishAsync("tele/desk-plug/SENSOR", '{"ENERGY":{"Power":42.5}}', { qos: 1 });
  await clickInMain("link", "Open chart");
  await page.getByTestId("chart").first().waitFor();
  await page.getByRole("heading", { name: "desk-plug" }).waitFor();
  await plug.endAsync(true);
  expect(clicks).toBe(3);
});

test("a Modbus device takes five clicks from the overview, with a template", async () => {
  const { page } = ui;
  const server: ModbusServer = await startModbusServer(holding(new Map([[0, 230]])));
  await ui.call("POST", "/api/modbus/connections", { name: "Hall", host: "127.0.0.1", port: server.port });
  await ui.open("/");
  await click("link", "Field connections");
  await clickInMain("link", "Hall");
  await clickInMain("link", "Start from a template");
  await clickFirst(ui.dialog().getByRole("button", { name: /SDM630/ }));
  await click("button", "Save");
  const unit = page.getByTestId("field-unit");
  await unit.getByRole("link", { name: "SDM630", exact: true }).waitFor();
  expect(clicks).toBe(5);
  await server.stop();
});

test("maintenance of a machine takes three clicks from the overview", async () => {
  const { page } = ui;
  await ui.open("/");
  await clickInMain("link", "Press 1");
  await click("button", "Maintenance");
  clicks++;
  await ui.dialog().getByRole("button", { name: "Start maintenance" }).click();
  await page.getByTestId("maintenance").waitFor();
  expect(clicks).toBeLessThanOrEqual(CLICKS_MAX);
  await page.getByRole("button", { name: "End", exact: false }).first().click();
  await page.getByTestId("maintenance").waitFor({ state: "detached" });
});

test("the alarms of a line are acknowledged with a search and three clicks, and an alarm leads to its rule with one", async () => {
  const { page } = ui;
  const [profile] = (await ui.call("GET", "/api/device-profiles")) as { profileId: string }[];
  const condition = { key: "temperature", op: "GT", value: 50 };
  await ui.call("PATCH", `/api/device-profiles/${profile?.profileId}`, {
    alarmRules: [{ alarmType: "Hot", createRules: [{ severity: "MAJOR", condition }] }],
  });
  await ui.call("PATCH", `/api/devices/${press.deviceId}`, { tags: ["Line 1"] });
  const other = (await ui.call("POST", "/api/devices", { name: "Oven", deviceType: "oven" })) as typeof press;
  expect((await send('{"temperature": 60}')).status).toBe(200);
  expect((await send('{"temperature": 60}', other)).status).toBe(200);
  await ui.open("/");
  // Its name has the number of alarms as soon as that is loaded.
  await clickFirst(page.getByRole("navigation").getByRole("link", { name: /^Alarms/ }));
  await page.getByRole("main").getByText("Oven").first().waitFor();
  await page.getByRole("searchbox").fill("Line 1");
  await page.getByRole("main").getByText("Oven").waitFor({ state: "detached" });
  // Neither is shown while the list loads, and there is nothing to select then.
  await page.getByRole("main").getByText("Press 1").first().waitFor();
  clicks++;
  // A list that loads again at this moment forgets what was selected.
  await until(async () => {
    await page.getByLabel("Select all shown").check();
    return page.getByText("1 selected").isVisible();
  });
  clicks++;
  await page.getByRole("main").getByRole("button", { name: "Acknowledge", exact: true }).first().click();
  await page.getByText("1 alarm is acknowledged.").waitFor();
  expect(clicks).toBeLessThanOrEqual(CLICKS_MAX);
  const [alarm] = (await ui.call("GET", `/api/alarms/device/${press.deviceId}`)) as { alarmId: string }[];
  await ui.open(`/alarms/${alarm?.alarmId}`);
  await click("link", "Edit the rule");
  await page.getByRole("heading", { name: "Hot" }).first().waitFor();
});

test("at most four controls stand between the tabs of a device and its first chart, and two rows of them on a phone", async () => {
  const { page } = ui;
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await ui.open(`/devices/${press.deviceId}/data?window=24h`);
    await page.getByTestId("chart").first().waitFor();
    await page.getByRole("group", { name: "Time window" }).waitFor();
    const keys = page.getByRole("button", { name: "2 of 2 values" });
    const view = page.getByLabel("View");
    const more = page.getByRole("button", { name: "Export and options" });
    const rows = new Set<number>();
    for (const control of [page.getByRole("button", { name: "24 h" }), keys, view, more]) {
      const box = await control.boundingBox();
      expect(box).not.toBeNull();
      rows.add(Math.round((box?.y ?? 0) / 12));
    }
    expect(rows.size).toBe(width === 1440 ? 1 : 2);
    await more.click();
    await page.getByRole("button", { name: "Download CSV" }).waitFor();
    await expectTidy(page, "data-menu", { language: "en", theme: "light", width });
    await page.keyboard.press("Escape");
  }
});

test("an energy widget takes six clicks from the overview", async () => {
  const { page } = ui;
  const { dashboardId } = (await ui.call("POST", "/api/demo-plant/start")) as { dashboardId: string };
  await ui.open("/");
  await click("link", "Dashboards");
  await clickInMain("link", /Demo plant/);
  await clickInMain("button", "Add widget");
  await clickFirst(ui.dialog().getByRole("button", { name: /^Energy/ }));
  // Its counter is selected by itself: the preview has bars.
  await ui.dialog().getByTestId("widget-preview").locator("svg rect").first().waitFor();
  await clickFirst(ui.dialog().getByRole("button", { name: "Apply" }));
  await click("button", "Save");
  await page.getByText("Demo plant is saved.").waitFor();
  expect(clicks).toBe(6);
  const { widgets } = (await ui.call("GET", `/api/dashboards/${dashboardId}`)) as {
    widgets: { type: string; config: { keys?: string[] } }[];
  };
  expect(widgets.findLast(({ type }) => type === "energy")?.config.keys).toEqual(["energy"]);
  await ui.call("DELETE", "/api/demo-plant");
});
