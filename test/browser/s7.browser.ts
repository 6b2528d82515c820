// A Siemens S7 controller from the console: chosen, connected, read and refused.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { pythonOfSnap7, startS7Simulator } from "../support/s7-simulator.ts";
import { useConsole } from "./support/console-page.ts";
import { type Appearance, appear, expectTidy } from "./support/screenshots.ts";

const ui = useConsole({
  settings: ["--outbound-allow", "127.0.0.1", "--outbound-private", "host"],
  isStill: true,
});
let controller: Awaited<ReturnType<typeof startS7Simulator>> | undefined;

beforeAll(async () => {
  if (pythonOfSnap7 !== null) controller = await startS7Simulator();
});
afterAll(() => controller?.kill());

test.skipIf(pythonOfSnap7 === null)("a controller of python-snap7 is connected and read", async () => {
  const { page } = ui;
  await ui.open("/integrations/new");
  await page.getByRole("link", { name: /^Siemens S7/ }).click();
  const dialog = ui.dialog();
  expect(await dialog.getByRole("radio", { name: "Siemens S7" }).isChecked()).toBe(true);
  await dialog.getByLabel("Name", { exact: true }).fill("Press 4");
  await dialog.getByRole("textbox", { name: /^Address/ }).fill("127.0.0.1");
  await dialog.getByRole("spinbutton", { name: "Port" }).fill(String(controller?.port));
  await dialog.getByRole("button", { name: "Create connection" }).click();
  await page.getByTestId("state").getByText("Connected", { exact: true }).waitFor();
  await page.getByRole("textbox", { name: "Address" }).fill("%DB1.DBD4:REAL");
  await page.getByRole("button", { name: "Read now" }).click();
  await page.getByText("3.14", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Add unit" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Press 4");
  await page.getByRole("button", { name: "Import CSV" }).click();
  const table = "key;address\narray;DB1,INT56.3\nbeyond;DB1,INT98.2\nwrong;T5";
  await ui.dialog().getByLabel("Table").fill(table);
  await ui.dialog().getByRole("button", { name: "Add from table" }).click();
  await ui.dialog().getByText("Line 4:").waitFor();
  await ui.dialog().getByRole("button", { name: "Add the other 2 lines" }).click();
  await page.getByRole("button", { name: "Add tag", exact: true }).click();
  const tag = page.getByTestId("entry").last();
  await tag.getByRole("textbox", { name: "Key" }).fill("pressure");
  await tag.getByRole("textbox", { name: "Address" }).fill("DB1,FOO4");
  await page.getByRole("button", { name: "Save" }).click();
  // The browser says what is wrong at the field, and no device is created for it.
  const address = tag.getByRole("textbox", { name: "Address" });
  expect(await address.evaluate((input) => input === document.activeElement)).toBe(true);
  expect(await address.evaluate((input) => (input as HTMLInputElement).validationMessage)).toContain("S7");
  expect(await ui.call("GET", "/api/devices?search=Press%204")).toEqual([]);
  await address.fill("DB1,REAL4");
  await page.getByRole("button", { name: "Save" }).click();
  const unit = page.getByTestId("field-unit");
  await unit.getByText("array_2").waitFor();
  await unit.getByText("3.14", { exact: true }).waitFor();
  await unit.getByText("The address is beyond the end of the block or area.").waitFor();
  const path = new URL(page.url()).pathname;
  const appearances: readonly Appearance[] = [
    { theme: "dark", language: "de", width: 390 },
    { theme: "light", language: "en", width: 1440 },
  ];
  for (const appearance of appearances) {
    await appear(page, appearance);
    await ui.open(path);
    await unit.getByText("array_2").waitFor();
    await expectTidy(page, `s7-connection-${appearance.language}`, appearance);
    await ui.open("/field");
    await page.getByTestId("field-connection").waitFor();
    await expectTidy(page, `field-list-${appearance.language}`, appearance);
  }
});

test("a new connection keeps its name and address when its protocol is changed", async () => {
  await ui.open("/field?create");
  const dialog = ui.dialog();
  const name = dialog.getByLabel("Name", { exact: true });
  const address = dialog.getByRole("textbox", { name: /^Address/ });
  const port = dialog.getByRole("spinbutton", { name: "Port" });
  await name.fill("Press 5");
  await address.fill("127.0.0.2");
  await port.fill("1502");
  await dialog.getByRole("radio", { name: "Siemens S7" }).check();
  const inputs = [name, address, port];
  expect(await Promise.all(inputs.map((input) => input.inputValue()))).toEqual([
    "Press 5",
    "127.0.0.2",
    "102",
  ]);
  await dialog.getByRole("radio", { name: /^Modbus/ }).check();
  expect(await port.inputValue()).toBe("1502");
});

test("connections of one protocol are listed while those of another cannot be read", async () => {
  const { page } = ui;
  const connection = { name: "Hall", host: "127.0.0.1", port: 1, enabled: false };
  await ui.call("POST", "/api/modbus/connections", connection);
  await page.route("**/api/s7/connections?*", (route) => route.fulfill({ status: 503 }));
  await ui.open("/field");
  const main = page.getByRole("main");
  await main.getByRole("link", { name: "Hall" }).waitFor();
  await main.getByRole("alert").waitFor();
  const entry = page.getByRole("navigation").getByRole("link", { name: "Field connections" }).first();
  await main.getByRole("link", { name: "Hall" }).click();
  await page.getByRole("heading", { name: "Hall" }).first().waitFor();
  expect(await entry.getAttribute("aria-current")).toBe("page");
  await page.unroute("**/api/s7/connections?*");
});
