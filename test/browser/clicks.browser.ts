// How many clicks frequent tasks take, counted on the plant of the demo. "An alarm on a value" and "compare two devices" are counted in their own files.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { until } from "../support/until.ts";
import { useConsole } from "./support/console-page.ts";
import { expectTidy } from "./support/screenshots.ts";

const CLICKS_MAX = 3;
const ui = useConsole({ isStill: true });
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

async function click(role: "link" | "button", name: string): Promise<void> {
  clicks++;
  await ui.page.getByRole(role, { name, exact: true }).filter({ visible: true }).first().click();
}

test("the last 24 hours of a device take three clicks from the overview", async () => {
  const { page } = ui;
  await ui.open("/");
  clicks++;
  await page.getByRole("main").getByRole("link", { name: "Press 1" }).first().click();
  await click("link", "Data");
  await click("button", "24 h");
  await page.getByTestId("chart").first().waitFor();
  await page
    .getByText(/max 39/)
    .first()
    .waitFor();
  expect(clicks).toBeLessThanOrEqual(CLICKS_MAX);
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

test("why a message was rejected takes three clicks from the overview", async () => {
  const { page } = ui;
  expect((await send('{"temperature":')).status).toBe(400);
  await ui.open("/");
  clicks++;
  await page.getByRole("main").getByRole("link", { name: "Press 1" }).first().click();
  await click("link", "Messages");
  const [rejection] = (await ui.call("GET", `/api/devices/${press.deviceId}/rejections`)) as {
    reason: string;
  }[];
  await page
    .getByText(rejection?.reason ?? "no rejection", { exact: false })
    .first()
    .waitFor();
  expect(clicks).toBeLessThanOrEqual(CLICKS_MAX);
});

test("maintenance of a machine takes three clicks from the overview", async () => {
  const { page } = ui;
  await ui.open("/");
  clicks++;
  await page.getByRole("main").getByRole("link", { name: "Press 1" }).first().click();
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
  await click("link", "Alarms");
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
