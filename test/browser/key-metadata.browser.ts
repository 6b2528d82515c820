// Metadata of telemetry keys: suggestions are confirmed, and units are seen wherever the values are.

import { beforeAll, expect, test } from "bun:test";
import { useConsole } from "./support/console-page.ts";
import { appear, expectTidy } from "./support/screenshots.ts";

const SPACE = "\u202f";
const ui = useConsole({ isStill: true });
const tidy = (name: string) =>
  expectTidy(ui.page, `keys-${name}`, { theme: "light", language: "en", width: 1440 });
let token: string;
let deviceId: string;
let profileId: string;

const send = (values: object) =>
  fetch(`${ui.app.url}/api/v1/${token}/telemetry`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(values),
  });

beforeAll(async () => {
  const device = (await ui.call("POST", "/api/devices", { name: "Oven 1", deviceType: "oven" })) as {
    deviceId: string;
    profileId: string;
    credentials: { token: string };
  };
  deviceId = device.deviceId;
  token = device.credentials.token;
  const [profile] = (await ui.call("GET", "/api/device-profiles")) as Array<{ profileId: string }>;
  profileId = profile?.profileId ?? "";
  await ui.call("PATCH", `/api/device-profiles/${profileId}`, {
    alarmRules: [
      {
        alarmType: "Overheated",
        createRules: [
          {
            severity: "CRITICAL",
            condition: { key: "temperature", op: "GT", value: 90.5 },
            // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of a message
            message: "${deviceName} is at ${temperature}",
          },
        ],
      },
    ],
  });
  await send({ temperature: 21.47999999999999, door_open: false, mystery: 1 });
});

const tile = (name: string) => ui.page.getByRole("link").filter({ hasText: name });
const keyRow = (key: string) => ui.page.getByTestId("key-row").filter({ hasText: key });

test("a value without metadata has no unit, and no noise either", async () => {
  await ui.open(`/devices/${deviceId}`);
  await tile("temperature").getByText("21.48", { exact: true }).waitFor();
});

test("suggestions are offered for known names and confirmed together", async () => {
  const { page } = ui;
  await page.getByRole("link", { name: "Names and units" }).click();
  await keyRow("temperature").getByText("Suggestion: °C · 1 decimal · Gauge").waitFor();
  await keyRow("mystery").getByText("No unit, no name").waitFor();
  await tidy("suggestions");
  await page.getByRole("button", { name: "Use 2 suggestions" }).click();
  await keyRow("temperature").getByText(`21.5${SPACE}°C`).waitFor();
  expect(await page.getByRole("button", { name: /suggestion/ }).count()).toBe(0);
  const { keyMetadata } = (await ui.call("GET", `/api/device-profiles/${profileId}`)) as {
    keyMetadata: unknown;
  };
  expect(keyMetadata).toEqual([
    { key: "door_open", kind: "state" },
    { key: "temperature", unit: "°C", decimals: 1, kind: "gauge" },
  ]);
});

test("states get names and colors, and a key gets a name and limits", async () => {
  const { page } = ui;
  await page.getByRole("button", { name: "Edit door_open" }).click();
  await page.getByLabel(/^Name.*instead of the key/).fill("Door");
  for (const [index, [value, name, color]] of [
    ["true", "Open", "orange"],
    ["false", "Closed", "green"],
  ].entries()) {
    await page.getByRole("button", { name: "Add state" }).click();
    await page
      .getByLabel("Value", { exact: true })
      .nth(index)
      .fill(value ?? "");
    await page
      .getByLabel("Name of the state")
      .nth(index)
      .fill(name ?? "");
    await page
      .getByLabel("Color")
      .nth(index)
      .selectOption(color ?? "");
  }
  await page.getByText("Example: Closed").waitFor();
  await tidy("editor");
  await page.getByRole("button", { name: "Save" }).click();
  await keyRow("door_open").getByText("State · 2 states").waitFor();
  await page.getByRole("button", { name: "Edit temperature" }).click();
  await page.getByLabel("Warning at or above").fill("80");
  await page.getByLabel("Critical at or above").fill("70");
  await page.getByText("Enter a number greater than the previous limit.").waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByLabel("Critical at or above").fill("90");
  await page.getByRole("button", { name: "Save" }).click();
  await keyRow("temperature")
    .getByText(/≥ 80.0.°C \/ 90.0.°C/)
    .waitFor();
});

test("tiles show unit, name and state, and follow a change while they are open", async () => {
  await ui.open(`/devices/${deviceId}`);
  await tile("temperature").getByText(`21.5${SPACE}°C`, { exact: true }).waitFor();
  await tile("Door").getByText("Closed", { exact: true }).waitFor();
  await ui.call("PUT", "/api/key-metadata/defaults", {
    keyMetadata: [{ key: "mystery", unit: "{parts}" }],
  });
  await tile("mystery").getByText(`1${SPACE}parts`, { exact: true }).waitFor();
  await send({ temperature: 85 });
  await tile("temperature").getByText("beyond the warning limit").waitFor({ state: "attached" });
  await tidy("tiles");
});

