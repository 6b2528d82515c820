// Alarms and commands on charts: of a device, in Explore and on a dashboard, with a switch that hides them.
import { beforeAll, expect, test } from "bun:test";
import { untilAnswer } from "../support/until.ts";
import { useConsole } from "./support/console-page.ts";
import { appear, expectTidy } from "./support/screenshots.ts";

const ui = useConsole({ isStill: true });
let device: { deviceId: string; credentials: { token: string } };
let dashboardId = "";

const send = (values: Record<string, unknown>, ts = Date.now()) =>
  fetch(`${ui.app.url}/api/v1/${device.credentials.token}/telemetry`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ts, values }),
  });

beforeAll(async () => {
  device = (await ui.call("POST", "/api/devices", { name: "Kiln 1", deviceType: "kiln" })) as typeof device;
  const { profileId } = (await ui.call("GET", `/api/devices/${device.deviceId}`)) as { profileId: string };
  await ui.call("PATCH", `/api/device-profiles/${profileId}`, {
    alarmRules: [
      {
        alarmType: "Overheated",
        createRules: [{ severity: "MAJOR", condition: { key: "temperature", op: "GT", value: 90 } }],
      },
    ],
  });
  const begin = Date.now() - 3_600_000;
  for (let minute = 0; minute < 60; minute += 5)
    await send({ temperature: 20 + minute }, begin + minute * 60_000);
  for (const temperature of [95, 30, 96]) await send({ temperature });
  await ui.call("POST", `/api/devices/${device.deviceId}/commands`, { method: "coolDown" });
  const board = (await ui.call("POST", "/api/dashboards", {
    name: "Hall",
    aliases: [{ id: "all", name: "all", type: "deviceList", deviceIds: [device.deviceId] }],
    layout: [{ i: "chart", x: 0, y: 0, w: 12, h: 5 }],
    widgets: [
      {
        widgetId: "chart",
        type: "timeseries",
        name: "Heat",
        config: { aliasId: "all", keys: ["temperature"] },
      },
    ],
    timeWindow: { mode: "live", durationMs: 7_200_000 },
  })) as { id: string };
  dashboardId = board.id;
});

const explorePath = () =>
  `/explore?${new URLSearchParams({ panes: `l${device.deviceId}~temperature`, window: "live.7200000" })}`;
const screens: [string, () => string][] = [
  ["the device's chart", () => `/devices/${device.deviceId}/data?keys=temperature&window=1h`],
  ["Explore", explorePath],
  ["a dashboard", () => `/dashboards/${dashboardId}`],
];
/** What is written for those who do not see the chart, and under the pointer for those who do. */
const listed = () => ui.page.getByRole("listitem").filter({ hasText: /Overheated|coolDown/ });

for (const [name, path] of screens)
  test(`${name} shows each raise of an alarm and a command, with its text under the pointer`, async () => {
    const { page } = ui;
    await ui.open(path());
    await page.getByTestId("chart").waitFor();
    await listed().nth(2).waitFor({ state: "attached" });
    const texts = await listed().allTextContents();
    expect(texts.filter((text) => /^Major “Overheated” of Kiln 1: .* – still open$/.test(text))).toHaveLength(
      1,
    );
    expect(texts.filter((text) => /^Major “Overheated” of Kiln 1: .* – .*\d$/.test(text))).toHaveLength(1);
    expect(texts.filter((text) => /^Command coolDown, /.test(text))).toHaveLength(1);
    const lines = page.locator(".u-over").first();
    const box = await lines.boundingBox();
    if (box === null) throw new Error("no chart");
    await lines.hover({ position: { x: box.width - 3, y: box.height / 2 } });
    await page.getByTestId("pointed").getByText("Overheated").first().waitFor();
    await page.getByTestId("pointed").getByText("coolDown").waitFor();
  });

test("an alarm that is raised while the chart is open appears on it", async () => {
  const { page } = ui;
  await ui.open(explorePath());
  await listed().nth(2).waitFor({ state: "attached" });
  for (const temperature of [30, 97]) await send({ temperature });
  await listed().nth(3).waitFor({ state: "attached" });
  expect(await page.getByText("still open").count()).toBe(1);
});

test("the switch hides them on all charts and is kept", async () => {
  const { page } = ui;
  await page.getByRole("button", { name: "Export and options" }).click();
  await page.getByLabel("Alarms, commands and notes").uncheck();
  await listed().first().waitFor({ state: "detached" });
  await ui.open(`/dashboards/${dashboardId}`);
  await page.getByTestId("chart").waitFor();
  expect(await page.getByLabel("Alarms, commands and notes").isChecked()).toBe(false);
  expect(await listed().count()).toBe(0);
  await page.getByLabel("Alarms, commands and notes").check();
  await listed().first().waitFor({ state: "attached" });
});

for (const appearance of [
  { language: "en", theme: "light", width: 1440 },
  { language: "de", theme: "dark", width: 360 },
] as const)
  test(`a chart with alarms and commands is accessible and keeps within ${appearance.width} px, ${appearance.theme}`, async () => {
    await appear(ui.page, appearance);
    for (const [name, path] of screens) {
      await ui.open(path());
      await listed().first().waitFor({ state: "attached" });
      await expectTidy(ui.page, `annotations ${name}`, appearance);
    }
  });

test("the chart of an alarm is zoomed by keyboard, and returns to the time around the alarm", async () => {
  const { page } = ui;
  const alarms = await ui.call("GET", `/api/alarms?deviceId=${device.deviceId}`);
  const [alarm] = alarms as { alarmId: string }[];
  await ui.open(`/alarms/${alarm?.alarmId}`);
  const panel = page.locator("section.panel").filter({ has: page.getByTestId("chart") });
  const widthMs = async () => {
    const href = (await panel.locator("a[href^='/explore']").getAttribute("href")) ?? "";
    const [, from, to] = /abs\.(\d+)\.(\d+)/.exec(decodeURIComponent(href)) ?? [];
    return Number(to) - Number(from);
  };
  const chart = panel.getByTestId("chart");
  const first = async () => {
    await chart.press("Home");
    return panel.getByTestId("chart-spoken").textContent();
  };
  await untilAnswer(first, (text) => /temperature \d+$/.test(text ?? ""));
  // Loaded values fit the window to the first of them, so its width is read after that.
  const before = await widthMs();
  expect(before).toBeGreaterThan(3_000_000);
  await chart.press("Enter");
  await untilAnswer(widthMs, (width) => Math.round(before / width) === 2);
  await chart.press("Backspace");
  await untilAnswer(widthMs, (width) => width >= before);
});

test("a chart says how many alarms, commands and notes it shows of how many", async () => {
  const { page } = ui;
  await appear(page, { theme: "light", language: "en", width: 1440 });
  for (let count = 0; count < 100; count++)
    await ui.call("POST", `/api/devices/${device.deviceId}/commands`, { method: `step${count}` });
  for (const [, path] of screens) {
    await ui.open(path());
    await page.getByText(/^101 of 102 alarms, commands and notes are shown/).waitFor();
    const rest = page.getByRole("listitem").filter({ hasText: /^\d+ more$/ });
    await rest.first().waitFor({ state: "attached" });
  }
});
