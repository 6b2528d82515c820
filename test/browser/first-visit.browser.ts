// The first five minutes, as a newcomer lives them: real program, real browser, real MQTT device.

import { afterAll, expect, test } from "bun:test";
import mqtt, { type MqttClient } from "mqtt";
import { useConsole } from "./support/console-page.ts";
import { setUpOwner, signIn, tokenOnPage } from "./support/first-visit.ts";

const ui = useConsole({ hasOwner: false });
let device: MqttClient | undefined;

afterAll(async () => {
  await device?.endAsync(true);
});

const send = (values: object) =>
  device!.publishAsync("v1/devices/me/telemetry", JSON.stringify(values), { qos: 1 });

test("the setup link creates the owner, and a new device opens its Connect tab", async () => {
  const { page } = ui;
  await setUpOwner(page, ui.app);
  await ui.connectDevice();
  await page.locator('[data-testid="connect-status"][data-state="waiting"]').waitFor();
  expect(await page.getByTestId("snippet").textContent()).toContain(`-p ${ui.app.mqttPort}`);
});

test("the first MQTT message turns the Connect tab green and shows its value", async () => {
  const { page } = ui;
  device = await mqtt.connectAsync(`mqtt://127.0.0.1:${ui.app.mqttPort}`, {
    username: await tokenOnPage(page),
  });
  await send({ temperature: 21.5 });
  const status = page.locator('[data-testid="connect-status"][data-state="receiving"]');
  await status.waitFor();
  expect(await status.textContent()).toContain("21.5");
});

test("a message to an unknown topic is listed as rejected with the reason", async () => {
  const { page } = ui;
  await device!.publishAsync("v1/devices/me/telemtry", '{"temperature": 1}', { qos: 1 });
  await page.locator('[data-testid="connect-status"][data-state="refused"]').waitFor();
  await page.getByRole("link", { name: "Messages", exact: true }).click();
  await page.getByRole("region", { name: "Faults" }).getByText("v1/devices/me/telemtry").first().waitFor();
});

test("the chart moves with live values and the table lists them", async () => {
  const { page } = ui;
  await page.getByRole("link", { name: "Data", exact: true }).click();
  await page.getByTestId("chart").first().waitFor();
  for (const value of [22.5, 23.75]) {
    await send({ temperature: value });
    await page.getByText(String(value), { exact: true }).first().waitFor();
  }
  await page.getByLabel("View").selectOption("table");
  const table = page.getByRole("table", { name: "Values as a table" });
  await table.getByText("23.75").waitFor();
  expect(await table.getByRole("row").count()).toBe(4);
});

test("an edited shared attribute reaches the device", async () => {
  const { page } = ui;
  const received = new Promise<string>((resolve) => {
    device!.on("message", (_topic, body) => resolve(body.toString()));
  });
  await device!.subscribeAsync("v1/devices/me/attributes", { qos: 1 });
  await page.getByRole("link", { name: "Attributes" }).click();
  await page.getByRole("button", { name: "Add attribute" }).click();
  const dialog = ui.dialog();
  await dialog.getByLabel("Name").fill("targetTemperature");
  await dialog.getByRole("button", { name: "Number" }).click();
  await dialog.getByLabel("Value", { exact: true }).fill("52.5");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("targetTemperature").waitFor();
  expect(JSON.parse(await received)).toEqual({ targetTemperature: 52.5 });
});