test("the device page shows the keys of a group together, and sizes in a unit that reads well", async () => {
  const { page } = ui;
  await send({ free: 79_648 });
  await ui.open(`/settings/profiles/${profileId}?view=values`);
  await page.getByRole("button", { name: "Edit free" }).click();
  await page.getByLabel("Unit").fill("MiB");
  await page.getByLabel("Group").fill("Storage");
  await page.getByRole("button", { name: "Save" }).click();
  await keyRow("free").getByText("Storage · MiB").waitFor();
  await ui.open(`/devices/${deviceId}`);
  const group = page.getByRole("region", { name: "Storage" });
  await group.getByText(`77.8${SPACE}GiB`, { exact: true }).waitFor();
  expect(await group.getByRole("link", { name: /free/ }).count()).toBeGreaterThan(0);
  expect(await group.getByText("temperature").count()).toBe(0);
  await page.getByRole("region", { name: "Other values" }).getByText("temperature").first().waitFor();
  await tidy("groups");
});

test("the Data tab loads its window once", async () => {
  const { page } = ui;
  const windows: string[] = [];
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    const width = Number(searchParams.get("to")) - Number(searchParams.get("from"));
    if (pathname.endsWith("/telemetry/range") && width >= 15 * 60_000) windows.push(request.url());
  });
  await ui.open(`/devices/${deviceId}/data`);
  await page.getByText(`85.0${SPACE}°C`, { exact: true }).waitFor();
  await page.waitForLoadState("networkidle");
  expect(windows).toHaveLength(1);
});

test("the chart and its table show the unit", async () => {
  const { page } = ui;
  await ui.open(`/devices/${deviceId}/data?keys=temperature,door_open`);
  await page.getByText(`85.0${SPACE}°C`, { exact: true }).waitFor();
  await tidy("chart");
  await page.getByText("Door", { exact: true }).waitFor();
  await ui.open(`/devices/${deviceId}/data?keys=temperature,door_open&view=table`);
  await page.getByRole("columnheader", { name: "Door" }).waitFor();
  await page.getByRole("cell", { name: `85.0${SPACE}°C` }).waitFor();
  await page.getByRole("cell", { name: "Closed" }).first().waitFor();
});

test("an alarm says value and threshold with the unit, in the reader's language", async () => {
  const { page } = ui;
  await send({ temperature: 1234.56 });
  await ui.open("/alarms");
  const row = page.getByTestId("alarm").filter({ hasText: "Oven 1 is at 1,234.6 °C" });
  await row.getByRole("link", { name: "Overheated" }).click();
  await page.getByText(`temperature is above 90.5${SPACE}°C`).waitFor();
  await tidy("alarm");
  await page.getByTestId("trigger").getByText(`now 1,234.6${SPACE}°C`).waitFor();
  await page.evaluate(() => localStorage.setItem("lineside.language", "de"));
  await page.reload();
  await page.getByText("Oven 1 is at 1.234,6 °C").first().waitFor();
  await page.evaluate(() => localStorage.setItem("lineside.language", "en"));
});

test("a widget has the unit of the key until it has its own", async () => {
  const { page } = ui;
  const board = (await ui.call("POST", "/api/dashboards", {
    name: "Ovens",
    type: "STATIC",
    aliases: [{ id: "ovens", name: "Ovens", type: "deviceType", deviceType: "oven" }],
    widgets: [
      { widgetId: "a", type: "value", name: "Key", config: { aliasId: "ovens", key: "temperature" } },
      {
        widgetId: "b",
        type: "value",
        name: "Own",
        config: { aliasId: "ovens", key: "temperature", unit: "K", decimals: 0 },
      },
      {
        widgetId: "c",
        type: "deviceTable",
        name: "Table",
        config: { aliasId: "ovens", keys: ["door_open"] },
      },
    ],
    layout: [
      { i: "a", x: 0, y: 0, w: 4, h: 3 },
      { i: "b", x: 4, y: 0, w: 4, h: 3 },
      { i: "c", x: 0, y: 3, w: 8, h: 3 },
    ],
  })) as { id: string };
  await ui.open(`/dashboards/${board.id}`);
  await page.getByText(`1,234.6${SPACE}°C`).waitFor();
  await page.getByText(`1,235${SPACE}K`).waitFor();
  await page.getByRole("columnheader", { name: "Door" }).waitFor();
  await page.getByRole("cell", { name: "Closed" }).waitFor();
  await tidy("dashboard");
  const { token: link } = (await ui.call("POST", `/api/dashboards/${board.id}/shares`)) as {
    token: string;
  };
  await ui.open(`/shared#${link}`);
  await page.getByText(`1,234.6${SPACE}°C`).waitFor();
  expect(ui.complaints).toEqual([]);
});

test("the page fits a phone in the dark theme and in German", async () => {
  const { page } = ui;
  const appearance = { theme: "dark", language: "de", width: 390 } as const;
  await ui.open("/");
  await appear(page, appearance);
  await ui.open(`/settings/profiles/${profileId}?view=values`);
  await keyRow("temperature").getByText(`1.234,6${SPACE}°C`).waitFor();
  await expectTidy(page, "keys-values-de", appearance);
  await page.getByRole("button", { name: "door_open bearbeiten" }).click();
  await page.getByText("Beispiel: Closed").waitFor();
  await expectTidy(page, "keys-editor-de", appearance);
  await ui.open("/settings/profiles/defaults");
  await keyRow("mystery").getByText("parts").waitFor();
  await expectTidy(page, "keys-defaults-de", appearance);
  await ui.open(`/devices/${deviceId}`);
  await tile("temperature").getByText(`1.234,6${SPACE}°C`).waitFor();
  await expectTidy(page, "keys-tiles-de", appearance);
});
