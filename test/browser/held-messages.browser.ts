// Messages of a device that wait for the gateway's clock: shown, stored and deleted on the page of the device.
import { beforeEach, expect, test } from "bun:test";
import { connectAsync } from "mqtt";
import { useConsole } from "./support/console-page.ts";
import { type Appearance, appear, expectTidy } from "./support/screenshots.ts";

const AHEAD_MS = 3 * 86_400_000;
const ui = useConsole({ isStill: true });

interface Device {
  readonly deviceId: string;
  readonly credentials: { readonly token: string };
}

/** Creates a device that has sent messages with timestamps three days ahead. */
async function deviceAhead(name: string, messages: number): Promise<Device> {
  const device = (await ui.call("POST", "/api/devices", { name, deviceType: "press" })) as Device;
  const client = await connectAsync(`mqtt://127.0.0.1:${ui.app.mqttPort}`, {
    username: device.credentials.token,
  });
  for (let no = 0; no < messages; no++) {
    const body = JSON.stringify({ ts: Date.now() + AHEAD_MS, values: { no } });
    await client.publishAsync("v1/devices/me/telemetry", body, { qos: 1 });
  }
  await client.endAsync();
  return device;
}

beforeEach(() => {
  ui.complaints.length = 0;
});

test("are stored when the reader says so", async () => {
  const { deviceId } = await deviceAhead("ahead", 2);
  await ui.open(`/devices/${deviceId}/messages`);
  await ui.page.getByText("2 messages wait for the clock of the gateway.").waitFor();
  const appearance: Appearance = { theme: "light", language: "en", width: 390 };
  await appear(ui.page, appearance);
  await expectTidy(ui.page, "held", appearance);
  await ui.page.getByRole("button", { name: "Store now" }).click();
  await ui.page.getByRole("region", { name: "Held messages" }).waitFor({ state: "detached" });
  const range = `/api/devices/${deviceId}/telemetry/range?from=0&to=${Date.now() + 2 * AHEAD_MS}`;
  expect(JSON.stringify(await ui.call("GET", range))).toContain('"no"');
  expect(ui.complaints).toEqual([]);
});

test("are deleted after a question", async () => {
  const { deviceId } = await deviceAhead("wrong", 1);
  await ui.open(`/devices/${deviceId}/messages`);
  await ui.page.getByText("1 message waits for the clock of the gateway.").waitFor();
  await ui.page.getByRole("button", { name: "Delete", exact: true }).click();
  await ui.page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await ui.page.getByRole("region", { name: "Held messages" }).waitFor({ state: "detached" });
  expect(await ui.call("GET", `/api/devices/${deviceId}/held-readings`)).toEqual({ messages: 0 });
  expect(ui.complaints).toEqual([]);
});
