// The gateway restarts while somebody watches a chart: the console says so, comes back by itself and misses nothing.

import { expect, test } from "bun:test";
import mqtt from "mqtt";
import { until } from "../support/until.ts";
import { useConsole } from "./support/console-page.ts";
import { setUpOwner, tokenOnPage } from "./support/first-visit.ts";

const ui = useConsole({ hasOwner: false });

async function sendOnce(token: string, values: object): Promise<void> {
  const device = await mqtt.connectAsync(`mqtt://127.0.0.1:${ui.app.mqttPort}`, { username: token });
  await device.publishAsync("v1/devices/me/telemetry", JSON.stringify(values), { qos: 1 });
  await device.endAsync();
}

test("a restart is announced, and the table has the values that arrived before the console was back", async () => {
  const { page } = ui;
  await setUpOwner(page, ui.app);
  await page.getByRole("button", { name: /Connect a device/ }).click();
  const token = await tokenOnPage(page);
  await sendOnce(token, { level: 11.5 });
  await page.getByRole("link", { name: "Data", exact: true }).click();
  await page.getByLabel("View").selectOption("table");
  await page.getByText("11.5").first().waitFor();

  await ui.app.halt();
  await page.getByText("Connection lost.").waitFor();
  await page.context().setOffline(true);
  await ui.app.resume();
  await sendOnce(token, { level: 12.5 });
  expect(await page.getByText("12.5").count()).toBe(0);

  await page.context().setOffline(false);
  await page.getByText("12.5").first().waitFor();
  await page.getByText("Connection lost.").waitFor({ state: "detached" });
});

test("an alarm that was raised while the connection was away sounds once, and an older one does not", async () => {
  const { page } = ui;
  await page.addInitScript(() => {
    localStorage.setItem("lineside.alarm-sound", "on");
    Object.assign(globalThis, { tones: 0 });
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (when) {
      (globalThis as unknown as { tones: number }).tones++;
      start.call(this, when);
    };
  });
  const [profile] = (await ui.call("GET", "/api/device-profiles")) as { profileId: string }[];
  const rule = (key: string) => ({
    alarmType: `High ${key}`,
    createRules: [{ severity: "MAJOR", condition: { key, op: "GT", value: 50 } }],
  });
  await ui.call("PATCH", `/api/device-profiles/${profile?.profileId}`, {
    alarmRules: [rule("level"), rule("flow")],
  });
  const [device] = (await ui.call("GET", "/api/devices?search=first")) as { deviceId: string }[];
  const { credentials } = (await ui.call("GET", `/api/devices/${device?.deviceId}`)) as {
    credentials: { token: string };
  };
  await sendOnce(credentials.token, { level: 60 });
  await ui.open("/alarms");
  await page.getByText("High level").first().waitFor();
  // A browser is silent until somebody clicks in the page.
  await page.getByRole("heading", { name: "Alarms" }).first().click();
  const tones = () => page.evaluate(() => (globalThis as unknown as { tones: number }).tones);
  expect(await tones()).toBe(0);
  for (const expected of [0, 2]) {
    await ui.app.halt();
    await page.getByText("Connection lost.").waitFor();
    await page.context().setOffline(true);
    await ui.app.resume();
    if (expected > 0) await sendOnce(credentials.token, { flow: 60 });
    await page.context().setOffline(false);
    await page.getByText("Connection lost.").waitFor({ state: "detached" });
    await page
      .getByText(expected > 0 ? "High flow" : "High level")
      .first()
      .waitFor();
    await until(async () => (await tones()) === expected);
  }
});
