import { appear, expectTidy } from "./support/screenshots.ts";
// A timed job from the console: made, seen to run, changed, paused and deleted.

import { beforeAll, expect, test } from "bun:test";
import { useConsole } from "./support/console-page.ts";

const ui = useConsole({ isStill: true });
const ids: string[] = [];

beforeAll(async () => {
  for (const name of ["Hall 1 heating", "Hall 2 heating"]) {
    const created = await ui.call("POST", "/api/devices", {
      name,
      deviceType: "thermostat",
    });
    ids.push((created as { deviceId: string }).deviceId);
  }
});

test("a new job describes its schedule in words and previews its next runs", async () => {
  const { page } = ui;
  await ui.open("/scheduler");
  await page.getByText("No jobs yet").waitFor();
  await page.getByRole("link", { name: "Create job" }).click();
  await page.getByLabel("Name").first().fill("Night setback");
  await page.getByLabel("Time", { exact: true }).fill("22:00");
  for (const day of ["Sat", "Sun"]) await page.getByRole("button", { name: day }).click();
  await page.getByLabel("Time zone").fill("Mars/Olympus");
  await page.getByText("There is no such time zone").waitFor();
  await page.getByLabel("Time zone").fill("America/New_York");
  await page.getByTestId("next-runs").getByText(/22:00/).first().waitFor();
  expect(await page.getByTestId("next-runs").getByRole("listitem").count()).toBe(5);
  await page.getByLabel("Name").nth(1).fill("setpoint");
  await page.getByRole("combobox", { name: "Type of value" }).selectOption("number");
  await page.getByRole("textbox", { name: "Value" }).fill("warm");
  await page.getByRole("button", { name: "Create job" }).click();
  await page.getByText("Select a device.").waitFor();
  await page.getByLabel("Hall 1 heating").check();
  await page.getByRole("button", { name: "Create job" }).click();
  await page.getByText("setpoint: the value does not have the selected type.").waitFor();
  await page.getByRole("textbox", { name: "Value" }).fill("17.5");
  await page.getByRole("button", { name: "Create job" }).click();
  await page.waitForURL(/\/scheduler\/(?!new$)[^/]+$/);
  await page.getByRole("heading", { name: "Night setback" }).waitFor();
  await page.getByText("Monday to Friday at 22:00").waitFor();
  await page.getByText("This job has not run yet").waitFor();
});

test("a job runs now, and its history shows the result of each device without a reload", async () => {
  const { page } = ui;
  await page.getByRole("button", { name: "Run now" }).click();
  const run = page.getByTestId("runs").getByRole("listitem").first();
  await run.getByText("Done").first().waitFor();
  await run.getByText("manual").click();
  await run.getByRole("link", { name: "Hall 1 heating" }).waitFor();
  const path = `/api/devices/${ids[0]}/attributes?scope=SHARED`;
  expect(await ui.call("GET", path)).toMatchObject([{ key: "setpoint", value: 17.5 }]);
});

test("a job sends a command to all devices of a type by a cron expression that is checked while it is typed", async () => {
  const { page } = ui;
  await page.getByRole("link", { name: "Edit" }).click();
  await page.getByLabel("Repeat").selectOption("cron");
  await page.getByRole("textbox", { name: "Expression" }).fill("61 * * * *");
  await page
    .getByRole("alert")
    .filter({ hasText: /61 is not between 0 and 59/ })
    .waitFor();
  await page.getByRole("textbox", { name: "Expression" }).fill("0 0 30 2 *");
  await page.getByText("There are no further runs.").waitFor();
  await page.getByRole("textbox", { name: "Expression" }).fill("*/20 * * * *");
  await page
    .getByTestId("next-runs")
    .getByText(/:[024]0/)
    .first()
    .waitFor();
  await page.getByRole("button", { name: "Send a command" }).click();
  await page.getByLabel("Method").fill("reboot");
  await page.getByLabel("All devices of a type").check();
  await page.getByRole("combobox", { name: "Device type" }).selectOption("thermostat");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Sends reboot · all devices of type thermostat").waitFor();
  await page.getByRole("button", { name: "Run now" }).click();
  const run = page.getByTestId("runs").getByRole("listitem").first();
  await run.getByText("2 devices").waitFor();
  await run.getByText("2 devices").click();
  await run.getByRole("link", { name: "Command" }).first().click();
  await page.getByText("by scheduler: Night setback").waitFor();
});

