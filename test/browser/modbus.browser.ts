// A Modbus device from the console: connected, read, browsed, seen to be away and to come back.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { holding, type ModbusServer, startModbusServer } from "../support/modbus-server.ts";
import { useConsole } from "./support/console-page.ts";
import { type Appearance, appear, expectTidy } from "./support/screenshots.ts";

const ui = useConsole({
  settings: ["--outbound-allow", "127.0.0.1", "--outbound-private", "host"],
  isStill: true,
});
const words = new Map<number, number>();
let server: ModbusServer;
const CSV = [
  "key;area;address;type;scale;order;writable",
  "speed;holding;0;UINT16;0,1;;yes",
  "power;holding;2;FLOAT32;;CDAB;",
  "missing;holding;900;UINT16;;;",
  "broken;holding;70000;UINT16;;;",
].join("\n");

beforeAll(async () => {
  for (let address = 0; address < 20; address++) words.set(address, address);
  words.set(0, 1_234);
  // 50.5 with the less significant word first
  words.set(2, 0x0000);
  words.set(3, 0x424a);
  server = await startModbusServer(holding(words));
});
afterAll(() => server.stop());

const unit = () => ui.page.getByTestId("field-unit");
const state = () => ui.page.getByTestId("state");
let connectionPath = "";

const appearances: readonly Appearance[] = [
  { theme: "light", language: "de", width: 390 },
  { theme: "dark", language: "de", width: 1440 },
  { theme: "dark", language: "en", width: 390 },
  { theme: "light", language: "en", width: 1440 },
];

/** Opens a screen in each appearance and checks it; leaves the last one. */
async function checkScreen(name: string, path: string, ready: () => Promise<unknown>): Promise<void> {
  for (const appearance of appearances) {
    await appear(ui.page, appearance);
    await ui.open(path);
    await ready();
    await expectTidy(ui.page, `modbus-${name}-${appearance.language}`, appearance);
  }
}

test("a connection is created and says that it is connected", async () => {
  const { page } = ui;
  await ui.open("/field");
  await page.getByText("No field connections yet").waitFor();
  await page.getByRole("main").getByRole("button", { name: "Create connection" }).click();
  const dialog = ui.dialog();
  await dialog.getByLabel("Name", { exact: true }).fill("Hall meters");
  await page.keyboard.press("Escape");
  await page.getByRole("alertdialog").getByRole("button", { name: "Keep editing" }).click();
  await dialog.getByRole("textbox", { name: /^Address/ }).fill("127.0.0.1");
  await dialog.getByRole("spinbutton", { name: "Port" }).fill(String(server.port));
  await dialog.getByRole("button", { name: "Create connection" }).click();
  await page.getByRole("heading", { name: "Hall meters" }).waitFor();
  await state().getByText("Connected", { exact: true }).waitFor();
  await page.getByText("No units yet.").waitFor();
  connectionPath = new URL(page.url()).pathname;
});

