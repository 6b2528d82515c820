// Many devices in the list: selected and changed at once, found by tag and attribute, shown with the columns of one's choice.

import { expect, test } from "bun:test";
import { seriousFindings } from "./support/accessibility.ts";
import { useConsole } from "./support/console-page.ts";

const DEVICES = 450;
const ui = useConsole({ isStill: true });

const row = (name: string) => ui.page.getByRole("row").filter({ hasText: name });
const box = (name: string) => ui.page.getByRole("checkbox", { name: `Select ${name}`, exact: true });
const action = (name: string) =>
  ui.page.getByRole("region", { name: "Selected devices" }).getByRole("button", { name, exact: true });
const outcome = () => ui.page.getByTestId("bulk-outcome");
const close = () => ui.dialog().getByRole("button", { name: "Close" }).click();
const pressName = (n: number) => `Press ${String(n).padStart(3, "0")}`;

async function createDevices() {
  const rows = Array.from({ length: DEVICES }, (_, n) => ({
    name: pressName(n),
    deviceType: n % 2 === 0 ? "press" : "oven",
    token: `the-token-of-press-number-${n}`,
    "attributes.server.serial": `SN-${10_000 + n}`,
  }));
  await ui.call("POST", "/api/devices/bulk/import", { rows });
}

test("a range of rows is selected and gets a tag, with what failed and why", async () => {
  const { page } = ui;
  await createDevices();
  const crowded = (await ui.call("GET", `/api/devices?search=${pressName(3)}`)) as { deviceId: string }[];
  const tags = Array.from({ length: 64 }, (_, n) => `t${n}`);
  await ui.call("PATCH", `/api/devices/${crowded[0]?.deviceId}`, { tags });
  await ui.open("/devices");
  await box(pressName(1)).click();
  await box(pressName(5)).click({ modifiers: ["Shift"] });
  await page.getByText("5 devices selected").waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await action("Tags").click();
  await ui.dialog().getByRole("button", { name: "Apply to 5 devices" }).click();
  await ui.dialog().getByText("Enter a tag to add or to remove.").waitFor();
  await ui.dialog().getByLabel("Add tags").fill("north, critical");
  await ui.dialog().getByRole("button", { name: "Apply to 5 devices" }).click();
  await outcome().getByText("Done for 4 devices.").waitFor();
  await outcome().getByText("Failed for 1 device.").waitFor();
  await outcome().getByText(pressName(3)).waitFor();
  await outcome().getByText('"tags" can have at most 64 entries per device.').waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await close();
  await row(pressName(2)).getByText("critical").waitFor();
});

test("all devices that match a filter are selected, those that were never on screen, too, and deleted after a question", async () => {
  const { page } = ui;
  await page.getByLabel("Device type").selectOption("oven");
  await page.getByText("225 devices", { exact: true }).waitFor();
  await box(pressName(1)).click();
  await page.getByRole("button", { name: "Select all 225 that match" }).click();
  await page.getByText("225 devices selected").waitFor();
  await action("Delete").click();
  await ui.dialog().getByText("225 devices are deleted with all their data").waitFor();
  await ui.dialog().getByRole("button", { name: "Delete 225 devices" }).click();
  await outcome().getByText("Done for 225 devices.").waitFor();
  await close();
  await page.getByText("No device matches").waitFor();
  const left = (await ui.call("GET", "/api/devices?search=Press&limit=1000")) as unknown[];
  expect(left).toHaveLength(DEVICES - 225);
});

test("a command and maintenance go to all that are selected", async () => {
  const { page } = ui;
  await page.getByRole("button", { name: "Clear search and filter" }).click();
  await box(pressName(0)).click();
  await box(pressName(2)).click();
  await action("Command").click();
  await ui.dialog().getByLabel("Method").fill("reboot");
  await ui.dialog().getByRole("button", { name: "Apply to 2 devices" }).click();
  await outcome().getByText("Done for 2 devices.").waitFor();
  await close();
  await action("Maintenance").click();
  await ui.dialog().getByLabel("Reason").fill("oil change");
  await ui.dialog().getByRole("button", { name: "Apply to 2 devices" }).click();
  await outcome().getByText("Done for 2 devices.").waitFor();
  await close();
  const [device] = (await ui.call("GET", `/api/devices?search=${pressName(2)}`)) as {
    deviceId: string;
    maintenance: unknown;
  }[];
  expect(device?.maintenance).toMatchObject({ reason: "oil change" });
  const commands = await ui.call("GET", `/api/devices/${device?.deviceId}/commands`);
  expect(commands).toMatchObject([{ method: "reboot" }]);
  await page.getByRole("button", { name: "Clear selection" }).click();
});

test("devices in maintenance have a state of their own, with a filter that counts them", async () => {
  const { page } = ui;
  await ui.open("/devices");
  const states = page.getByRole("combobox", { name: "State" });
  await states.getByText("Maintenance (2)").waitFor({ state: "attached" });
  await states.selectOption("maintenance");
  await row(pressName(2)).getByText("Maintenance").waitFor();
  await page.getByRole("status").getByText("2 devices").waitFor();
  await states.selectOption("never_connected");
  await row(pressName(4)).getByText("Never connected").waitFor();
  await ui.open("/");
  await page.getByText("2 in maintenance").waitFor();
});

