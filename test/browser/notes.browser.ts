// Notes that people write on a device: in its timeline among alarms, commands and attributes, and as marks on its chart.
import { beforeAll, expect, test } from "bun:test";
import { untilAnswer } from "../support/until.ts";
import { useConsole } from "./support/console-page.ts";
import { appear, expectTidy } from "./support/screenshots.ts";

const ui = useConsole({ isStill: true });
let device: { deviceId: string; credentials: { token: string } };

beforeAll(async () => {
  device = (await ui.call("POST", "/api/devices", { name: "Kiln 1", deviceType: "kiln" })) as typeof device;
  const { profileId } = (await ui.call("GET", `/api/devices/${device.deviceId}`)) as { profileId: string };
  const rule = { severity: "MAJOR", condition: { key: "temperature", op: "GT", value: 90 } };
  await ui.call("PATCH", `/api/device-profiles/${profileId}`, {
    alarmRules: [{ alarmType: "Overheated", createRules: [rule] }],
  });
  for (const temperature of [20, 95])
    await fetch(`${ui.app.url}/api/v1/${device.credentials.token}/telemetry`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ temperature }),
    });
  await ui.call("POST", `/api/devices/${device.deviceId}/commands`, { method: "coolDown" });
  await ui.call("POST", `/api/devices/${device.deviceId}/attributes`, {
    scope: "SHARED",
    attributes: { setpoint: 21 },
  });
});

const entries = () => ui.page.getByTestId("timeline").getByRole("listitem");
const saved = () =>
  ui.call("GET", `/api/notes?deviceId=${device.deviceId}`) as Promise<
    { text: string; until: string | null }[]
  >;

test("the timeline has alarms, commands, attributes and the audit log in one list, and takes a note", async () => {
  const { page } = ui;
  await ui.open(`/devices/${device.deviceId}/history`);
  for (const text of ["Overheated", "coolDown", "setpoint", "Device created"])
    await entries().filter({ hasText: text }).waitFor();
  await page.getByRole("button", { name: "Write a note" }).click();
  const dialog = ui.dialog();
  await dialog.getByLabel("Note", { exact: true }).fill("Bearing replaced\nby Eva");
  await dialog.getByRole("button", { name: "Save" }).click();
  await entries().filter({ hasText: "Bearing replaced" }).waitFor();
  await page.getByRole("button", { name: "Alarms", exact: true }).click();
  await entries().filter({ hasText: "Bearing replaced" }).waitFor({ state: "detached" });
  await entries().filter({ hasText: "Overheated" }).waitFor();
  await page.getByRole("button", { name: "Audit log", exact: true }).click();
  await entries().filter({ hasText: "Overheated" }).waitFor({ state: "detached" });
  await entries().filter({ hasText: "Device created" }).waitFor();
  await page.getByRole("button", { name: "Notes", exact: true }).click();
  await entries().filter({ hasText: "Device created" }).waitFor({ state: "detached" });
  expect(await entries().count()).toBe(1);
});

test("a note is changed, and refused with an end before its beginning", async () => {
  const { page } = ui;
  await page.getByRole("button", { name: "Edit note" }).click();
  const dialog = ui.dialog();
  const begin = await dialog.getByLabel("Time", { exact: true }).inputValue();
  await dialog.getByLabel("End (optional)").fill("2020-01-01T00:00");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText(/must not be before/).waitFor();
  await dialog.getByLabel("End (optional)").fill(begin.replace(/^\d+/, (year) => String(Number(year) + 1)));
  await dialog.getByLabel("Note", { exact: true }).fill("Bearing and seal");
  await dialog.getByRole("button", { name: "Save" }).click();
  await entries()
    .filter({ hasText: "Bearing and seal" })
    .getByText(/^until /)
    .waitFor();
  expect((await saved()).map(({ text }) => text)).toEqual(["Bearing and seal"]);
});

