// Makes the pictures of the documentation from the running product, so that they show what it really looks like. They change with every
// run (times, curves), so it is done on demand only: LINESIDE_README_IMAGES=1 bun test ./test/browser/readme-images.browser.ts
import { test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mqtt from "mqtt";
import type { Page } from "playwright-core";
import { meterScript } from "../docs/energy-meter.ts";
import { startModbusServer } from "../support/modbus-server.ts";
import { callApi } from "./support/call-api.ts";
import { setUpOwner } from "./support/first-visit.ts";
import {
  type PageLanguage,
  pageLanguages,
  screenClip,
  showIn,
  take,
  takesPictures,
} from "./support/pictures.ts";
import { furnish, type PlantDevice, readingsAt } from "./support/plant.ts";
import { type RunningApp, startApp } from "./support/running-app.ts";
import { openBrowser } from "./support/watched-browser.ts";

const LIVE_MS = 20_000;

async function runDevices(mqttPort: number, devices: PlantDevice[]): Promise<() => Promise<void>> {
  const clients = await Promise.all(
    devices.map(({ token }) => mqtt.connectAsync(`mqtt://127.0.0.1:${mqttPort}`, { username: token })),
  );
  const timer = setInterval(() => {
    for (const [i, client] of clients.entries()) {
      client.publish("v1/devices/me/telemetry", JSON.stringify(readingsAt(Date.now(), i)), { qos: 1 });
    }
  }, 1000);
  return async () => {
    clearInterval(timer);
    await Promise.all(clients.map((client) => client.endAsync(true)));
  };
}

async function takeDevices(page: Page, app: RunningApp): Promise<void> {
  const devices = await furnish(page, app);
  const endDevices = await runDevices(app.mqttPort, devices.slice(0, 11));
  const device = `/devices/${devices[3]!.deviceId}`;
  await page.goto(app.url);
  await page.waitForTimeout(LIVE_MS);
  for (const language of pageLanguages) {
    await showIn(page, language, 700, 1120);
    for (const [name, path] of [
      ["devices-light", "/devices"],
      ["device-light", device],
      ["data-light", `${device}/data`],
      ["connect-light", `${device}/connect`],
    ] as const) {
      await page.goto(app.url + path);
      await take(page, name, language);
    }
  }
  await endDevices();
}

/** Words of the rule editor, in which an example is entered. */
const ruleTexts = {
  en: {
    add: "Create alarm rule",
    name: "Name of the alarm",
    key: "Measured value",
    value: "Value",
    alarm: "Warm",
  },
  de: { add: "Alarmregel anlegen", name: "Name des Alarms", key: "Messwert", value: "Wert", alarm: "Warm" },
};

async function takeDemoPlant(page: Page, app: RunningApp, language: PageLanguage): Promise<void> {
  await showIn(page, language, 760, 1120);
  const bearer = await page.evaluate(() => localStorage.getItem("lineside.token") ?? "");
  const headers = { authorization: `Bearer ${bearer}`, "accept-language": language };
  const started = await fetch(`${app.url}/api/demo-plant/start`, { method: "POST", headers });
  const { dashboardId } = (await started.json()) as { dashboardId: string };
  await page.waitForTimeout(LIVE_MS * 2);
  for (const [name, path] of [
    ["dashboard-light", `/dashboards/${dashboardId}`],
    ["synoptic-light", `/dashboards/${dashboardId}?state=line`],
    ["alarms-light", "/alarms?state=all"],
    ["wall-light", `/dashboards/${dashboardId}?wall=1`],
  ] as const) {
    await page.goto(app.url + path);
    await take(page, name, language);
  }
  const profiles = (await callApi(page, app, "GET", "/api/device-profiles")) as Array<Record<string, string>>;
  const press = profiles.find(({ name }) => /\bpress/i.test(name ?? ""));
  await page.goto(`${app.url}/settings/profiles/${press?.profileId}`);
  const texts = ruleTexts[language];
  await page.getByRole("button", { name: texts.add }).click();
  const editor = page.getByTestId("rule-editor");
  await editor.getByLabel(texts.name).fill(texts.alarm);
  await editor.getByLabel(texts.key).first().fill("temperature");
  await editor.getByLabel(texts.value, { exact: true }).first().fill("60");
  await take(page, "alarm-rule-light", language);
}

/** A console whose gateway has just started, so that it reports nothing about itself yet. */
async function inNewConsole(takePictures: (page: Page, app: RunningApp) => Promise<void>): Promise<void> {
  const app = await startApp();
  const { page, close } = await openBrowser(app.url);
  await setUpOwner(page, app);
  await takePictures(page, app);
  await close();
  await app.stop();
}

test.if(takesPictures)("the pictures of devices are taken", () => inNewConsole(takeDevices));

for (const language of pageLanguages)
  test.if(takesPictures)(`the pictures of the demo plant are taken (${language})`, () =>
    inNewConsole((page, app) => takeDemoPlant(page, app, language)),
  );

interface PlantMeter {
  readonly deviceId: string;
  readonly credentials: { readonly token: string };
}

/** Sends what is not telemetry with the token of a device. */
async function provokeFaults(app: RunningApp, token: string): Promise<void> {
  const send = (body: string) =>
    fetch(`${app.url}/api/v1/${token}/telemetry`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
  await send("temperature: 21.5");
  await send('{"temperature": null}');
}

/** Addresses of the screens that task pages show, by the name of their picture. */
async function taskScreens(page: Page, app: RunningApp, meterPort: number, place: string) {
  const call = async (method: string, path: string, body: unknown) =>
    (await callApi(page, app, method, path, body)) as Record<string, string>;
  const { connectionId } = await call("POST", "/api/modbus/connections", {
    name: "Distribution board",
    host: "127.0.0.1",
    port: meterPort,
  });
  const meter = { name: "Meter", deviceType: "SDM120" };
  const { deviceId, credentials } = (await callApi(page, app, "POST", "/api/devices", meter)) as PlantMeter;
  const templates = await call("GET", "/api/modbus/templates", undefined);
  const { registers } = Object.values(
    templates as unknown as Array<{ templateId: string; registers: object }>,
  ).find(({ templateId }) => templateId === "eastron-sdm120") ?? { registers: [] };
  const unit = { deviceId, unitId: 1, intervalMs: 5000, registers };
  await call("POST", `/api/modbus/connections/${connectionId}/units`, unit);
  for (const [fullName, email, role] of [
    ["Eva Brandt", "eva@plant-north.example", "TENANT_RW"],
    ["Tom Keller", "tom@plant-north.example", "TENANT_READ_ONLY"],
  ])
    await call("POST", "/api/users", { fullName, email, role, inviteDelivery: "MANUAL" });
  const { pipelineId } = await call("POST", "/api/data-pipelines", {
    name: "Fahrenheit to Celsius",
    steps: [
      { type: "derive_key", key: "temperature", expression: "(temperature_f - 32) * 5 / 9" },
      { type: "drop_keys", keys: ["temperature_f"] },
    ],
  });
  const settings = {
    place: { kind: "folder", path: place },
    passphrase: null,
    daily: 7,
    weekly: 4,
    maxAgeHours: 36,
  };
  const schedule = { expression: "30 3 * * *", timezone: "Europe/Berlin" };
  await call("PUT", "/api/gateway/backup", { ...settings, schedule });
  await call("POST", "/api/gateway/backup/runs", {});
  const { integrationId } = await call("POST", "/api/integrations", {
    name: "Tasmota",
    type: "MQTT",
    status: "active",
    settings_json: {
      autoCreateDevice: true,
      format: "tasmota",
      mqtt: { brokerUrl: "local:", topicFilter: ["tele/#", "stat/#"] },
    },
  });
  await provokeFaults(app, credentials.token);
  return {
    integrations: `/integrations/${integrationId}`,
    faults: "/faults",
    modbus: `/modbus/${connectionId}`,
    users: "/settings/users",
    pipelines: `/pipelines/${pipelineId}`,
    backup: "/settings/backups",
    notifications: "/settings/notifications",
  };
}

/** Shows rows of devices of which one has a mistake. */
async function takeImport(page: Page, app: RunningApp, language: PageLanguage): Promise<void> {
  await page.goto(`${app.url}/devices/import`);
  const rows = ["name;deviceType;tags", "Press 5;press;line-1", ";oven;line-1", "Meter 7;meter;energy"];
  const file = { name: "devices.csv", mimeType: "text/csv", buffer: Buffer.from(rows.join("\n")) };
  await page.locator('input[type="file"]').setInputFiles(file);
  await take(page, "import-light", language, screenClip());
}

test.if(takesPictures)("the pictures of task pages are taken in both languages", async () => {
  const app = await startApp(["--outbound-allow", "127.0.0.1", "--outbound-private", "host"]);
  const meter = await startModbusServer(meterScript);
  const place = await mkdtemp(join(tmpdir(), "lineside-backups-"));
  const { page, close } = await openBrowser(app.url);
  await setUpOwner(page, app);
  const screens = await taskScreens(page, app, meter.port, place);
  for (const language of pageLanguages) {
    await showIn(page, language);
    for (const [name, path] of Object.entries(screens)) {
      await page.goto(app.url + path);
      await take(page, `${name}-light`, language, screenClip());
    }
    await takeImport(page, app, language);
  }
  await close();
  await app.stop();
  await meter.stop();
  await rm(place, { recursive: true });
});
