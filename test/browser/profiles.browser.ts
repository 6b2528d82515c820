import { appear, expectTidy } from "./support/screenshots.ts";
// Device profiles in the console: made, made the default, changed, and deleted where nothing uses them.

import { expect, test } from "bun:test";
import { seriousFindings } from "./support/accessibility.ts";
import { useConsole } from "./support/console-page.ts";

const ui = useConsole({ isStill: true });

const save = () => ui.page.getByRole("button", { name: "Save" }).click();
const create = () => ui.page.getByRole("button", { name: "Create profile" }).click();
const openActions = (name: string) => ui.page.getByRole("button", { name: `Actions for ${name}` }).click();
const rowOf = (name: string) => ui.page.getByRole("listitem").filter({ hasText: name });
const profiles = async () => (await ui.call("GET", "/api/device-profiles")) as Record<string, unknown>[];

test("a profile is created with all its settings", async () => {
  const { page } = ui;
  await ui.open("/settings/profiles");
  await rowOf("default").getByText("Inactive after three times the usual interval").waitFor();
  await page.getByRole("link", { name: "Create profile" }).click();
  await page.getByLabel("Name").fill("default");
  await page.getByLabel("Description").fill("Meters that report once a day");
  await page.getByLabel("Counts as inactive after").selectOption("A fixed time");
  await page.getByRole("spinbutton", { name: "Time without data" }).fill("2");
  await page.getByLabel("Time without data: Unit").selectOption("days");
  await page.getByLabel("Days that data is kept").fill("400");
  await page.getByRole("combobox", { name: "Encoding" }).selectOption("CBOR");
  await page.getByLabel("Custom MQTT topic").fill("meters/up");
  await page.getByRole("spinbutton", { name: "Timeout for responses to commands" }).fill("1.5");
  await page.getByLabel("Timeout for responses to commands: Unit").selectOption("hours");
  await page.getByRole("spinbutton", { name: "Timeout for responses to commands" }).fill("1.5");
  await page.getByLabel("Simultaneous MQTT sessions").fill("2");
  await page.getByLabel("Messages per second").fill("5");
  await page.getByLabel("Messages in a burst").fill("50");
  await page.getByLabel("A gateway creates its children by naming them").uncheck();
  await page.getByLabel("Convert texts to numbers").check();
  await page.getByRole("button", { name: "Add reply" }).click();
  await page.getByLabel("Method").fill("getSetpoints");
  await page.getByLabel("Reply as JSON").fill('{"low": 1');
  await page.getByText("Enter valid JSON or a script.").waitFor();
  await page.getByLabel("Reply as JSON").fill('{"low": 1}');
  await page.getByRole("button", { name: "Add reply" }).click();
  await page.getByLabel("Method").nth(1).fill("getName");
  await page.getByLabel("Kind of reply").nth(1).selectOption("Script");
  expect(await seriousFindings(page)).toEqual([]);
  await create();
  await page.getByText("A device profile with this name already exists.").waitFor();
  await page.getByLabel("Name").fill("Meters");
  await create();
  await rowOf("Meters")
    .getByText("Inactive after 2 days without a message · data kept for 400 days · 5 messages per second")
    .waitFor();
  expect((await profiles()).find(({ name }) => name === "Meters")).toMatchObject({
    description: "Meters that report once a day",
    isDefault: false,
    inactivityTimeoutMs: 2 * 86_400_000,
    commandTimeoutMs: 5_400_000,
    retentionDays: 400,
    telemetryTopic: "meters/up",
    payload: "CBOR",
    createsChildren: false,
    sessionsMax: 2,
    messagesPerSecond: 5,
    messagesBurst: 50,
    convertsNumericText: true,
    deviceRequests: [
      { method: "getSetpoints", reply: { low: 1 } },
      { method: "getName", script: expect.stringContaining("function transform") },
    ],
  });
});

