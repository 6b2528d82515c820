// From the power-on of a device to its chart, with the clicks counted: the device knows no more than a credential of an MQTT client.

import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { connectAsync, type MqttClient } from "mqtt";
import { overflow, seriousFindings } from "./support/accessibility.ts";
import { useConsole } from "./support/console-page.ts";

const CLICKS_MAX = 3;
const ui = useConsole({ isStill: true });
let field: MqttClient;
let clicks = 0;

beforeAll(async () => {
  const account = { name: "Plugs", signIn: "PASSWORD", username: "plugs", password: "sesame street" };
  await ui.call("POST", "/api/mqtt/clients", { ...account, publish: ["#"], subscribe: ["#"] });
  field = await connectAsync(`mqtt://127.0.0.1:${ui.app.mqttPort}`, {
    username: account.username,
    password: account.password,
  });
});
beforeEach(() => {
  clicks = 0;
});
afterAll(async () => {
  await field.endAsync(true);
  expect(ui.complaints).toEqual([]);
});

/** Names are matched as a whole: the overview, which stays until the device page is loaded, has a link to the "Newest data". */
async function click(role: "link" | "button", name: string | RegExp): Promise<void> {
  clicks++;
  await ui.page
    .getByRole("main")
    .getByRole(role, { name, exact: true })
    .filter({ visible: true })
    .first()
    .click();
}

const say = (topic: string, body: object | string, retain = false) =>
  field.publishAsync(topic, typeof body === "string" ? body : JSON.stringify(body), { qos: 1, retain });

/** What a Tasmota plug publishes after its start, in its order. */
async function powerOn(plug: string): Promise<void> {
  await say(`tele/${plug}/LWT`, "Online", true);
  await say(`cmnd/${plug}/POWER`, "");
  await say(`tele/${plug}/INFO1`, { Info1: { Module: "Sonoff S31", Version: "13.1.0(tasmota)" } });
  await say(`tele/${plug}/INFO2`, { Info2: { Hostname: plug, IPAddress: "192.168.1.5" } });
  await say(`tele/${plug}/INFO3`, { Info3: { RestartReason: "Power On", BootCount: 5 } });
  await say(`stat/${plug}/RESULT`, { POWER: "ON" });
  await say(`stat/${plug}/POWER`, "ON");
  await say(`tele/${plug}/STATE`, { Time: "2026-01-01T00:00:12", POWER: "ON", Wifi: { Signal: -61 } });
  await say(`tele/${plug}/SENSOR`, { Time: "2026-01-01T00:00:12", ENERGY: { Power: 42, Voltage: 231 } });
}

async function openChart(device: string, key: RegExp): Promise<void> {
  await click("link", new RegExp(device));
  await click("link", "Data");
  await ui.page.getByTestId("chart").first().waitFor();
  await ui.page.getByText(key).first().waitFor();
}

test("a Tasmota plug that is switched on for the first time takes three clicks to its chart", async () => {
  const { page } = ui;
  await ui.open("/");
  await powerOn("plug-1");
  await page.getByText("plug-1").first().waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  expect(await overflow(page)).toEqual([0, 0]);
  await click("button", "Connect Tasmota");
  await openChart("plug-1", /ENERGY_Power/);
  expect(clicks).toBeLessThanOrEqual(CLICKS_MAX);
});

test("the next plug takes two clicks", async () => {
  await ui.open("/");
  await powerOn("plug-2");
  await openChart("plug-2", /ENERGY_Power/);
  expect(clicks).toBe(2);
});

test("a device that announces itself for Home Assistant takes three clicks to its chart", async () => {
  const { page } = ui;
  await ui.open("/");
  await say(
    "homeassistant/sensor/well_pump/pressure/config",
    {
      ...{ state_topic: "wells/pump/state", value_template: "{{ value_json.pressure }}", name: "Pressure" },
      ...{ unit_of_measurement: "bar", state_class: "measurement", unique_id: "well_pump_pressure" },
      device: { identifiers: ["well_pump"], name: "Well pump", manufacturer: "Aqua", model: "WP3" },
    },
    true,
  );
  await say("wells/pump/state", { pressure: 3.5 });
  await page.getByRole("button", { name: "Connect Home Assistant discovery" }).waitFor();
  await click("button", "Connect Home Assistant discovery");
  await openChart("Well pump", /Pressure/);
  expect(clicks).toBeLessThanOrEqual(CLICKS_MAX);
});
