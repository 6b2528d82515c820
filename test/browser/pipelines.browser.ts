import { appear, expectTidy } from "./support/screenshots.ts";
// A data pipeline from the console: made, tried on a real message, started, seen to work, taken back, with its webhooks.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { connectAsync } from "mqtt";
import { createWebhookReceiver, isSigned, type WebhookReceiver } from "../support/webhook-receiver.ts";
import { useConsole } from "./support/console-page.ts";

const ui = useConsole({ settings: ["--outbound-allow", "127.0.0.1"], isStill: true });
let receiver: WebhookReceiver;
let device: { deviceId: string; credentials: { token: string } };

beforeAll(async () => {
  receiver = createWebhookReceiver();
  const body = { name: "Boiler 1", deviceType: "thermo" };
  device = (await ui.call("POST", "/api/devices", body)) as typeof device;
  await publish({ t: 212, mode: "eco" });
});

afterAll(async () => {
  await receiver?.stop();
});

async function publish(body: unknown): Promise<void> {
  const client = await connectAsync(`mqtt://127.0.0.1:${ui.app.mqttPort}`, {
    username: device.credentials.token,
  });
  await client.publishAsync("v1/devices/me/telemetry", JSON.stringify(body), { qos: 1 });
  await client.endAsync();
}

const step = (n: number) => ui.page.getByTestId("step").nth(n);
const latest = async () =>
  (
    (await ui.call("GET", `/api/devices/${device.deviceId}/telemetry/latest`)) as {
      values: Record<string, unknown>;
    }
  ).values;

async function addStep(title: string): Promise<void> {
  await ui.page.getByRole("button", { name: "Add step" }).click();
  await ui.dialog().getByRole("searchbox").fill(title);
  await ui.dialog().getByRole("button", { name: title }).first().click();
  await ui.dialog().waitFor({ state: "detached" });
}

test("a new user creates a pipeline and tests it on the newest message without effect", async () => {
  const { page } = ui;
  await ui.open("/pipelines");
  await page.getByText("No pipelines yet").waitFor();
  await page.getByRole("button", { name: "Create pipeline" }).click();
  await ui.dialog().getByLabel("Name").fill("Fahrenheit to Celsius");
  await ui.dialog().getByLabel("Selected devices, types or profiles").check();
  await ui.dialog().getByRole("button", { name: "Save" }).click();
  await ui.dialog().getByText("Select a type, a profile or a device.").waitFor();
  await ui.dialog().getByLabel("thermo", { exact: true }).check();
  await ui.dialog().getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "Fahrenheit to Celsius" }).waitFor();
  await page.getByText("For thermo").waitFor();
  await page.getByText("The newest stored values of Boiler 1.").waitFor();

  await addStep("Scale");
  await page.getByRole("button", { name: "Save steps" }).click();
  await step(0).getByRole("alert").filter({ hasText: "This field is required." }).waitFor();
  await step(0).getByRole("combobox", { name: /^Keys/ }).fill("t");
  await step(0).getByRole("combobox", { name: /^Keys/ }).press("Enter");
  await step(0)
    .getByLabel(/^Factor/)
    .fill("0.5");
  await step(0)
    .getByLabel(/^Offset/)
    .fill("-6");
  await step(0).getByRole("row", { name: "≠ t 212 100" }).waitFor();

  await addStep("Rename keys");
  await step(1).getByRole("textbox", { name: "mapping, left" }).fill("t");
  await step(1).getByRole("textbox", { name: "mapping, right" }).fill("temperature");
  await step(1).getByRole("row", { name: "+ temperature 100" }).waitFor();
  await page.getByTestId("result").getByText('"temperature": 100').waitFor();

  // By the keyboard alone: the second step goes up, finds no key to scale under its old name, and goes down again.
  await step(1).getByRole("button", { name: "Move Rename keys up" }).focus();
  await page.keyboard.press("Enter");
  await page.getByTestId("result").getByText('"temperature": 212').waitFor();
  await step(0).getByRole("button", { name: "Move Rename keys down" }).focus();
  await page.keyboard.press("Enter");
  await page.getByTestId("result").getByText('"temperature": 100').waitFor();
  await page.getByRole("button", { name: "Save steps" }).click();
  await page.getByText("Not saved yet.").waitFor({ state: "detached" });
  await publish({ t: 300 });
  expect(await latest()).toMatchObject({ t: 300 });
});

