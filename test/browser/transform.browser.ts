// What makes values of an integration's messages, edited and tried on one that came in: codecs, mapping and script.

import { beforeAll, expect, test } from "bun:test";
import { overflow, seriousFindings } from "./support/accessibility.ts";
import { useConsole } from "./support/console-page.ts";

const ui = useConsole({ isStill: true });
let integration: { integrationId: string };
let secret = "";

beforeAll(async () => {
  await ui.call("POST", "/api/integrations/codecs", {
    name: "Vicki",
    source: "function decodeUplink({ bytes }) { return { data: { temp: bytes[1], wrong: bytes[0] } }; }",
  });
  integration = (await ui.call("POST", "/api/integrations", {
    name: "Site network",
    type: "CHIRPSTACK",
    status: "active",
    settings_json: { autoCreateDevice: true, radioMetadata: false },
  })) as typeof integration;
  secret = ((await ui.call("POST", "/api/tenant/integration/rotate-secret")) as { secret: string }).secret;
  await send("ANc=");
});

async function send(data: string): Promise<void> {
  const path = `/api/v1/integrations/lorawan-a/${integration.integrationId}/telemetry?event=up`;
  const deviceInfo = { devEui: "0101010101010101", deviceName: "Valve 1", deviceProfileName: "Vicki" };
  const response = await fetch(ui.app.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", "x-webhook-secret": secret },
    body: JSON.stringify({ deduplicationId: crypto.randomUUID(), deviceInfo, fPort: 2, data }),
  });
  expect(response.status).toBe(200);
}

const result = () => ui.page.getByTestId("transformed");

test("codec, step and script are edited beside their effect on a received message", async () => {
  const { page } = ui;
  await ui.open(`/integrations/${integration.integrationId}/transform`);
  await result().getByText('"payload_hex": "00d7"').waitFor();
  await page.getByRole("button", { name: "Add codec" }).click();
  await page.getByLabel("Device type").fill("Vicki");
  await result().getByText('"temp": 215').waitFor();
  await page.getByRole("button", { name: "Add step" }).click();
  await ui.dialog().getByRole("searchbox").fill("Scale");
  await ui.dialog().getByRole("button", { name: "Scale" }).first().click();
  const step = page.getByTestId("step").first();
  await step.getByLabel("keys").fill("temp");
  await step.getByLabel(/^Factor/).fill("0.1");
  await result().getByText('"temp": 21.5').waitFor();
  await page.getByLabel("Enable script").check();
  const editor = page.getByRole("textbox", { name: "Script" });
  await editor.fill("function transform(message, metadata) {\n  return { temperature: messag.temp };\n}\n");
  await result().getByText("Line 2:").waitFor();
  expect(await page.locator(".code-wrong").textContent()).toContain("messag.temp");
  await editor.fill("function transform(message, metadata) {\n  return { temperature: message.temp };\n}\n");
  await result().getByText('"temperature": 21.5').waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("are saved").waitFor();
  await send("ANg=");
  const devices = (await ui.call("GET", "/api/devices")) as Array<{ deviceId: string }>;
  const latest = await ui.call("GET", `/api/devices/${devices[0]?.deviceId}/telemetry/latest`);
  expect(latest).toMatchObject({ values: { temperature: 21.6 } });
});

test("unsaved changes survive a visit to another tab", async () => {
  const { page } = ui;
  await page.getByRole("textbox", { name: "Script" }).fill("function transform() { return null; }");
  await result().getByText("No result: the message is dropped.").waitFor();
  await page.getByRole("link", { name: "Messages" }).click();
  await page.getByRole("link", { name: "Mapping and script" }).click();
  await page.getByText("Not saved yet.").waitFor();
  await page.getByRole("button", { name: "Discard changes" }).click();
  await result().getByText('"temperature"').waitFor();
  expect(await page.getByRole("textbox", { name: "Script" }).inputValue()).toContain("message.temp");
});

test("the screen fits a phone in both themes without serious accessibility findings", async () => {
  const { page } = ui;
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const width of [1440, 360]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await seriousFindings(page)).toEqual([]);
      expect(await overflow(page)).toEqual([0, 0]);
    }
  }
  expect(ui.complaints).toEqual([]);
});
