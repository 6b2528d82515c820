// An MQTT client from the console: created with a password that is shown once, used, seen in the tree of topics, and deleted.

import { afterAll, expect, test } from "bun:test";
import { connectAsync, type MqttClient } from "mqtt";
import { overflow, seriousFindings } from "./support/accessibility.ts";
import { useConsole } from "./support/console-page.ts";

const ui = useConsole({ isStill: true });
const clients: MqttClient[] = [];
afterAll(async () => {
  for (const client of clients) await client.endAsync(true);
});

test("a client is created with a generated password, which is shown once", async () => {
  const { page } = ui;
  await ui.open("/mqtt-clients");
  await page.getByText("No MQTT clients yet").waitFor();
  await page.getByRole("link", { name: "Create MQTT client" }).click();
  await page.getByLabel(/^Name/).fill("Plug");
  await page.getByRole("textbox", { name: "User name" }).fill("plug");
  await page.getByLabel("May publish to").fill("tele/#");
  await page.getByLabel("May subscribe to").fill("cmnd/plug/#");
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "Create MQTT client" }).click();
  const shown = page.getByTestId("mqtt-password");
  await shown.waitFor();
  const password = await shown.getByTestId("copyable").nth(1).textContent();
  await shown.getByRole("button", { name: "I have copied it" }).click();
  await page
    .getByTestId("mqtt-client")
    .getByRole("list", { name: "Publishes to" })
    .getByRole("listitem")
    .getByText("tele/#")
    .waitFor();
  await page.getByTestId("mqtt-client").getByText("Not connected").waitFor();
  const client = await connectAsync(`mqtt://127.0.0.1:${ui.app.mqttPort}`, {
    username: "plug",
    password: password ?? "",
  });
  clients.push(client);
  await client.subscribeAsync("cmnd/plug/#", { qos: 1 });
  await client.publishAsync("tele/plug/SENSOR", JSON.stringify({ ENERGY: { Power: 42 } }), { qos: 1 });
  await client.publishAsync("tele/plug/STATE", "ON", { qos: 1, retain: true });
  expect(await overflow(page)).toEqual([0, 0]);
});

test("the topics show what it sent, and a message is published to it", async () => {
  const { page } = ui;
  const commands: string[] = [];
  clients[0]?.on("message", (topic, payload) => commands.push(`${topic} ${payload.toString()}`));
  await page.getByRole("link", { name: "Topics" }).click();
  await page.getByRole("heading", { name: "MQTT clients", level: 1 }).waitFor();
  await page.getByTestId("topics").getByText("ON", { exact: true }).click();
  await page.getByText(/· retained/).waitFor();
  await page.getByTestId("topics").getByText("SENSOR").click();
  await page.locator("pre", { hasText: '"Power": 42' }).waitFor();
  await page
    .getByTestId("publish")
    .getByLabel(/^Topic/)
    .fill("cmnd/plug/POWER");
  await page
    .getByTestId("publish")
    .getByLabel(/^Message/)
    .fill("OFF");
  await page.getByTestId("publish").getByRole("button", { name: "Publish" }).click();
  await page.getByText("Published to cmnd/plug/POWER.").waitFor();
  await page.getByTestId("topics").getByText("POWER", { exact: true }).waitFor();
  expect(commands).toEqual(["cmnd/plug/POWER OFF"]);
  expect(await seriousFindings(page)).toEqual([]);
  expect(await overflow(page)).toEqual([0, 0]);
});

test("a topic of the server's own is refused beside its field", async () => {
  const { page } = ui;
  await page
    .getByTestId("publish")
    .getByLabel(/^Topic/)
    .fill("lineside/devices/x/state");
  await page.getByTestId("publish").getByRole("button", { name: "Publish" }).click();
  await page.getByText(/must not contain \+ or #/).waitFor();
});

test("a client is edited without its password, and deleted", async () => {
  const { page } = ui;
  await page.getByRole("link", { name: "Clients", exact: true }).click();
  await page.getByRole("link", { name: "Edit Plug" }).click();
  await page.getByLabel("May publish to").fill("tele/plug/#");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByTestId("mqtt-client").getByText("tele/plug/#").waitFor();
  await page.getByRole("button", { name: "Delete Plug" }).click();
  await ui.dialog().getByRole("button", { name: "Delete" }).click();
  await page.getByText("No MQTT clients yet").waitFor();
});

/** What the page of an integration says to enter on a device. */
const entry = (name: string) =>
  ui.page
    .getByTestId("broker-access")
    .getByText(name, { exact: true })
    .locator("xpath=following-sibling::dd[1]//code")
    .textContent();

async function signInAsShown(user: RegExp) {
  await ui.page.getByTestId("broker-access").getByText(user).waitFor();
  const username = (await entry("User name")) ?? "";
  const password = (await entry("Password")) ?? "";
  const client = await connectAsync(`mqtt://127.0.0.1:${ui.app.mqttPort}`, { username, password });
  clients.push(client);
  return { client, password };
}

test("a Tasmota plug that publishes here becomes a device in three clicks", async () => {
  const { page } = ui;
  await ui.open("/integrations");
  let clicks = 0;
  const click = async (role: "link" | "button", name: RegExp | string) => {
    clicks++;
    await page.getByRole(role, { name }).click();
  };
  await click("link", "Create integration");
  await click("link", /^Tasmota/);
  await click("button", "Create integration");
  const access = page.getByTestId("broker-access");
  await access.getByText("Configuration → Configure MQTT").waitFor();
  expect(clicks).toBe(3);
  await access.getByText(String(ui.app.mqttPort), { exact: true }).waitFor();
  const { client, password } = await signInAsShown(/^tasmota-/);
  await client.publishAsync("tele/desk-plug/SENSOR", '{"ENERGY":{"Power":42.5}}', { qos: 1 });
  await page.getByTestId("arrival").locator(".lamp-on").waitFor();
  await page.reload();
  await access.getByText(/^tasmota-/).waitFor();
  expect(await access.textContent()).not.toContain(password);
  await access.getByRole("link", { name: "Open the MQTT client" }).click();
  await page.getByLabel("May publish to").waitFor();
  await ui.open("/devices");
  await page.getByRole("link", { name: "desk-plug" }).click();
  await page.getByText("42.5").first().waitFor();
});

test("a device that announces itself for Home Assistant may send on the topics that it announces", async () => {
  const { page } = ui;
  await ui.open("/integrations/new?network=home-assistant");
  await page.getByRole("button", { name: "Create integration" }).click();
  const { client } = await signInAsShown(/^home-assistant-/);
  const announcement = {
    state_topic: "probe/sensor/temperature/state",
    unique_id: "probe_temperature",
    device: { identifiers: ["probe"], name: "Probe" },
  };
  const topic = "homeassistant/sensor/probe/temperature/config";
  await client.publishAsync(topic, JSON.stringify(announcement), { qos: 1, retain: true });
  await client.publishAsync(announcement.state_topic, "21.5", { qos: 1 });
  await page.getByTestId("arrival").locator(".lamp-on").waitFor();
  // The user name is found whatever the integration is called.
  const integrationId = page.url().split("/").at(-1);
  await ui.call("PATCH", `/api/integrations/${integrationId}`, { name: "Probes" });
  await page.reload();
  await page
    .getByTestId("broker-access")
    .getByText(/^home-assistant-/)
    .waitFor();
  await ui.open("/devices");
  await page.getByRole("link", { name: "Probe" }).click();
  await page.getByText("21.5").first().waitFor();
});
