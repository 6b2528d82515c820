// A gateway and its children in the console: they appear by themselves, and people attach, name and detach them.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { connectAsync, type MqttClient } from "mqtt";
import { overflow, seriousFindings } from "./support/accessibility.ts";
import { useConsole } from "./support/console-page.ts";

const ui = useConsole();
let gateway: { deviceId: string; credentials: { token: string } };
let connection: MqttClient;

const create = (fields: object) => ui.call("POST", "/api/devices", { deviceType: "gateway", ...fields });
const say = (topic: string, body: unknown) =>
  connection.publishAsync(`v1/gateway/${topic}`, JSON.stringify(body), { qos: 1 });
const rows = () => ui.page.getByTestId("children").getByRole("row");

beforeAll(async () => {
  gateway = (await create({ name: "Modbus gateway hall 2", role: "GATEWAY" })) as typeof gateway;
  await create({ name: "Pump 7", deviceType: "pump" });
  connection = await connectAsync(`mqtt://127.0.0.1:${ui.app.mqttPort}`, {
    username: gateway.credentials.token,
    protocolVersion: 5,
  });
});

afterAll(async () => {
  await connection?.endAsync();
});

test("children appear by themselves and become active without a reload", async () => {
  const { page } = ui;
  await ui.open("/devices?role=GATEWAY");
  await ui.row(/Pump 7/).waitFor({ state: "detached" });
  await page.getByRole("link", { name: /Modbus gateway hall 2/ }).click();
  await page.getByRole("link", { name: "Child devices" }).click();
  await page.getByText("No child devices yet").waitFor();
  const example = (await page.getByTestId("snippet").textContent()) ?? "";
  expect(example).toContain(`-p ${ui.app.mqttPort} -u ${gateway.credentials.token}`);
  expect(await seriousFindings(page)).toEqual([]);
  if (process.env.GATEWAY_SHOTS) await page.screenshot({ path: `${process.env.GATEWAY_SHOTS}/none.png` });
  await say("connect", { device: "slave/1", type: "meter" });
  await rows().filter({ hasText: "slave/1" }).filter({ hasText: "Inactive" }).waitFor();
  await say("telemetry", { "slave/1": { power: 4.2 }, "slave/2": { power: 1 } });
  await rows()
    .filter({ hasText: "slave/1" })
    .filter({ hasText: /Active/ })
    .waitFor();
  await rows().filter({ hasText: "slave/2" }).waitFor();
});

test("a renamed child still receives data under the name that its gateway uses", async () => {
  const { page } = ui;
  await page.getByRole("link", { name: "slave/1" }).click();
  await page.getByRole("definition").filter({ hasText: "Modbus gateway hall 2" }).waitFor();
  await page.getByRole("link", { name: "Settings", exact: true }).last().click();
  await page.getByLabel("Name", { exact: true }).fill("Energy meter press 4");
  await page.getByRole("button", { name: "Save" }).first().click();
  await page.getByRole("heading", { name: "Energy meter press 4" }).waitFor();
  const called = page.getByLabel("Name at the gateway");
  expect(await called.inputValue()).toBe("slave/1");
  await called.fill("slave/2");
  await page.getByRole("button", { name: "Save" }).last().click();
  await page.getByText("Is the name of another child device of this gateway").waitFor();
  await called.fill("slave/1");
  await say("telemetry", { "slave/1": { power: 9.75 } });
  await page.getByRole("link", { name: "Overview", exact: true }).last().click();
  await page.getByRole("button", { name: "Discard changes" }).click();
  await page.getByText("9.75").first().waitFor();
});

test("devices are attached and detached, and a refused attachment says what to do", async () => {
  const { page } = ui;
  await say("telemetry", { "Pump 7": { flow: 1 } }).catch(() => undefined); // refused: it is not behind the gateway
  await ui.open(`/devices/${gateway.deviceId}/messages`);
  await page.getByText("is not a child of this gateway").first().waitFor();
  await page.getByRole("link", { name: "Child devices" }).click();
  await page.getByRole("button", { name: "Attach devices" }).click();
  const dialog = ui.dialog();
  await dialog.getByLabel("Pump 7").check();
  expect(await dialog.getByLabel("slave/2").count()).toBe(0);
  await dialog.getByRole("button", { name: "Attach", exact: true }).click();
  await page.getByText("One device attached.").waitFor();
  await rows().filter({ hasText: "Pump 7" }).waitFor();
  await say("telemetry", { "Pump 7": { flow: 1 } });
  await page.getByRole("button", { name: "Detach slave/2" }).click();
  await ui.dialog().getByRole("button", { name: "Detach" }).click();
  await rows().filter({ hasText: "slave/2" }).waitFor({ state: "detached" });
});

