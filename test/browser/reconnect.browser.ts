// The gateway restarts while somebody watches a chart: the console says so, comes back by itself and misses nothing.

import { expect, test } from "bun:test";
import mqtt from "mqtt";
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
