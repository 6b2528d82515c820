// What went wrong, on its own screen and on the page of a device; the busiest devices on the System page.
import { expect, test } from "bun:test";
import { connectAsync } from "mqtt";
import { useConsole } from "./support/console-page.ts";
import { appear, expectTidy } from "./support/screenshots.ts";

const ui = useConsole({ isStill: true });

const post = (path: string, body: string) =>
  fetch(`${ui.app.url}${path}`, { method: "POST", headers: { "content-type": "application/json" }, body });
const send = (token: string, body: string) => post(`/api/v1/${token}/telemetry`, body);
const signIn = (email: string) =>
  post("/idp/authorize", JSON.stringify({ email, password: "wrong password 1" }));
const createDevice = async (name: string) =>
  (await ui.call("POST", "/api/devices", { name, deviceType: "pump" })) as {
    deviceId: string;
    credentials: { token: string };
  };
const items = () => ui.page.getByRole("list", { name: "Faults" }).getByRole("listitem");

test("one screen lists what went wrong at the site and leads to the device", async () => {
  const device = await createDevice("Mumbling pump");
  for (let index = 0; index < 3; index++) await send(device.credentials.token, '{"t":');
  const me = (await ui.call("GET", "/api/auth/me")) as { email: string };
  await signIn(me.email);
  await signIn("nobody@plant.example");
  await ui.open("/");
  await ui.page.getByRole("link", { name: "Faults" }).first().click();
  const pump = items().filter({ hasText: "Mumbling pump" });
  await pump.getByText("3 times").waitFor();
  expect(await pump.textContent()).toContain("Device API");
  expect(await pump.textContent()).toContain('{"t":');
  await items().filter({ hasText: me.email }).getByText("The password is wrong.").waitFor();
  expect(await ui.page.getByText("nobody@plant.example").count()).toBe(0);
  await ui.page.getByLabel("Source").selectOption({ label: "Sign-in" });
  await pump.waitFor({ state: "detached" });
  await ui.page.getByLabel("Reason").selectOption("refusal.password_wrong");
  await items().filter({ hasText: me.email }).waitFor();
  await ui.page.getByLabel("Source").selectOption({ label: "Uplink" });
  await ui.page.getByText("No fault matches").waitFor();
  await ui.page.goBack();
  await ui.open("/faults?subject=device");
  await pump.getByRole("link", { name: "Mumbling pump" }).click();
  await ui.page.waitForURL(`**/devices/${device.deviceId}/messages`);
  const section = ui.page.getByRole("region", { name: "Faults" });
  await section.getByText("3 times").waitFor();
  expect(ui.complaints).toEqual([]);
});

test("an operator finds who was refused on the whole gateway, and clears the list", async () => {
  await send("WrongTokenOfAPump", '{"t":1}');
  await send("WrongTokenOfAPump", '{"t":1}');
  await ui.open("/settings/system");
  await ui.page.getByRole("link", { name: "Faults of the gateway" }).click();
  const item = items().filter({ hasText: "Wron… (17)" });
  await item.getByText("2 times").waitFor();
  expect(await item.textContent()).toContain("belongs to no device");
  expect(await item.textContent()).toContain("Compare the first characters");
  expect(await ui.page.content()).not.toContain("WrongTokenOfAPump");
  await ui.page
    .getByLabel("Reason")
    .selectOption({ label: "The token or the user name belongs to no device." });
  await ui.page.getByText("1 fault", { exact: true }).waitFor();
  await ui.page.getByLabel("Search by name, address or message").fill("Wron");
  await ui.page.waitForURL("**search=Wron**");
  await ui.page.getByRole("button", { name: "Clear" }).click();
  await ui.page.getByRole("dialog").getByRole("button", { name: "Clear" }).click();
  await ui.page.getByText("No fault matches").waitFor();
  expect(ui.complaints).toEqual([]);
});