test("the list shows the next run of a job, pauses it and starts it again", async () => {
  const { page } = ui;
  await page.getByRole("link", { name: "Scheduler", exact: true }).first().click();
  await page.getByRole("link", { name: "Night setback" }).waitFor();
  await page.getByRole("button", { name: "Pause Night setback" }).click();
  await page.getByText("Next run: none").waitFor();
  await page.getByText("Paused", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Start Night setback" }).click();
  await page.getByText("Active", { exact: true }).waitFor();
  expect(await page.getByText(/Next run: .*, \d\d:[024]0 [A-Z]/).count()).toBe(1);
  await ui.open("/scheduler?search=zzz");
  await page.getByText("No job matches").waitFor();
});

test("a reader sees jobs and cannot change them", async () => {
  const { page } = ui;
  const key = { name: "reader", role: "TENANT_READ_ONLY" };
  const created = (await ui.call("POST", "/api/api-keys", key)) as { key: string };
  const own = await page.evaluate(() => localStorage.getItem("lineside.token") ?? "");
  await page.evaluate((token) => localStorage.setItem("lineside.token", token), created.key);
  await ui.open("/scheduler");
  await page.getByRole("link", { name: "Night setback" }).click();
  await page.getByTestId("runs").waitFor();
  for (const name of ["Delete job", "Run now"])
    expect(await page.getByRole("button", { name }).count()).toBe(0);
  expect(await page.getByRole("link", { name: "Edit" }).count()).toBe(0);
  await page.evaluate((token) => localStorage.setItem("lineside.token", token), own);
});

for (const [theme, width] of [
  ["light", 360],
  ["dark", 360],
  ["light", 1440],
  ["dark", 1440],
] as const)
  test(`list, job and editor are accessible and keep within ${width} px, ${theme}`, async () => {
    const { page } = ui;
    const appearance = { theme, width };
    await appear(page, appearance);
    const checkScreen = (name: string) => expectTidy(page, name, appearance);
    await ui.open("/scheduler");
    await page.getByRole("link", { name: "Night setback" }).waitFor();
    await checkScreen("jobs");
    await page.getByRole("link", { name: "Night setback" }).click();
    // Its time may have come once more meanwhile.
    await page.getByTestId("runs").getByText("2 devices").first().click();
    await page.getByTestId("next-runs").getByRole("listitem").first().waitFor();
    await checkScreen("job");
    await page.getByRole("link", { name: "Edit" }).click();
    await page.getByTestId("next-runs").getByRole("listitem").first().waitFor();
    await checkScreen("job-editor");
    await page.getByLabel("Repeat").selectOption("weekly");
    await page.getByRole("button", { name: "Set attributes" }).click();
    await page.getByText("Selected devices").click();
    await page.getByLabel("Hall 1 heating").waitFor();
    await checkScreen("job-editor-attributes");
  });

test("a job is deleted after a confirmation", async () => {
  const { page } = ui;
  await ui.open("/scheduler");
  await page.getByRole("link", { name: "Night setback" }).click();
  await page.getByRole("button", { name: "Delete job" }).click();
  await ui.dialog().getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("No jobs yet").waitFor();
  // An expression that is refused while it is typed, and what a key may not do for the page around the screen.
  const expected = /status of (400|403)/;
  expect(ui.complaints.filter((line) => !expected.test(line))).toEqual([]);
});