test("columns are selected and stay after a reload, with the newest values live, by no request of a row's own", async () => {
  const { page } = ui;
  await fetch(`${ui.app.url}/api/v1/the-token-of-press-number-0/telemetry`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ temperature: 21.5, battery: 87, rssi: -71 }),
  });
  await ui.open("/devices?sort=name");
  await page.getByRole("button", { name: "Columns" }).click();
  for (const name of ["Battery", "Signal (RSSI)", "temperature", "Profile"])
    await page.getByRole("checkbox", { name, exact: true }).check();
  await page.getByRole("checkbox", { name: "Type", exact: true }).uncheck();
  await page.keyboard.press("Escape");
  await row(pressName(0)).getByText("21.5").waitFor();
  const requests: string[] = [];
  page.on("request", (request) => requests.push(new URL(request.url()).pathname));
  await page.reload();
  for (const text of ["21.5", "87", "-71", "default"])
    await row(pressName(0)).getByText(text, { exact: true }).waitFor();
  expect(await page.getByRole("columnheader", { name: "Type" }).count()).toBe(0);
  expect(requests.filter((path) => /telemetry|\/api\/devices\/[0-9a-f-]{36}$/.test(path))).toEqual([]);
  expect(await seriousFindings(page)).toEqual([]);
  await fetch(`${ui.app.url}/api/v1/the-token-of-press-number-2/telemetry`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ temperature: 19 }),
  });
  const sortButton = page.getByRole("columnheader", { name: "temperature" }).getByRole("button");
  const first = page.locator("[aria-rowindex='2']");
  await sortButton.click();
  await first.getByText("19", { exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get("sort")).toBe("key:temperature");
  await sortButton.click();
  await first.getByText("21.5", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("button", { name: "Reset columns" }).click();
  await page.getByRole("columnheader", { name: "Type" }).waitFor();
  await page.keyboard.press("Escape");
});

test("a serial number finds its device, in the list and with Ctrl-K, which shows the state", async () => {
  const { page } = ui;
  await ui.open("/devices");
  await page.getByLabel("Search by name, tag or attribute").fill("sn-10002");
  await page.getByText("1 device", { exact: true }).waitFor();
  await row(pressName(2)).waitFor();
  await ui.call("POST", "/api/devices", { name: "Zone critical", deviceType: "zone" });
  await page.getByLabel("Search by name, tag or attribute").fill("critical");
  await page.getByText("3 devices", { exact: true }).waitFor();
  expect(await page.getByRole("row").nth(1).textContent()).toContain("Zone critical");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: /^Find devices/ }).fill("SN-10004");
  const option = page.getByRole("option", { name: new RegExp(pressName(4)) });
  await option.waitFor();
  await option.getByText("Never connected").waitFor({ state: "attached" });
  expect(await seriousFindings(page)).toEqual([]);
  // A word that begins with the text is nearer than one that holds it.
  await ui.call("POST", "/api/devices", { name: "Decritical mixer", deviceType: "mixer" });
  await page.getByRole("combobox", { name: /^Find devices/ }).fill("critical");
  await page.getByRole("option", { name: /Decritical mixer/ }).waitFor();
  const options = await page.getByRole("option").allTextContents();
  const place = (name: string) => options.findIndex((text) => text.includes(name));
  expect(place("Zone critical")).toBeLessThan(place("Decritical mixer"));
  await page.keyboard.press("Escape");
});

test("a value is pinned to the overview with its last day, and taken away again", async () => {
  const { page } = ui;
  await ui.open("/");
  await page.getByRole("heading", { name: "Key figures" }).waitFor();
  await page.getByRole("button", { name: "Pin a value" }).click();
  await ui.dialog().getByLabel("Search by name, tag or attribute").fill(pressName(0));
  await ui
    .dialog()
    .getByRole("button", { name: pressName(0) })
    .click();
  await ui
    .dialog()
    .getByRole("button", { name: /temperature/ })
    .click();
  const remove = page.getByRole("button", { name: `Remove temperature · ${pressName(0)}` });
  await remove.waitFor();
  await page.getByRole("paragraph").filter({ hasText: "21.5" }).waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await remove.click();
  await remove.waitFor({ state: "detached" });
});

test("the console reports no error", () => {
  expect(ui.complaints).toEqual([]);
});

// Last: as an API key the console is refused what only sessions may do, and the browser complains of it.
test("a reader sees the list and the overview without boxes and pins", async () => {
  const { page } = ui;
  const key = { name: "reader", role: "TENANT_READ_ONLY" };
  const created = (await ui.call("POST", "/api/api-keys", key)) as { key: string };
  const own = await page.evaluate(() => localStorage.getItem("lineside.token") ?? "");
  await page.evaluate((token) => localStorage.setItem("lineside.token", token), created.key);
  await ui.open("/devices?sort=name");
  await row(pressName(0)).waitFor();
  expect(await page.getByRole("checkbox").count()).toBe(0);
  await ui.open("/");
  await page.getByRole("heading", { name: "Key figures" }).waitFor();
  expect(await page.getByRole("button", { name: "Pin a value" }).count()).toBe(0);
  await page.evaluate((token) => localStorage.setItem("lineside.token", token), own);
});