test("a child is created by hand under the gateway's name for it", async () => {
  const { page } = ui;
  await page.getByRole("button", { name: "Create child device" }).click();
  const dialog = ui.dialog();
  await dialog.getByLabel(/^Name(?! at)/).fill("Valve 3");
  await dialog.getByLabel("Name at the gateway").fill("slave/1");
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByText("Is the name of another child device of this gateway").waitFor();
  await dialog.getByLabel("Name at the gateway").fill("slave/3");
  await dialog.getByRole("button", { name: "Create" }).click();
  await rows().filter({ hasText: "Valve 3" }).filter({ hasText: "slave/3" }).waitFor();
  await page.getByRole("link", { name: "Valve 3" }).click();
  await page.getByRole("link", { name: "Settings", exact: true }).last().click();
  await page.getByRole("button", { name: "Detach" }).click();
  await ui.dialog().getByRole("button", { name: "Detach" }).click();
  await page.locator('select[name="gateway"]').selectOption({ label: "Modbus gateway hall 2" });
  await page.getByRole("button", { name: "Attach" }).click();
  await page.getByLabel("Name at the gateway").waitFor();
});

test("a plain device becomes a gateway and back on its page", async () => {
  const { page } = ui;
  const child = page.url();
  const { deviceId } = (await create({ name: "Edge box" })) as { deviceId: string };
  const turn = async (isGateway: boolean) => {
    await ui.open(`/devices/${deviceId}/settings`);
    await page.getByLabel("This is a gateway").setChecked(isGateway);
    await page.getByRole("button", { name: "Save" }).first().click();
    await page
      .getByRole("link", { name: "Child devices" })
      .waitFor({ state: isGateway ? "visible" : "detached" });
    const { role } = (await ui.call("GET", `/api/devices/${deviceId}`)) as { role: string };
    expect(role).toBe(isGateway ? "GATEWAY" : "DEVICE");
  };
  await turn(true);
  await turn(false);
  await ui.open(`${new URL(child).pathname}`);
  await page.getByLabel("Name at the gateway").waitFor();
  expect(await page.getByLabel("This is a gateway").count()).toBe(0);
});

test("the tab and the card are accessible and keep within a phone and a desktop width in both themes", async () => {
  const { page } = ui;
  const shots = process.env.GATEWAY_SHOTS;
  const child = page.url();
  for (const [width, height] of [
    [360, 780],
    [1440, 900],
  ] as const)
    for (const theme of ["light", "dark"] as const) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme: theme });
      for (const [name, url] of [
        ["children", `${ui.app.url}/devices/${gateway.deviceId}/children`],
        ["card", child],
      ] as const) {
        await page.goto(url);
        await (name === "children"
          ? rows().filter({ hasText: "Pump 7" }).waitFor()
          : page.getByLabel("Name at the gateway").waitFor());
        expect({ name, width, theme, found: await seriousFindings(page) }).toEqual({
          name,
          width,
          theme,
          found: [],
        });
        expect(await overflow(page)).toEqual([0, 0]);
        if (shots) await page.screenshot({ path: `${shots}/${name}-${width}-${theme}.png`, fullPage: true });
      }
    }
  await ui.open(`/devices/${gateway.deviceId}/children`);
  await page.getByRole("button", { name: "Attach devices" }).click();
  await ui.dialog().getByRole("checkbox").first().waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  if (shots) await page.screenshot({ path: `${shots}/attach.png` });
  const asked = (line: string) => line.includes("status of 409"); // names that were taken
  expect(ui.complaints.filter((line) => !asked(line))).toEqual([]);
});

test("the Connect tab of a gateway turns green when only its children have values", async () => {
  const { page } = ui;
  const hosts = (await create({ name: "Telegraf", role: "GATEWAY" })) as typeof gateway;
  await ui.open(`/devices/${hosts.deviceId}/connect`);
  await page.getByText("Waiting for the first message").waitFor();
  const response = await fetch(`${ui.app.url}/api/v2/write?org=o&bucket=b`, {
    method: "POST",
    headers: { authorization: `Token ${hosts.credentials.token}` },
    body: "mem,host=server-1 used_percent=6.5",
  });
  expect(response.status).toBe(204);
  await page.getByRole("heading", { name: "Receiving data" }).waitFor();
  await page.getByTestId("connect-status").getByRole("link", { name: "Child devices" }).click();
  await rows().filter({ hasText: "server-1" }).waitFor();
});
