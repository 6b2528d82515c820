// Another broker and a LoRaWAN network server from the console: connected, seen to be away and to come back, and sent to.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createMosquitto, hasMosquitto, type Mosquitto } from "../support/mosquitto.ts";
import { createWebhookReceiver, type WebhookReceiver } from "../support/webhook-receiver.ts";
import { overflow, seriousFindings } from "./support/accessibility.ts";
import { useConsole } from "./support/console-page.ts";

const ui = useConsole({ settings: ["--outbound-allow", "127.0.0.1"], isStill: true });
let broker: Mosquitto;
let server: WebhookReceiver;

beforeAll(async () => {
  if (hasMosquitto) broker = await createMosquitto();
  server = createWebhookReceiver();
});

afterAll(async () => {
  await broker?.stop();
  await server?.stop();
});

const bridge = () => ui.page.getByTestId("bridge");

/** In both themes, on a phone and a desk: nothing sticks out, nothing is hard to use. */
async function checkScreen(name: string): Promise<void> {
  const { page } = ui;
  for (const theme of ["light", "dark"] as const)
    for (const width of [360, 1440]) {
      await page.emulateMedia({ colorScheme: theme });
      await page.setViewportSize({ width, height: 900 });
      if (process.env.SHOTS)
        await page.screenshot({ path: `${process.env.SHOTS}/${name}-${theme}-${width}.png`, fullPage: true });
      expect({ name, findings: await seriousFindings(page) }).toEqual({ name, findings: [] });
      const px = (await overflow(page)).map((over) => Math.max(0, over));
      expect({ name, px }).toEqual({ name, px: [0, 0] });
    }
}

describe.skipIf(!hasMosquitto)("another MQTT broker", () => {
  test("a new user connects a broker and sees its state and the first message", async () => {
    const { page } = ui;
    await ui.open("/integrations/new");
    await page.getByRole("link", { name: /^MQTT with JSON/ }).click();
    await page.getByRole("radio", { name: "Another broker" }).check();
    await page.getByLabel("Name", { exact: true }).fill("Machine hall");
    await page.getByRole("textbox", { name: /^Address/ }).fill(`mqtt://127.0.0.1:${broker.port}`);
    await page.getByLabel("Topics").fill("hall/+/up");
    await page.getByLabel(/^Position of the device in the topic/).fill("hall/{device}/up");
    await page.locator("summary").getByText("More", { exact: true }).click();
    await page.getByLabel("MQTT version").selectOption("5");
    await page.getByRole("button", { name: "Create integration" }).click();
    await page.getByRole("heading", { name: "Machine hall" }).waitFor();
    await bridge().getByText("Connected", { exact: true }).waitFor();
    await bridge().getByText("QoS 1").waitFor();
    const client = await broker.client();
    await client.publishAsync("hall/press-1/up", '{"force":12}', { qos: 1 });
    await page.getByTestId("arrival").getByText("Messages arrive.").waitFor();
    await checkScreen("bridge");
    const devices = (await ui.call("GET", "/api/devices?search=press-1")) as unknown[];
    expect(devices).toMatchObject([{ name: "press-1" }]);
  });

  test("the screen shows that a broker is gone, with advice, and that it is back", async () => {
    await broker.kill("SIGTERM");
    await bridge().getByText("Not connected", { exact: true }).waitFor();
    await bridge().getByText("Nothing listens at this address.").waitFor();
    await bridge()
      .getByText(/^Next attempt in \d+ s$/)
      .waitFor();
    await checkScreen("bridge-away");
    await broker.start();
    await bridge().getByText("Connected", { exact: true }).waitFor();
    await bridge().getByText("Nothing listens at this address.").waitFor({ state: "detached" });
  });
});

test("a downlink is checked, sent and shown as received by the network server", async () => {
  const { page } = ui;
  server.answer = () => Response.json({ id: "queued" });
  const { integrationId } = (await ui.call("POST", "/api/integrations", {
    name: "Building A",
    type: "CHIRPSTACK",
    status: "active",
    settings_json: { downlink: { url: `http://127.0.0.1:${server.port}`, apiKey: "key", fPort: 10 } },
  })) as { integrationId: string };
  await ui.call("POST", "/api/devices", {
    name: "Valve 3",
    deviceType: "valve",
    lorawanDevEui: "010203040506070a",
  });
  await ui.call("POST", "/api/devices", { name: "Boiler 9", deviceType: "boiler" });
  await ui.open(`/integrations/${integrationId}`);
  await page.getByRole("link", { name: "Downlinks" }).click();
  await page.getByText("No downlinks yet").waitFor();
  const form = page.locator("form");
  // A device that no LoRaWAN network knows cannot receive a downlink.
  await form.getByLabel("Valve 3").waitFor();
  expect(await form.getByLabel("Boiler 9").count()).toBe(0);
  await form.getByLabel("Content").fill("0g");
  await form.getByRole("button", { name: "Send downlink" }).click();
  await form.getByText("Select a device, or enter 16 hexadecimal characters.").waitFor();
  await form.getByLabel(/dev EUI/).fill("01-02-03-04-05-06-07-0A");
  await form.getByRole("button", { name: "Send downlink" }).click();
  await form.getByText("Enter pairs of 0–9 and a–f.").waitFor();
  await form.getByLabel("Content").fill("01 0A");
  await form.getByLabel("Request a confirmation from the device").check();
  await form.getByRole("button", { name: "Send downlink" }).click();
  await page.getByText("The network server has accepted the downlink.").waitFor();
  const row = page.getByRole("list", { name: "Downlinks" }).getByRole("listitem");
  await row.getByText("At the server").waitFor();
  await row.getByRole("link", { name: "Valve 3" }).waitFor();
  expect(server.received[0]).toMatchObject({
    path: "/api/devices/010203040506070a/queue",
    body: { queueItem: { confirmed: true, fPort: 10, data: "AQo=" } },
  });
  await checkScreen("downlinks");
});
