import { appear, expectTidy } from "./support/screenshots.ts";
// A list of devices from a spreadsheet: looked at, mended, imported, and its tokens taken home.

import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { seriousFindings } from "./support/accessibility.ts";
import { useConsole } from "./support/console-page.ts";

const ui = useConsole({ isStill: true });

const selectFile = (text: string, name = "devices.csv") =>
  ui.page
    .locator('input[type="file"]')
    .setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(text) });

async function downloaded(click: () => Promise<void>): Promise<string> {
  const [download] = await Promise.all([ui.page.waitForEvent("download"), click()]);
  return readFile(await download.path(), "utf8");
}

const HEADER = "\uFEFFname;deviceType;label;tags;attributes.shared.target\r\n";
const rowOf = (name: string) => ui.page.getByRole("row").filter({ hasText: name });

test("the device list leads to the import and its template", async () => {
  const { page } = ui;
  await ui.open("/devices");
  await page.getByRole("link", { name: "Import" }).click();
  await page.getByRole("heading", { name: "Import devices" }).waitFor();
  const template = await downloaded(() => page.getByRole("button", { name: "Download template" }).click());
  expect(template).toStartWith("name,deviceType,label,tags");
});

test("errors appear at their rows, and the valid rows can be imported alone", async () => {
  const { page } = ui;
  const rows = [
    '"Presse; links";press;"sagt ""an""";Halle 1|wichtig;21,5',
    ";oven;;;",
    "Kühler;cooler;;;1.5",
  ];
  await selectFile(HEADER + rows.join("\r\n"));
  await page.getByText("1 row has mistakes.").waitFor();
  expect(await page.getByRole("row").count()).toBe(2);
  await page.getByText('"name" is required.').waitFor();
  await page.getByRole("button", { name: "All", exact: true }).click();
  await rowOf("Presse; links").getByText('press · sagt "an"').waitFor();
  await rowOf("Kühler").getByText("valid").waitFor();
  await page.getByRole("button", { name: "Import the 2 valid rows" }).click();
  const outcome = page.getByTestId("imported");
  await outcome.getByText("2 devices imported.").waitFor();
  await outcome.getByText("1 row was not imported.").waitFor();
  await page.getByText('"name" is required.').waitFor();
  const tokens = await downloaded(() => page.getByRole("button", { name: "Download access tokens" }).click());
  const [head, first] = tokens.split("\r\n");
  expect(head).toBe("name,deviceId,token");
  const [name, deviceId, token] = (first ?? "").split(",");
  expect([name, token?.length]).toEqual(["Presse; links", expect.any(Number)]);
  const attributes = await ui.call("GET", `/api/devices/${deviceId}/attributes?scope=SHARED`);
  expect(attributes).toMatchObject([{ key: "target", value: 21.5 }]);
  const device = await ui.call("GET", `/api/devices/${deviceId}`);
  expect(device).toMatchObject({ tags: ["Halle 1", "wichtig"], label: 'sagt "an"' });
});

test("a file that is not a list of devices is refused, and another one can be selected", async () => {
  const { page } = ui;
  await page.getByRole("button", { name: "Select another file" }).click();
  await selectFile("shade;size\r\nred;3\r\n");
  await page.getByRole("alert").getByText("there is no column shade").waitFor();
  await selectFile("name,deviceType\r\nPump,pump\r\n");
  await page.getByText("All rows are valid.").waitFor();
  await page.getByRole("button", { name: "Import 1 device" }).click();
  await page.getByText("1 device imported.").waitFor();
  await page.getByRole("link", { name: "Show devices" }).click();
  await page.getByRole("row").filter({ hasText: "Pump" }).waitFor();
  const list = await downloaded(() => page.getByRole("button", { name: "Export" }).click());
  expect(list.split("\r\n").length).toBe(5);
  expect(list).toContain("Presse; links");
});

test("an import is undone, but for a device that has sent data since", async () => {
  const { page } = ui;
  await ui.open("/devices/import");
  await selectFile(
    "name,deviceType,token\r\nTaken back,pump,\r\nIn use,pump,the-token-of-the-one-in-use\r\n",
  );
  await page.getByRole("button", { name: "Import 2 devices" }).click();
  await page.getByText("2 devices imported.").waitFor();
  await fetch(`${ui.app.url}/api/v1/the-token-of-the-one-in-use/telemetry`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"a":1}',
  });
  await page.getByRole("button", { name: "Undo the import" }).click();
  await ui.dialog().getByRole("button", { name: "Delete 2 devices" }).click();
  const outcome = page.getByTestId("bulk-outcome");
  await outcome.getByText("Done for 1 device.").waitFor();
  await outcome.getByText("In use").waitFor();
  await outcome.getByText("The device has connected or sent data since it was created.").waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  const left = (await ui.call("GET", "/api/devices?search=Taken%20back")) as unknown[];
  expect(left).toEqual([]);
});

test("the preview scrolls through fifty thousand rows and renders only the visible ones", async () => {
  const { page } = ui;
  await ui.open("/devices/import");
  const rows = Array.from(
    { length: 50_000 },
    (_, index) => `Sensor ${index + 1},${index === 40_000 ? "" : "sensor"}`,
  );
  await selectFile(`name,deviceType\n${rows.join("\n")}`, "all.csv");
  await page.getByText("50,000 rows").waitFor();
  await page.getByText('"deviceType" is required.').waitFor();
  await page.getByRole("button", { name: "All", exact: true }).click();
  await rowOf("Sensor 1").first().waitFor();
  expect(await page.getByRole("row").count()).toBeLessThan(80);
  const list = page.getByRole("region", { name: "Devices" });
  await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
  await rowOf("Sensor 50000").waitFor();
  expect(await page.getByRole("row").count()).toBeLessThan(80);
  await page.getByRole("button", { name: "Import the 49,999 valid rows" }).waitFor();
});

for (const [theme, width] of [
  ["light", 360],
  ["dark", 1440],
] as const)
  test(`chooser and preview are accessible and keep within ${width} px, ${theme}`, async () => {
    const { page } = ui;
    const appearance = { theme, width };
    await appear(page, appearance);
    const checkScreen = (name: string) => expectTidy(page, name, appearance);
    await ui.open("/devices/import");
    await page.getByText("Drop a CSV file here").waitFor();
    await checkScreen("import");
    await selectFile(`${HEADER}Ofen;oven;;;1\r\n;oven;;;2\r\nKiln;oven;;;3`);
    await page.getByRole("button", { name: "All", exact: true }).click();
    await rowOf("Kiln").waitFor();
    await checkScreen("import-preview");
  });

test("the pages caused no console error except for the refused file", () => {
  expect(ui.complaints.filter((line) => !line.includes("status of 400"))).toEqual([]);
});
