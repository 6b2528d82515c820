// Makes the pictures of the documentation from the running product, so that they show what it really looks like. They change with every
// run (times, curves), so it is done on demand only: LINESIDE_README_IMAGES=1 bun test ./test/browser/readme-images.browser.ts
import { expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mqtt from "mqtt";
import type { Page } from "playwright-core";
import { meterScript } from "../docs/energy-meter.ts";
import { startModbusServer } from "../support/modbus-server.ts";
import { pythonOfAsyncua, startOpcUaSimulator } from "../support/opcua-simulator.ts";
import { callApi } from "./support/call-api.ts";
import { setUpOwner } from "./support/first-visit.ts";
import { furnish, type PlantDevice, readingsAt } from "./support/plant.ts";
import { type RunningApp, startApp } from "./support/running-app.ts";
import { appear } from "./support/screenshots.ts";
import { openBrowser } from "./support/watched-browser.ts";

const IMAGES = join(import.meta.dir, "../../docs/images");
const BYTES_MAX = 120_000;
type Clip = NonNullable<NonNullable<Parameters<Page["screenshot"]>[0]>["clip"]>;
/** A screen of settings without the navigation beside it. */
const WITHOUT_NAVIGATION: Clip = { x: 224, y: 0, width: 816, height: 560 };
const LIVE = 20_000;
const SETTLED = 2500;

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

const wear = (page: Page, theme: string) =>
  page.evaluate((value) => localStorage.setItem("lineside.theme", value), theme);

/** Saves what the page shows now. */
async function take(page: Page, name: string, clip?: Clip): Promise<void> {
  const file = join(IMAGES, `${name}.png`);
  await page.screenshot({ path: file, ...(clip && { clip }) });
  expect((await stat(file)).size).toBeLessThan(BYTES_MAX);
}

async function takeDevices(page: Page, app: RunningApp): Promise<void> {
  const devices = await furnish(page, app);
  const endDevices = await runDevices(app.mqttPort, devices.slice(0, 11));
  const device = `/devices/${devices[3]!.deviceId}`;
  await page.goto(app.url);
  await page.waitForTimeout(LIVE);
  for (const [name, path] of [
    ["devices-light", "/devices"],
    ["device-light", device],
    ["data-light", `${device}/data`],
    ["connect-light", `${device}/connect`],
    ["connect-dark", `${device}/connect`],
  ] as const) {
    await wear(page, name.endsWith("dark") ? "dark" : "light");
    await page.goto(app.url + path);
    await page.waitForTimeout(SETTLED);
    await take(page, name);
  }
  await wear(page, "light");
  await endDevices();
}

async function takeDemoPlant(page: Page, app: RunningApp): Promise<void> {
  const demo = (await callApi(page, app, "POST", "/api/demo-plant/start")) as { dashboardId: string };
  await page.waitForTimeout(LIVE);
  await page.goto(`${app.url}/dashboards/${demo.dashboardId}`);
  await page.waitForTimeout(SETTLED);
  await take(page, "dashboard-light");
  await page.goto(`${app.url}/dashboards/${demo.dashboardId}?state=line`);
  await page.waitForTimeout(SETTLED);
  await take(page, "synoptic-light");
  await page.goto(`${app.url}/alarms`);
  await page.getByRole("button", { name: "All", exact: true }).click();
  await page.waitForTimeout(SETTLED);
  await take(page, "alarms-light");
  await page.goto(`${app.url}/settings/profiles`);
  await page.getByRole("link", { name: "Alarm rules of Demo press" }).click();
  await page.getByRole("button", { name: "Create alarm rule" }).click();
  const editor = page.getByTestId("rule-editor");
  await editor.getByLabel("Name of the alarm").fill("Warm");
  await editor.getByLabel("Measured value").first().fill("temperature");
  await editor.getByLabel("Value", { exact: true }).first().fill("60");
  await page.waitForTimeout(SETTLED);
  await take(page, "alarm-rule-light");
}

test.if(process.env.LINESIDE_README_IMAGES === "1")(
  "the pictures of the documentation are taken and small enough",
  async () => {
    await mkdir(IMAGES, { recursive: true });
    const app = await startApp();
    const { page, close } = await openBrowser(app.url);
    await setUpOwner(page, app);
    await page.setViewportSize({ width: 1120, height: 700 });
    await takeDevices(page, app);
    await takeDemoPlant(page, app);
    await close();
    await app.stop();
  },
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
  };
}

test.if(process.env.LINESIDE_README_IMAGES === "1")(
  "the pictures of task pages are taken in both languages",
  async () => {
    const app = await startApp(["--outbound-allow", "127.0.0.1", "--outbound-private", "host"]);
    const meter = await startModbusServer(meterScript);
    const place = await mkdtemp(join(tmpdir(), "lineside-backups-"));
    const { page, close } = await openBrowser(app.url);
    await setUpOwner(page, app);
    const screens = await taskScreens(page, app, meter.port, place);
    for (const language of ["en", "de"] as const) {
      await appear(page, { theme: "light", language, width: 1040 });
      await page.setViewportSize({ width: 1040, height: 560 });
      for (const [name, path] of Object.entries(screens)) {
        await page.goto(app.url + path);
        await page.waitForTimeout(SETTLED);
        await take(page, `${name}-light${language === "en" ? "" : ".de"}`, WITHOUT_NAVIGATION);
      }
    }
    await close();
    await app.stop();
    await meter.stop();
    await rm(place, { recursive: true });
  },
);

test.if(process.env.LINESIDE_README_IMAGES === "1" && pythonOfAsyncua !== null)(
  "the picture of variables of an OPC UA server is taken in both languages",
  async () => {
    const app = await startApp(["--outbound-allow", "127.0.0.1", "--outbound-private", "host"]);
    const server = await startOpcUaSimulator();
    const { page, close } = await openBrowser(app.url);
    await setUpOwner(page, app);
    const { connectionId } = (await callApi(page, app, "POST", "/api/opcua/connections", {
      name: "Press line",
      host: "127.0.0.1",
      port: server.port,
      path: "/plant",
    })) as { connectionId: string };
    for (const [language, choose] of [
      ["en", "From the device"],
      ["de", "Vom Gerät"],
    ] as const) {
      await appear(page, { theme: "light", language, width: 1040 });
      await page.setViewportSize({ width: 1040, height: 640 });
      await page.goto(`${app.url}/opcua/${connectionId}`);
      await page.waitForTimeout(SETTLED);
      await page.getByRole("link", { name: choose }).click();
      const tree = page.getByRole("dialog");
      await tree.getByText("Press 4").click();
      for (const name of [/^pressure/, /^byte/]) await tree.getByRole("checkbox", { name }).check();
      await page.waitForTimeout(SETTLED);
      await take(page, `opcua-light${language === "en" ? "" : ".de"}`, {
        ...WITHOUT_NAVIGATION,
        height: 640,
      });
    }
    await close();
    await app.stop();
    await server.end();
  },
);