test("an operator finds which device sends the most", async () => {
  const device = await createDevice("Loud pump");
  for (let index = 0; index < 3; index++) await send(device.credentials.token, '{"t":1}');
  await ui.open("/settings/system");
  const talkers = ui.page.getByRole("region", { name: "Busiest devices" });
  const row = talkers.getByRole("row").filter({ hasText: "Loud pump" });
  await row.waitFor();
  expect(await row.getByRole("cell").allTextContents()).toEqual(["3", "3", expect.any(String), "0"]);
  await talkers.getByRole("button", { name: "Rejected" }).click();
  await row.waitFor({ state: "detached" });
  await talkers.getByRole("button", { name: "Messages" }).click();
  await row.getByRole("link").click();
  await ui.page.waitForURL(`**/devices/${device.deviceId}/messages`);
  expect(ui.complaints).toEqual([]);
});

test("the page of an MQTT client shows the topic on which it may not publish, and links back to the list", async () => {
  const saved = (await ui.call("POST", "/api/mqtt/clients", {
    name: "Line SCADA",
    signIn: "PASSWORD",
    username: "scada",
    publish: ["plant/#"],
    subscribe: ["plant/#"],
  })) as { mqttClientId: string; username: string; password: string };
  const { username, password } = saved;
  const client = await connectAsync(`mqtt://127.0.0.1:${ui.app.mqttPort}`, { username, password });
  await client.publishAsync("boiler/set", "hot", { qos: 1 });
  await client.endAsync();
  await ui.open("/faults?subject=mqtt_client");
  await items().getByRole("link", { name: "Line SCADA" }).click();
  await ui.page.waitForURL(`**/mqtt-clients/clients/${saved.mqttClientId}`);
  const section = ui.page.getByRole("region", { name: "Faults" });
  await section.getByText("boiler/set").waitFor();
  await section.getByText("Add the topic to what the MQTT client may publish").waitFor();
  expect(ui.complaints).toEqual([]);
});

test("the pages of a job and of a Modbus connection list their faults, also in German, dark and on a phone", async () => {
  const device = await createDevice("Gone fan");
  const job = (await ui.call("POST", "/api/scheduler", {
    name: "Night setback",
    schedule: { kind: "interval", everyMs: 3_600_000 },
    action: { type: "attributes", deviceIds: [device.deviceId], attributes: { setpoint: 17 } },
  })) as { jobId: string };
  await ui.call("DELETE", `/api/devices/${device.deviceId}`);
  await ui.call("POST", `/api/scheduler/${job.jobId}/run`);
  const fields = { name: "Meters", host: "127.0.0.1", port: 1 };
  const connection = (await ui.call("POST", "/api/modbus/connections", fields)) as { connectionId: string };
  await ui.open("/faults?source=scheduler");
  await items().getByRole("link", { name: "Night setback" }).click();
  await ui.page.waitForURL(`**/scheduler/${job.jobId}`);
  const section = ui.page.getByRole("region", { name: "Faults" });
  await section.getByText("The device does not exist any more.").waitFor();
  await ui.open("/faults?source=modbus");
  await items().getByRole("link", { name: "Meters" }).click();
  await ui.page.waitForURL(`**/modbus/${connection.connectionId}`);
  await section.getByText("Check the address, port, cabling and power supply.").waitFor();
  for (const appearance of [
    { theme: "light", language: "de", width: 390 },
    { theme: "dark", language: "de", width: 1440 },
    { theme: "dark", language: "en", width: 390 },
  ] as const) {
    await appear(ui.page, appearance);
    await ui.open("/faults");
    await ui.page.getByRole("link", { name: "Night setback" }).waitFor();
    const said =
      appearance.language === "de" ? "Das Gerät existiert nicht mehr." : "does not exist any more.";
    await ui.page.getByText(said).waitFor();
    await expectTidy(ui.page, "faults", appearance);
  }
  expect(ui.complaints).toEqual([]);
});