test("a started pipeline stores what its preview showed and counts messages", async () => {
  const { page } = ui;
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
  await publish({ t: 212 });
  expect(await latest()).toMatchObject({ temperature: 100 });
  await page.getByTestId("counters").getByText("1 in · 1 out · 0 dropped · 0 errors").waitFor();
  await page.getByRole("navigation", { name: "Breadcrumb" }).getByRole("link", { name: "Pipelines" }).click();
  await page.getByRole("listitem").filter({ hasText: "Fahrenheit" }).getByText("2 steps").waitFor();
});

test("an error of the server appears at its field, and a condition is checked while it is typed", async () => {
  const { page } = ui;
  await page.getByRole("link", { name: "Fahrenheit to Celsius" }).click();
  await addStep("Derive a key");
  await step(2).getByRole("combobox", { name: /^Key/ }).fill("hot");
  await step(2)
    .getByRole("textbox", { name: /^Expression/ })
    .fill("temperature >");
  await step(2).getByRole("alert").waitFor();
  await step(2)
    .getByRole("textbox", { name: /^Expression/ })
    .fill("temperature > 30");
  await step(2).getByRole("alert").waitFor({ state: "detached" });
  await addStep("Drop on a condition");
  await step(3)
    .getByRole("textbox", { name: /^Condition/ })
    .fill('{"key": "temperature"');
  await step(3).getByText("This is not valid JSON.").waitFor();
  await step(3)
    .getByRole("textbox", { name: /^Condition/ })
    .fill('{"key": "temperature", "op": "GT", "value": 50}');
  await step(3).getByText("This step drops the message.").waitFor();
  await page.getByTestId("result").getByText("No result: the message is dropped.").waitFor();
  await page.getByRole("button", { name: "Discard changes" }).click();
  expect(await page.getByTestId("step").count()).toBe(2);
});

test("a webhook is previewed with warnings, sent and signed, and its secret is never shown again", async () => {
  const { page } = ui;
  // What is shown in quotes is a text.
  await page.getByLabel("Message (JSON)").fill('{"t": "212"}');
  await step(0).getByRole("row", { name: 't "212" "212"' }).waitFor();
  // It has been through the pipeline since, and is still there as it came.
  await page.getByRole("button", { name: "Use its newest message" }).click();
  await page.getByText("The newest message of Boiler 1, as received.").waitFor();
  await page.getByTestId("result").getByText('"temperature": 100').waitFor();
  await addStep("Forward to a webhook");
  await step(2).getByRole("textbox", { name: /^URL/ }).fill(`${receiver.url}/in`);
  await step(2)
    .getByLabel(/^Secret/)
    .fill("only we know");
  await page.getByTestId("result").getByText(`POST ${receiver.url}/in`).waitFor();
  await page.getByTestId("result").getByText("uses http, which is not encrypted").waitFor();
  expect(receiver.received).toEqual([]);
  await page.getByRole("button", { name: "Save steps" }).click();
  await step(2).getByText("stored, not shown").waitFor();
  await step(2)
    .getByLabel(/^Timeout/)
    .fill("5000");
  await page.getByRole("button", { name: "Save steps" }).click();
  await page.getByText("Not saved yet.").waitFor({ state: "detached" });
  await publish({ t: 212 });
  await receiver.until(1);
  expect(receiver.received[0]?.body.telemetry).toEqual({ temperature: 100 });
  expect(receiver.received[0] && isSigned(receiver.received[0], "only we know")).toBe(true);
});

test("a refused delivery is listed with its reason and details, and can be sent again", async () => {
  const { page } = ui;
  receiver.answer = () => new Response("no such thing", { status: 404 });
  await publish({ t: 32 });
  await publish({ t: 50 });
  await page.getByRole("link", { name: "Webhooks", exact: true }).click();
  const row = page.getByRole("list", { name: "Webhooks" }).getByRole("listitem").first();
  await row.getByText("1 attempt failed: The server answered 404.").waitFor();
  await row.getByText("Boiler 1").waitFor();
  await row.getByText("Show body").click();
  await row.getByText('"telemetry":{"temperature":19}').waitFor();
  receiver.answer = () => new Response("");
  await row.getByRole("button", { name: "Retry" }).click();
  await page.getByTestId("webhook-counts").getByText("1", { exact: true }).first().waitFor();
  await page.getByRole("button", { name: "Retry all failed" }).click();
  await page.getByText("No webhooks").waitFor();
  expect(receiver.received.map(({ body }) => body.telemetry.temperature)).toEqual([100, 10, 19, 19, 10]);
});