test("another profile becomes the default, and empty fields take the gateway's values", async () => {
  const { page } = ui;
  await page.getByRole("link", { name: "Meters", exact: true }).click();
  await page.getByLabel("Days that data is kept").fill("");
  await page.getByLabel("Messages per second").fill("");
  await page.getByLabel("Use as default profile").check();
  // The message of the creation may still be there.
  const saved = page.waitForResponse((response) => response.request().method() === "PATCH");
  await save();
  await saved;
  await page.getByRole("link", { name: "Device profiles" }).last().click();
  await rowOf("Meters").getByText("for new devices", { exact: true }).waitFor();
  await openActions("Meters");
  expect(await rowOf("Meters").getByRole("button", { name: "Delete" }).count()).toBe(0);
  await page.keyboard.press("Escape");
  await openActions("default");
  await rowOf("default").getByRole("button", { name: "Delete" }).waitFor();
  const meters = (await profiles()).find(({ name }) => name === "Meters");
  expect(meters).toMatchObject({ isDefault: true, telemetryTopic: "meters/up" });
  expect(meters).not.toHaveProperty("retentionDays");
  await page.getByRole("link", { name: "Meters", exact: true }).click();
  expect(await page.getByLabel("Use as default profile").isDisabled()).toBe(true);
  await page.getByRole("link", { name: "Cancel" }).click();
});

test("an unused profile is deleted, and a used one is not", async () => {
  const { page } = ui;
  const spare = (await profiles()).find(({ name }) => name === "default");
  const body = { name: "Pump", deviceType: "pump", profileId: spare?.profileId };
  const { deviceId } = (await ui.call("POST", "/api/devices", body)) as { deviceId: string };
  await openActions("default");
  await rowOf("default").getByRole("button", { name: "Delete" }).click();
  await ui.dialog().getByRole("button", { name: "Delete", exact: true }).click();
  await ui.dialog().getByText("Devices use this profile.").waitFor();
  await ui.call("DELETE", `/api/devices/${deviceId}`);
  await ui.dialog().getByRole("button", { name: "Delete", exact: true }).click();
  await ui.dialog().waitFor({ state: "detached" });
  await page.getByText("default is deleted.").waitFor();
  expect((await profiles()).map(({ name }) => name)).toEqual(["Meters"]);
});

test("devices of a profile claim credentials with its key and secret until these are renewed", async () => {
  const { page } = ui;
  await openActions("Meters");
  await page.getByRole("button", { name: "Provisioning" }).click();
  expect(await ui.dialog().getByRole("radio", { name: "None" }).isChecked()).toBe(true);
  await ui.dialog().getByRole("radio", { name: "Any device" }).check();
  const example = ui.dialog().getByText(/^curl /);
  await example.waitFor();
  const claim = /-d '(.*)' /.exec((await example.textContent()) ?? "")?.[1] ?? "";
  const send = async (name: string) => {
    const body = claim.replace("Pump 7", name);
    const headers = { "content-type": "application/json" };
    return (await fetch(`${ui.app.url}/api/v1/provision`, { method: "POST", headers, body })).json();
  };
  expect(await send("Meter 1")).toMatchObject({ status: "SUCCESS", credentialsType: "ACCESS_TOKEN" });
  await ui.dialog().getByRole("button", { name: "Create new key and secret" }).click();
  await page.getByText("A new key and a new secret were created.").waitFor();
  expect(await send("Meter 2")).toMatchObject({ status: "NOT_FOUND" });
  await page.waitForFunction(
    (old) => !document.querySelector("dialog")?.textContent?.includes(old),
    String(JSON.parse(claim).provisionDeviceKey),
  );
  await ui.dialog().getByRole("radio", { name: "None" }).check();
  await example.waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  await ui.dialog().waitFor({ state: "detached" });
});

for (const [theme, width] of [
  ["light", 360],
  ["dark", 1440],
] as const)
  test(`list and editor are accessible and keep within ${width} px, ${theme}`, async () => {
    const { page } = ui;
    const appearance = { theme, width };
    await appear(page, appearance);
    const checkScreen = (name: string) => expectTidy(page, name, appearance);
    await ui.open("/settings/profiles");
    await rowOf("Meters").waitFor();
    await checkScreen("profiles");
    await page.getByRole("link", { name: "Meters", exact: true }).click();
    await page.getByLabel("Description").waitFor();
    await checkScreen("profile-editor");
    await page.getByRole("link", { name: "Cancel" }).click();
    await openActions("Meters");
    await page.getByRole("button", { name: "Provisioning" }).click();
    await ui.dialog().getByRole("radio", { name: "Devices that were created before" }).check();
    await ui
      .dialog()
      .getByText(/^curl /)
      .waitFor();
    await checkScreen("claiming");
  });

test("the pages caused no console error except for the refused request", () => {
  expect(ui.complaints.filter((line) => !line.includes("status of 409"))).toEqual([]);
});