test("the overview and the list show the device as active without a reload", async () => {
  const { page } = ui;
  await page.getByRole("link", { name: "Devices" }).first().click();
  const row = ui.row(/My first device/);
  await row.getByText("Active", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Overview" }).first().click();
  await send({ temperature: 24.25 });
  await page.getByTestId("newest").getByText("now").waitFor();
});

test("the displayed values can be downloaded as a CSV file", async () => {
  const { page } = ui;
  await page.getByRole("link", { name: "Devices" }).first().click();
  await page.getByRole("link", { name: "My first device" }).click();
  await page.getByRole("link", { name: "Data", exact: true }).click();
  await page.getByTestId("chart").first().waitFor();
  await page.getByRole("button", { name: "Export and options" }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download CSV" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("My-first-device.csv");
  const [head, newest] = (await Bun.file(await download.path()).text()).split("\r\n");
  expect(head).toBe("time,temperature");
  expect(newest).toMatch(/^20\d\d-.*Z,24\.25$/);
});

test("Ctrl-K opens a device by keyboard only", async () => {
  const { page } = ui;
  await ui.open();
  await page.getByText("Last seen").waitFor();
  await page.keyboard.press("Control+k");
  await page
    .getByRole("combobox", { name: "Find devices, dashboards, alarms, settings and help" })
    .fill("first");
  await page.getByRole("option", { name: /My first device/, selected: true }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "My first device" }).waitFor();
});

test("the menu selects language and theme, which are remembered", async () => {
  const { page } = ui;
  await page
    .getByRole("button", { name: /Account and appearance/ })
    .last()
    .click();
  await page.getByRole("button", { name: "Dark" }).click();
  await page.getByRole("button", { name: "Deutsch" }).click();
  // Its words are fetched first.
  await page.getByRole("link", { name: "Einstellungen" }).first().waitFor();
  await page.reload();
  await page.getByRole("link", { name: "Einstellungen" }).first().waitFor();
  expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe("lineside-dark");
  expect(await page.evaluate(() => document.documentElement.lang)).toBe("de");
  await page
    .getByRole("button", { name: /Konto und Darstellung/ })
    .last()
    .click();
  await page.getByRole("button", { name: "English" }).click();
  await page.keyboard.press("Escape");
  // Its words are fetched first, here as well.
  await page.getByRole("link", { name: "Settings" }).first().waitFor();
});

test("the overview of a small site lists the first steps, until they are hidden", async () => {
  const { page } = ui;
  await ui.open("/");
  const steps = page.getByRole("region", { name: /First steps: \d of 6 done/ });
  const open = () => steps.getByRole("link").allTextContents();
  await steps.getByText("Connect a device (done)").waitFor();
  expect(await open()).toEqual([
    "Name values and give them units",
    "Set an alarm",
    "Create a dashboard",
    "Set up the mail server",
    "Choose a place for backups",
  ]);
  await ui.call("POST", "/api/dashboards", { name: "Hall 9" });
  await ui.open("/");
  await steps.getByText("Create a dashboard (done)").waitFor();
  await steps.getByRole("button", { name: "Hide" }).click();
  await steps.waitFor({ state: "detached" });
  await ui.open("/");
  await page.getByRole("heading", { name: "Key figures" }).waitFor();
  await page.getByRole("link", { name: "Message rate" }).waitFor();
  expect(await steps.count()).toBe(0);
});

test("the address keeps the filters of a list", async () => {
  const { page } = ui;
  await ui.open("/devices?state=inactive");
  await page.getByText("No device matches").waitFor();
  await page.getByRole("combobox", { name: "State" }).selectOption("active");
  await ui.row(/My first device/).waitFor();
  expect(new URL(page.url()).search).toBe("?state=active");
});

test("settings are saved, and deleting a device requires its name", async () => {
  const { page } = ui;
  await page.getByRole("link", { name: "Devices" }).first().click();
  await page.getByRole("button", { name: "Create device" }).click();
  await ui.dialog().getByLabel("Name").fill("Short-lived");
  await page.getByRole("button", { name: "Create and connect" }).click();
  await page.getByRole("navigation", { name: "Device" }).getByRole("link", { name: "Settings" }).click();
  await page.getByLabel("Label").fill("Hall 9");
  await page.getByLabel("Tags").fill("line-1, spare");
  await page.getByLabel("Asset").fill("hall 7");
  for (const minutes of ["5", ""]) {
    await page.getByLabel("Inactive after (minutes)").fill(minutes);
    await page.locator("form").getByRole("button", { name: "Save" }).first().click();
    await page.getByText("Saved.").first().waitFor();
    await page.reload();
    expect(await page.getByLabel("Inactive after (minutes)").inputValue()).toBe(minutes);
    expect(await page.getByLabel("Tags").inputValue()).toBe("line-1, spare");
    expect(await page.getByLabel("Asset").inputValue()).toBe("hall 7");
  }
  await page.getByRole("button", { name: "Delete device" }).click();
  const confirm = ui.dialog().getByRole("button", { name: "Delete" });
  expect(await confirm.isDisabled()).toBe(true);
  await ui.dialog().getByRole("textbox").fill("Short-lived");
  await confirm.click();
  await page.waitForURL(/\/devices$/);
  await ui.row(/Short-lived/).waitFor({ state: "detached" });
});

test("the screen of a device that another user deletes says so and leads to the list", async () => {
  const { page } = ui;
  await page.getByRole("link", { name: "Devices" }).first().click();
  await page.getByRole("button", { name: "Create device" }).click();
  await ui.dialog().getByLabel("Name").fill("Taken away");
  await page.getByRole("button", { name: "Create and connect" }).click();
  await page.locator('[data-testid="connect-status"][data-state="waiting"]').waitFor();
  const bearer = await page.evaluate(() => localStorage.getItem("lineside.token") ?? "");
  const deviceId = new URL(page.url()).pathname.split("/")[2];
  ui.browser.allowNotFound(`/api/devices/${deviceId}`);
  await fetch(`${ui.app.url}/api/devices/${deviceId}`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${bearer}` },
  });
  await page.waitForURL(/\/devices$/);
  await page.getByText("Taken away is deleted.").waitFor();
});

test("a used setup link and a used sign-in link lead a signed-in user to the overview", async () => {
  const { page } = ui;
  await ui.open("/auth/callback?code=used&state=old");
  await page.getByText("Last seen").waitFor();
  const noted = page.waitForEvent("console", (message) => message.text().includes("404"));
  await page.goto(ui.app.setupLink);
  await page.getByText("Last seen").waitFor();
  await page
    .getByRole("link", { name: /Lineside Plant North/ })
    .first()
    .waitFor();
  // The browser itself complains of the used link's 404.
  await noted;
  await page.reload();
  expect(ui.complaints.splice(0)).toEqual([expect.stringContaining("404")]);
});

test("a deep link after a sign-out asks for sign-in and then opens its screen", async () => {
  const { page } = ui;
  const left: string[] = [];
  page.on("request", (request) => {
    if (request.isNavigationRequest()) left.push(new URL(request.url()).pathname);
  });
  await page.getByRole("button", { name: "Account and appearance" }).last().click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(/\/idp\/authorize/);
  await page.getByLabel("Password").waitFor();
  expect(left).toEqual(["/idp/authorize"]);
  await ui.open("/devices?search=first");
  await page.waitForURL(/\/idp\/authorize/);
  await signIn(page);
  await page.waitForURL(/\/devices\?search=first$/);
  await ui.row(/My first device/).waitFor();
});

test("the pages caused no console error, no exception and no request to another host", () => {
  expect(ui.complaints).toEqual([]);
});
