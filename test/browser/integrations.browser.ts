import { appear, expectTidy } from "./support/screenshots.ts";
// Integrations from the console: made by the wizard, pasted, seen to take messages, what failed worked on again.

import { expect, test } from "bun:test";
import { useConsole } from "./support/console-page.ts";

const ui = useConsole({ isStill: true });
let secret: string;

const events = () => ui.page.getByRole("list", { name: /^(Messages|Nachrichten)$/ }).getByRole("listitem");

interface Integration {
  readonly integrationId: string;
  readonly name: string;
  readonly webhookUrl: string;
}
const named = async (name: string) => {
  const list = (await ui.call("GET", "/api/integrations")) as Integration[];
  const found = list.find((integration) => integration.name === name);
  if (found === undefined) throw new Error(`there is no integration ${name}`);
  return found;
};

async function post(url: string, body: unknown): Promise<number> {
  const headers = { "content-type": "application/json", "x-webhook-secret": secret };
  return (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).status;
}

const uplink = (n: number) => ({
  deduplicationId: crypto.randomUUID(),
  time: new Date().toISOString(),
  deviceInfo: { deviceName: `Room ${n}`, devEui: n.toString(16).padStart(16, "0") },
  fPort: 2,
  data: "AQID",
  object: { temperature: 20 + n },
  rxInfo: [{ gatewayId: "0016c001f153a14c", rssi: -71, snr: 9.5 }],
});

test("a new user connects ChirpStack with the wizard and sees the first message arrive", async () => {
  const { page } = ui;
  await ui.open("/integrations");
  await page.getByText("No integrations yet").waitFor();
  await page.getByRole("link", { name: "Create integration" }).click();
  await page.getByRole("link", { name: /^ChirpStack/ }).click();
  await page.getByLabel("Name").fill("Building A");
  await page.getByRole("button", { name: "Create integration" }).click();
  await page.getByRole("heading", { name: "Building A" }).waitFor();

  await page.getByText("There is no webhook secret yet.").waitFor();
  await page.getByText("Messages cannot arrive until there is a webhook secret.").waitFor();
  const copySecret = page.getByRole("button", { name: "Copy: X-Webhook-Secret" });
  expect(await copySecret.count()).toBe(0);
  await page.getByText("No webhook secret yet · ChirpStack").waitFor();
  await page.getByRole("button", { name: "Create secret" }).click();
  secret = (await page.getByTestId("secret").textContent()) ?? "";
  await page.getByText("No message yet · ChirpStack").waitFor();
  await page.getByText("Waiting for the first message").waitFor();
  expect(secret.length).toBeGreaterThan(20);
  expect(await copySecret.count()).toBe(1);
  const { webhookUrl } = await named("Building A");
  await page.getByText("Event endpoint URL(s)").waitFor();
  await page.getByText(webhookUrl, { exact: true }).waitFor();
  expect(await page.getByText(secret, { exact: true }).count()).toBe(2);

  await page.getByTestId("arrival").getByText("Waiting for the first message").waitFor();
  await page.getByRole("link", { name: "If nothing arrives" }).click();
  await page.getByRole("heading", { name: "If nothing arrives" }).waitFor();
  await page.goBack();
  await page.getByTestId("arrival").getByText("Waiting for the first message").waitFor();
  expect(await post(`${webhookUrl}?event=up`, uplink(1))).toBe(200);
  await page.getByTestId("arrival").getByText("Messages arrive.").waitFor();
  await page.getByRole("link", { name: "Show messages" }).click();
  await events().filter({ hasText: "Room 1" }).waitFor();
  await page.reload();
  await events().first().getByText("Message and result").click();
  await events().first().getByText('"temperature": 21').first().waitFor();
});

test("messages appear live, pausing holds them back, and filters find failed ones", async () => {
  const { page } = ui;
  const { webhookUrl } = await named("Building A");
  await page.getByRole("button", { name: "Pause updates" }).click();
  await post(`${webhookUrl}?event=up`, uplink(2));
  await post(`${webhookUrl}?event=up`, { deviceInfo: { devEui: "not an EUI" } });
  await page.getByTestId("counters").getByText("1 failed").waitFor();
  expect(await events().count()).toBe(1);
  await page.getByRole("button", { name: "Resume updates" }).click();
  await events().filter({ hasText: "Room 2" }).waitFor();
  await page.getByRole("button", { name: "Failed", exact: true }).click();
  await events().filter({ hasText: "Room 2" }).waitFor({ state: "detached" });
  expect(await events().count()).toBe(1);
  await events().getByText("reading:").waitFor();
  await page.getByRole("searchbox", { name: "Search in messages" }).fill("nothing like it");
  await page.getByText("No message matches").waitFor();
});

