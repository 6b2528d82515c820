// History out of a device and into it, as files, the way a person does it.

import { beforeAll, expect, test } from "bun:test";
import { useConsole } from "./support/console-page.ts";

const ui = useConsole();

let deviceId: string;

beforeAll(async () => {
  deviceId = await ui.connectDevice();
});

const ROWS = 40_000;
const START = Date.now() - ROWS * 1000;
const rows = Array.from(
  { length: ROWS },
  (_, index) => `${START + index * 1000},${(index % 977) / 10},"note ${index}"`,
);

/** Opens the dialog, imports a file of two values and closes the dialog. */
async function importTwo(name: string, text: string): Promise<void> {
  const { page } = ui;
  await page.getByRole("button", { name: "Export and options" }).click();
  await page.getByRole("button", { name: "Import and export" }).click();
  await page
    .locator('input[type="file"]')
    .setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
  await ui.dialog().getByRole("button", { name: "Import", exact: true }).click();
  await page.getByText("2 values imported.").waitFor();
  await page.keyboard.press("Escape");
}

test("a device without data imports a file, reports rejected rows and shows the values", async () => {
  const { page } = ui;
  await page.getByRole("link", { name: "Data", exact: true }).click();
  await page.getByRole("button", { name: "Import", exact: true }).click();
  const file = `ts,temperature,note\n${rows.join("\n")}\nnever,1,x\n`;
  await page
    .locator('input[type="file"]')
    .setInputFiles({ name: "history.csv", mimeType: "text/csv", buffer: Buffer.from(file) });
  await ui.dialog().getByRole("button", { name: "Import", exact: true }).click();
  const outcome = page.getByRole("status").filter({ hasText: "imported" });
  await outcome.waitFor();
  expect(await outcome.textContent()).toMatch(
    /80,000 values imported.*Refused rows: 1. The first is row \d+: “never” is not a time/,
  );
  const german = "Zeit;temperature\r\n05.01.2026 10:00;1.021,5\r\n";
  await page
    .locator('input[type="file"]')
    .setInputFiles({ name: "german.csv", mimeType: "text/csv", buffer: Buffer.from(german) });
  await page.getByLabel("Time zone").fill("Europe/Berlin");
  await ui.dialog().getByRole("button", { name: "Import", exact: true }).click();
  await page.getByText("1 values imported.").waitFor();
  await page.keyboard.press("Escape");
  // The device is silent, but its newest value is a second old.
  await page.getByTestId("chart").first().waitFor();
  const older = "time,pressure\n2021-05-01T10:00:00Z,3\n2021-05-01T11:00:00Z,4\n";
  await importTwo("old.csv", older);
  await page.getByText(/2021/).first().waitFor();
  await page.getByText("min 3 · avg 3.5 · max 4").waitFor();
  // Nothing of another window.
  expect(await page.getByText("91.9").count()).toBe(0);
});

test("the whole history can be downloaded, as CSV and without loss", async () => {
  const { page } = ui;
  await page.getByRole("button", { name: "Export and options" }).click();
  await page.getByRole("button", { name: "Import and export" }).click();
  const dialog = ui.dialog();
  await dialog.getByText("Everything").click();
  const texts: string[] = [];
  for (const format of ["CSV", "NDJSON"]) {
    await dialog.getByText(format, { exact: true }).click();
    const download = page.waitForEvent("download");
    await dialog.getByRole("button", { name: "Download" }).click();
    texts.push(await Bun.file(await (await download).path()).text());
  }
  expect(texts[0]?.split("\r\n").length).toBe(ROWS + 1 + 4); // with the rows of the other files
  expect(texts[0]?.split("\r\n").slice(0, 5)).toEqual([
    "ts,note,pressure,temperature",
    "2021-05-01T10:00:00.000Z,,3,",
    "2021-05-01T11:00:00.000Z,,4,",
    "2026-01-05T09:00:00.000Z,,,1021.5",
    `${new Date(START).toISOString()},note 0,,0`,
  ]);
  expect(texts[1]?.split("\n")[4]).toBe(
    `{"ts":${START + 1000},"values":{"note":"note 1","temperature":0.1}}`,
  );
});

test.each([
  [
    "NDJSON",
    "level.ndjson",
    '{"ts":"2022-05-01T10:00:00Z","level":5}\n{"ts":"2022-05-01T11:00:00Z","level":6}\n',
  ],
  ["CSV with the newest row first", "mass.csv", "ts,mass\n2023-08-01T10:00:00Z,6\n2023-02-01T10:00:00Z,5\n"],
])("after an import of %s, the window shows its newest value", async (_, name, text) => {
  await ui.open(`/devices/${deviceId}/data`);
  await importTwo(name, text);
  await ui.page.getByText(/max 6/).waitFor();
});

test("a window that shows an imported value stays", async () => {
  const { page } = ui;
  const body = { name: "Silent", deviceType: "press" };
  const created = (await ui.call("POST", "/api/devices", body)) as {
    deviceId: string;
    credentials: { token: string };
  };
  const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  await fetch(`${ui.app.url}/api/v1/${created.credentials.token}/telemetry`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ts: ago(2), values: { mass: 1 } }),
  });
  await ui.open(`/devices/${created.deviceId}/data`);
  await page.getByTestId("chart").first().waitFor();
  const address = page.url();
  await importTwo("mass.csv", `ts,mass\n${ago(3)},5\n${ago(2.5)},6\n`);
  await page.getByText(/max 6/).waitFor();
  expect(page.url()).toBe(address);
});

test("imported values are no message of the device", async () => {
  const { page } = ui;
  await ui.open("/devices");
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("checkbox", { name: "temperature", exact: true }).check();
  await page.keyboard.press("Escape");
  const row = page.getByRole("row").filter({ hasText: String(((ROWS - 1) % 977) / 10) });
  await row.waitFor();
  expect(await row.getByText("never", { exact: true }).count()).toBe(1);
});

test("the pages caused no console error and no request to another host", () => {
  expect(ui.complaints).toEqual([]);
});