test("a unit is created from a table, after its problems were shown", async () => {
  const { page } = ui;
  await page.getByRole("link", { name: "Add unit" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Press 7");
  await page.getByLabel(/^Interval/).fill("0.2");
  await page.getByRole("button", { name: "Start from a template" }).click();
  await ui
    .dialog()
    .getByRole("button", { name: /SDM630/ })
    .waitFor();
  await expectTidy(page, "modbus-templates-en", { theme: "light", language: "en", width: 1440 });
  await ui.dialog().getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Import CSV" }).click();
  await ui.dialog().getByLabel("Table").fill(CSV);
  await ui.dialog().getByRole("button", { name: "Add from table" }).click();
  await ui.dialog().getByText("Line 5:").waitFor();
  await ui.dialog().getByText("Column address: Enter a whole number from 0 to 65535.").waitFor();
  await expectTidy(page, "modbus-csv-en", { theme: "light", language: "en", width: 1440 });
  await ui.dialog().getByRole("button", { name: "Add the other 3 lines" }).click();
  expect(await page.getByTestId("register").count()).toBe(3);
  await page.getByRole("button", { name: "Add register", exact: true }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Enter a key.").waitFor();
  await page.getByText("Enter a whole number from 0 to 65535.").waitFor();
  await expectTidy(page, "modbus-unit-problems-en", { theme: "light", language: "en", width: 1440 });
  await page.getByRole("button", { name: "Remove New register" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await unit().getByRole("link", { name: "Press 7", exact: true }).waitFor();
});

test("the unit shows its values, and which register the device refuses", async () => {
  await unit().getByText("123.4", { exact: true }).waitFor();
  await unit().getByText("50.5", { exact: true }).waitFor();
  await unit().getByText("Modbus exception 2: The device has no register at this address.").waitFor();
  await checkScreen("connection", connectionPath, () => unit().getByText("power").waitFor());
  await checkScreen("list", "/field", () => ui.page.getByTestId("field-connection").waitFor());
  await checkScreen("new-unit", `${connectionPath}/new`, () => ui.page.locator("#field-unit").waitFor());
  expect(ui.complaints).toEqual([]);
});

test("registers are browsed in each byte order, and one is added to the unit", async () => {
  const { page } = ui;
  await ui.open(connectionPath);
  const browser = page.locator("section", { has: page.locator("#modbus-browser") }).first();
  await browser.getByRole("button", { name: "Read" }).click();
  await ui.row(/unit 2 0000/).waitFor();
  await browser.getByLabel("Byte order").selectOption("CDAB");
  await ui.row(/unit 2 0000 0 0 .* 50\.5/).waitFor();
  words.set(5, 0xfffe);
  await browser.getByLabel("Every second").check();
  await ui.row(/unit 5 FFFE 65534 -2/).waitFor();
  await checkScreen("browser", connectionPath, async () => {
    await page.getByTestId("browser").locator("button[type=submit]").click();
    const table = page.getByRole("table");
    await table.waitFor();
    await table.scrollIntoViewIfNeeded();
  });
  await page.getByRole("link", { name: "Add register 5 to the unit" }).click();
  await page.getByRole("textbox", { name: "Key" }).fill("torque");
  await page.getByRole("combobox", { name: "Type" }).selectOption("INT16");
  await expectTidy(page, "modbus-unit-en", { theme: "light", language: "en", width: 1440 });
  await page.getByRole("button", { name: "Save" }).click();
  await unit().getByText("-2", { exact: true }).waitFor();
  await ui.open(connectionPath);
  await browser.getByLabel("Address", { exact: true }).fill("800");
  await browser.getByRole("button", { name: "Read" }).click();
  await browser.getByText("The device has no register at this address.").waitFor();
  ui.complaints.length = 0; // the browser notes the refused request
});

test("the screen shows that the server is gone, with advice, and that it is back", async () => {
  await server.stop();
  await state().getByText("Not connected", { exact: true }).waitFor();
  await state().getByText("Nothing listens at this address.").waitFor();
  await state()
    .getByText(/^Next attempt in \d+ s$/)
    .waitFor();
  await checkScreen("away", connectionPath, () => state().waitFor());
  server = await startModbusServer(holding(words), "TCP", server.port);
  await state().getByText("Connected", { exact: true }).waitFor();
  await unit().getByText("123.4", { exact: true }).waitFor();
});

test("a connection to a serial port is created, says that the adapter is missing, and keeps its settings", async () => {
  const { page } = ui;
  await ui.open("/field");
  await page.getByRole("button", { name: "Create connection" }).click();
  const dialog = ui.dialog();
  await dialog.getByLabel("Name", { exact: true }).fill("RS-485");
  await dialog.getByRole("radio", { name: /^Serial port/ }).check();
  await dialog.getByRole("textbox", { name: /^Serial port/ }).fill("/dev/ttyUSB99");
  await dialog.getByLabel("Baud rate").selectOption("19200");
  await dialog.getByLabel("Parity").selectOption("EVEN");
  await expectTidy(page, "modbus-serial-en", { theme: "light", language: "en", width: 1440 });
  await dialog.getByRole("button", { name: "Create connection" }).click();
  await page.getByRole("heading", { name: "RS-485" }).waitFor();
  await state().getByText("/dev/ttyUSB99", { exact: true }).waitFor();
  await state().getByText("Is the adapter connected?").waitFor();
  await page.getByRole("main").getByRole("button", { name: "Edit", exact: true }).click();
  expect(await dialog.getByLabel("Baud rate").inputValue()).toBe("19200");
  expect(await dialog.getByLabel("Parity").inputValue()).toBe("EVEN");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("main").getByRole("button", { name: "Delete", exact: true }).click();
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("Hall meters").waitFor();
});

test("Ctrl-K finds a connection, and deleting asks first", async () => {
  const { page } = ui;
  await page.keyboard.press("Control+k");
  await page
    .getByRole("combobox", { name: "Find devices, dashboards, alarms, settings and help" })
    .fill("hall met");
  await page.getByRole("option", { name: /Hall meters/ }).waitFor();
  await page.keyboard.press("Escape");
  await ui.open(connectionPath);
  await page.getByRole("main").getByRole("button", { name: "Delete", exact: true }).click();
  await ui.dialog().getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("No field connections yet").waitFor();
  expect(await ui.call("GET", "/api/devices?search=Press%207")).toHaveLength(1);
});