test("a failed message is replayed once its cause is fixed", async () => {
  const { page } = ui;
  await ui.open("/integrations/new");
  await page.getByRole("link", { name: /^Any program/ }).click();
  await page.getByLabel("Name").fill("Scripts");
  await page.getByLabel(/^Create a device/).uncheck();
  await page.getByRole("button", { name: "Create integration" }).click();
  await page.getByRole("heading", { name: "Scripts" }).waitFor();
  await page.getByText("There is a secret.").waitFor();
  const { webhookUrl, integrationId } = await named("Scripts");
  const message = { externalDeviceId: "press-7", telemetry: { force: 12 } };
  expect(await post(webhookUrl, message)).toBe(400);
  await ui.open(`/integrations/${integrationId}/messages`);
  await events().getByText("No device has the external ID press-7").waitFor();
  await events().getByRole("button", { name: "Retry" }).click();
  await page.getByText("It failed again").first().waitFor();

  await page.getByRole("link", { name: "Settings" }).last().click();
  await page.getByLabel(/^Create a device/).check();
  await page.getByLabel("Device type of new devices").fill("press");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Scripts is saved.").waitFor();
  await page.getByRole("link", { name: "Messages" }).click();
  await page.getByRole("button", { name: "Retry all failed" }).click();
  await events().filter({ hasText: "press-7" }).getByText("Stored").first().waitFor();
  const devices = (await ui.call("GET", "/api/devices?search=press-7")) as unknown[];
  expect(devices).toMatchObject([{ name: "press-7", deviceType: "press" }]);
});

test("a broker's password is kept without being shown and is not sent to another broker", async () => {
  const { page } = ui;
  await ui.open("/integrations/new");
  await page.getByRole("link", { name: /^Zigbee2MQTT/ }).click();
  expect(await page.getByLabel(/^Topics/).inputValue()).toBe("zigbee2mqtt/#");
  await page.getByRole("radio", { name: "Another broker" }).check();
  await page.getByLabel(/^Address/).fill("mqtt://192.0.2.7:1883");
  await page.getByLabel("User name").fill("gate");
  await page.getByLabel("Password").fill("hush-hush-hush");
  await page.getByRole("button", { name: "Create integration" }).click();
  await page.getByRole("heading", { name: "Zigbee2MQTT" }).waitFor();
  const { integrationId } = await named("Zigbee2MQTT");
  await ui.open(`/integrations/${integrationId}/settings`);
  await page.getByText("Saved. Leave the field empty to keep it.").first().waitFor();
  expect(await page.getByLabel(/^Password/).inputValue()).toBe("");
  expect(await page.content()).not.toContain("hush-hush-hush");
  await page.getByLabel(/^Address/).fill("mqtt://192.0.2.8:1883");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("alert").getByText("another server").waitFor();
  await page.getByLabel(/^Password/).fill("another");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Zigbee2MQTT is saved.").waitFor();
});

test("an integration is paused, started and deleted after a confirmation", async () => {
  const { page } = ui;
  await ui.open("/integrations");
  await page.getByRole("button", { name: "Pause Scripts" }).click();
  const row = page.getByTestId("integration").filter({ hasText: "Scripts" });
  await row.getByText("Paused").waitFor();
  await page.getByRole("button", { name: "Start Scripts" }).click();
  await row.getByText("Active").waitFor();
  await row.getByRole("link", { name: "Scripts" }).click();
  await page.getByRole("button", { name: "Delete integration" }).click();
  ui.browser.allowNotFound(new URL(page.url()).pathname);
  await ui.dialog().getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("Scripts is deleted.").waitFor();
  expect(await row.count()).toBe(0);
});

for (const [theme, width, language] of [
  ["light", 360, "en"],
  ["dark", 360, "de"],
  ["light", 1440, "de"],
  ["dark", 1440, "en"],
] as const)
  test(`list, wizard and tabs are accessible and keep within ${width} px, ${theme}, ${language}`, async () => {
    const { page } = ui;
    const appearance = { theme, width, language };
    await appear(page, appearance);
    const checkScreen = (name: string) => expectTidy(page, name, appearance);
    const { integrationId } = await named("Building A");
    await ui.open("/integrations/new");
    await page.getByRole("link", { name: /^ChirpStack/ }).waitFor();
    await checkScreen("integration-choice");
    await page.getByRole("link", { name: /^Tasmota/ }).click();
    await page.getByRole("textbox").first().waitFor();
    await checkScreen("integration-wizard");
    await page.getByRole("link", { name: /^(Cancel|Abbrechen)$/ }).click();
    await page.getByTestId("integration").first().waitFor();
    await checkScreen("integrations");
    await ui.open(`/integrations/${integrationId}`);
    await page.getByTestId("arrival").waitFor();
    await checkScreen("integration-connect");
    await ui.open(`/integrations/${integrationId}/messages`);
    await events().first().waitFor();
    await checkScreen("integration-messages");
    await ui.open(`/integrations/${integrationId}/settings`);
    await page.getByRole("checkbox").first().waitFor();
    await checkScreen("integration-settings");
  });

test("the preset of a network server says what to enter there, not what any program may send", async () => {
  const { page } = ui;
  const paths = { deviceId: "EUI", ts: "ts", frame: "data", fPort: "port" };
  const { integrationId } = (await ui.call("POST", "/api/integrations", {
    name: "Radio at LORIOT",
    type: "HTTP",
    settings_json: { paths, frameEncoding: "hex" },
  })) as { integrationId: string };
  await ui.open(`/integrations/${integrationId}`);
  await page.getByText("In LORIOT, create an HTTP connection").waitFor();
  expect(await page.getByText("Any program posts").count()).toBe(0);
});

test("the pages caused no console error and no request to another host", () => {
  const expected = /status of 400/; // a password for another server
  expect(ui.complaints.filter((line) => !expected.test(line))).toEqual([]);
});