test("a change of somebody else stays if the dialog changes other fields", async () => {
  const { page } = ui;
  const [note] = (await ui.call("GET", `/api/notes?deviceId=${device.deviceId}`)) as { noteId: string }[];
  await page.getByRole("button", { name: "Edit note" }).click();
  const end = ui.dialog().getByLabel("End (optional)");
  const wanted = (await end.inputValue()).replace(/^\d+/, (year) => String(Number(year) + 1));
  await ui.call("PATCH", `/api/notes/${note?.noteId}`, { text: "Bearing and seal, by Ada" });
  // Notes are not sent live: another command loads the timeline again behind the dialog.
  await ui.call("POST", `/api/devices/${device.deviceId}/commands`, { method: "rinse" });
  await ui.page.getByText("Bearing and seal, by Ada").waitFor({ state: "attached" });
  await end.fill(wanted);
  await ui.dialog().getByRole("button", { name: "Save" }).click();
  await untilAnswer(
    saved,
    ([found]) => new Date(found?.until ?? 0).getFullYear() === Number(wanted.slice(0, 4)),
  );
  expect((await saved()).map(({ text }) => text)).toEqual(["Bearing and seal, by Ada"]);
});

test("the chart shows a note and takes one, and a deleted one leaves it", async () => {
  const { page } = ui;
  const listed = () => page.getByRole("listitem").filter({ hasText: /Note on Kiln 1 by/ });
  await ui.open(`/devices/${device.deviceId}/data`);
  await page.getByTestId("chart").first().waitFor();
  await listed()
    .filter({ hasText: /, .+ – .+: Bearing and seal/ })
    .first()
    .waitFor({ state: "attached" });
  await page.getByRole("button", { name: "Export and options" }).click();
  await page.getByRole("button", { name: "Write a note" }).click();
  await ui.dialog().getByLabel("Note", { exact: true }).fill("Door open");
  await ui.dialog().getByRole("button", { name: "Save" }).click();
  await listed().filter({ hasText: "Door open" }).first().waitFor({ state: "attached" });
  await ui.open(`/devices/${device.deviceId}/history?kind=notes`);
  await entries().filter({ hasText: "Door open" }).getByRole("button", { name: "Delete note" }).click();
  await ui.dialog().getByRole("button", { name: "Delete" }).click();
  await entries().filter({ hasText: "Door open" }).waitFor({ state: "detached" });
  await untilAnswer(saved, (notes) => notes.length === 1);
});

for (const appearance of [
  { language: "en", theme: "light", width: 1440 },
  { language: "de", theme: "dark", width: 360 },
] as const)
  test(`the timeline is accessible and keeps within ${appearance.width} px, ${appearance.theme}`, async () => {
    await appear(ui.page, appearance);
    await ui.open(`/devices/${device.deviceId}/history`);
    await entries().filter({ hasText: "Bearing and seal" }).waitFor();
    await expectTidy(ui.page, "timeline", appearance);
  });

test("a note reaches another open browser without a reload, in its timeline and on its chart", async () => {
  const { page } = ui;
  await appear(page, { theme: "light", language: "en", width: 1440 });
  await ui.open(`/devices/${device.deviceId}/history`);
  await entries().first().waitFor();
  const note = { deviceId: device.deviceId, text: "Written elsewhere", at: new Date().toISOString() };
  const { noteId } = (await ui.call("POST", "/api/notes", note)) as { noteId: string };
  await entries().filter({ hasText: "Written elsewhere" }).waitFor();
  await ui.call("PATCH", `/api/notes/${noteId}`, { text: "Changed elsewhere" });
  await entries().filter({ hasText: "Changed elsewhere" }).waitFor();
  await ui.open(`/devices/${device.deviceId}/data?window=15m`);
  await page
    .getByText(/Changed elsewhere/)
    .first()
    .waitFor({ state: "attached" });
  await ui.call("DELETE", `/api/notes/${noteId}`);
  await page
    .getByText(/Changed elsewhere/)
    .first()
    .waitFor({ state: "detached" });
});