test("an earlier version is restored", async () => {
  const { page } = ui;
  await page.getByRole("link", { name: "Versions", exact: true }).click();
  await page.getByText("Scale → Rename keys → Forward to a webhook").first().waitFor();
  await page.getByRole("button", { name: "Restore version 2" }).click();
  await page.getByText("Version 2 is restored as a new version.").waitFor();
  await page.getByRole("link", { name: "Steps", exact: true }).click();
  await step(1).waitFor();
  expect(await page.getByTestId("step").count()).toBe(2);
  await page.getByRole("link", { name: "Versions", exact: true }).click();
  await page.getByRole("button", { name: "Restore version 4" }).click();
  await page.getByText("Version 4 is restored as a new version.").waitFor();
});

for (const [theme, width] of [
  ["light", 360],
  ["dark", 360],
  ["light", 1440],
  ["dark", 1440],
] as const)
  test(`list, steps, webhooks and dialogs are accessible and keep within ${width} px, ${theme}`, async () => {
    const { page } = ui;
    const appearance = { theme, width };
    await appear(page, appearance);
    const checkScreen = (name: string) => expectTidy(page, name, appearance);
    await ui.open("/pipelines");
    await page.getByRole("link", { name: "Fahrenheit to Celsius" }).waitFor();
    await checkScreen("pipelines");
    await page.getByRole("link", { name: "Fahrenheit to Celsius" }).click();
    await page.getByTestId("trace").first().waitFor();
    await page.getByTestId("result").getByText(`POST ${receiver.url}/in`).waitFor();
    await checkScreen("pipeline-steps");
    await page.getByRole("button", { name: "Add step" }).click();
    await ui.dialog().getByRole("searchbox").waitFor();
    await checkScreen("pipeline-add-step");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Details" }).click();
    await ui.dialog().getByLabel("thermo", { exact: true }).waitFor();
    await checkScreen("pipeline-details");
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Webhooks", exact: true }).click();
    await page.getByText("No webhooks").waitFor();
    await checkScreen("pipeline-webhooks");
  });

test("the screens are German in German, a reader changes nothing, and deleting asks for confirmation", async () => {
  const { page } = ui;
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.evaluate(() => localStorage.setItem("lineside.language", "de"));
  await ui.open("/pipelines");
  await page.getByRole("link", { name: "Fahrenheit to Celsius" }).click();
  await step(0).getByText("Multipliziert Zahlen").waitFor();
  await page.evaluate(() => localStorage.setItem("lineside.language", "en"));

  const key = { name: "reader", role: "TENANT_READ_ONLY" };
  const created = (await ui.call("POST", "/api/api-keys", key)) as { key: string };
  const own = await page.evaluate(() => localStorage.getItem("lineside.token") ?? "");
  await page.evaluate((token) => localStorage.setItem("lineside.token", token), created.key);
  await ui.open("/pipelines");
  await page.getByRole("link", { name: "Fahrenheit to Celsius" }).click();
  await page.getByText("You can see the steps but not change them.").waitFor();
  expect(
    await step(0)
      .getByLabel(/^Factor/)
      .isDisabled(),
  ).toBe(true);
  for (const name of ["Add step", "Start", "Pause", "Details", "Delete pipeline"])
    expect(await page.getByRole("button", { name, exact: true }).count()).toBe(0);
  await page.evaluate((token) => localStorage.setItem("lineside.token", token), own);
  await page.reload();
  await page.getByRole("button", { name: "Delete pipeline" }).click();
  await ui.dialog().getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("No pipelines yet").waitFor();
  // What the preview refuses while it is typed, and what a key may not do for the page around the screen.
  const expected = /status of (400|403)/;
  expect(ui.complaints.filter((line) => !expected.test(line))).toEqual([]);
});
