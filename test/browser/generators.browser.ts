import { appear, expectTidy } from "./support/screenshots.ts";
// A generator from the console: made with a preview, seen to send, changed, paused and deleted.

import { beforeAll, expect, test } from "bun:test";
import { useConsole } from "./support/console-page.ts";

const STEP_MS = 30_000;
const ui = useConsole({ isStill: true });

beforeAll(async () => {
  await ui.call("POST", "/api/devices", { name: "Hall 1", deviceType: "climate" });
}, 60_000);

const metric = (index: number) => ui.page.getByTestId("metric").nth(index);

test(
  "a new generator shows a preview, and an error appears at its field",
  async () => {
    const { page } = ui;
    await ui.open("/generators");
    await page.getByText("No generators yet").waitFor();
    await page.getByRole("link", { name: "Create generator" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Demo boiler");
    await metric(0)
      .getByRole("img", { name: /The next 60 readings of temperature: \d/ })
      .waitFor();
    await metric(0).getByRole("spinbutton", { name: /^From/ }).fill("90");
    await metric(0).getByText("“From” must not be above “To”.").waitFor();
    await metric(0).getByRole("spinbutton", { name: /^From/ }).fill("18");
    await page.getByRole("button", { name: "Add value" }).click();
    await metric(1).getByRole("textbox", { name: "Key" }).fill("temperature");
    await metric(1).getByText("Occurs twice.").waitFor();
    await metric(1).getByRole("textbox", { name: "Key" }).fill("energy");
    await metric(1).getByLabel("Pattern").selectOption("counter");
    await metric(1).getByRole("spinbutton", { name: "Step" }).fill("0.25");
    await metric(1).getByRole("spinbutton", { name: /^To/ }).fill("1000000");
    await metric(1).getByRole("img", { name: "The next 60 readings of energy: 0 to 14.75" }).waitFor();
    await page.getByRole("spinbutton", { name: "Interval" }).fill("1");
    await page.getByText("172,800 values a day for each device").waitFor();
    await page.getByRole("button", { name: "Create generator" }).click();
    const row = page.getByTestId("generator");
    await row.getByText("Active", { exact: true }).waitFor();
    await row.getByText("temperature, energy, interval 1 second").waitFor();
    await row.getByText(/Newest reading: .*(now|ago)/).waitFor();
  },
  STEP_MS,
);

test(
  "a generator links to the live chart of its device, which shows its values",
  async () => {
    const { page } = ui;
    await page.getByRole("link", { name: "Live chart of Demo boiler" }).click();
    await page.waitForURL(/\/devices\/[^/]+\/data$/);
    const deviceId = page.url().split("/").at(-2);
    for (let energy = 0; energy < 0.5; ) {
      const path = `/api/devices/${deviceId}/telemetry/latest`;
      const latest = (await ui.call("GET", path)) as { values: { energy?: number } };
      energy = latest.values.energy ?? 0;
    }
  },
  STEP_MS,
);

test(
  "a generator is found by menu and Ctrl-K, paused, edited and started",
  async () => {
    const { page } = ui;
    await page.keyboard.press("Control+k");
    await page
      .getByRole("combobox", { name: "Find devices, dashboards, alarms, settings and help" })
      .fill("Generators");
    await page.getByRole("option", { name: /^Generators.*Manual/ }).waitFor();
    expect(await ui.dialog().getByRole("option").first().textContent()).toBe("GeneratorsScreen");
    await page.getByRole("option", { name: /^Generators.*Screen/ }).click();
    await page.waitForURL(/\/generators$/);
    await page.getByRole("button", { name: "Pause Demo boiler" }).click();
    await page.getByText("Paused", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Edit Demo boiler" }).click();
    await page.getByLabel("Selected devices").check();
    await page.getByText("Select a device.").waitFor();
    await page.getByLabel("Hall 1").check();
    await page.getByText("Select a device.").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("link", { name: "Live chart of Hall 1" }).waitFor();
    await page.getByRole("button", { name: "Start Demo boiler" }).click();
    await page.getByText("Active", { exact: true }).waitFor();
  },
  STEP_MS,
);

test(
  "a generator without its device shows the problem and what to do",
  async () => {
    const { page } = ui;
    const path = "/api/devices?search=Hall";
    const [{ deviceId }] = (await ui.call("GET", path)) as [{ deviceId: string }];
    await ui.call("DELETE", `/api/devices/${deviceId}`);
    await page.getByText("The devices of this generator were deleted").waitFor();
    await page.getByText("Paused", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Start Demo boiler" }).click();
    await page.getByText("The devices of this generator were deleted").nth(1).waitFor();
    await page.getByRole("link", { name: "Edit Demo boiler" }).click();
    await page.getByLabel("A device of its own").check();
    await page.getByText("Select a device.").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Start Demo boiler" }).click();
    await page.getByText("Active", { exact: true }).waitFor();
  },
  STEP_MS,
);

test(
  "a reader sees generators and cannot change them",
  async () => {
    const { page } = ui;
    const key = { name: "reader", role: "TENANT_READ_ONLY" };
    const created = (await ui.call("POST", "/api/api-keys", key)) as { key: string };
    const own = await page.evaluate(() => localStorage.getItem("lineside.token") ?? "");
    await page.evaluate((token) => localStorage.setItem("lineside.token", token), created.key);
    await ui.open("/generators");
    await page.getByText("Demo boiler").first().waitFor();
    for (const name of [/Create generator/, /Pause/, /Edit/, /Delete/])
      expect(await page.getByTestId("generator").getByRole("button", { name }).count()).toBe(0);
    await page.evaluate((token) => localStorage.setItem("lineside.token", token), own);
  },
  STEP_MS,
);

for (const [theme, width, language] of [
  ["light", 360, "en"],
  ["dark", 360, "de"],
  ["light", 1440, "de"],
  ["dark", 1440, "en"],
] as const)
  test(
    `list and editor are accessible and keep within ${width} px, ${theme}, ${language}`,
    async () => {
      const { page } = ui;
      const appearance = { theme, width, language };
      await appear(page, appearance);
      const checkScreen = (name: string) => expectTidy(page, name, appearance);
      await ui.open("/generators");
      await page.getByText("Demo boiler").first().waitFor();
      await checkScreen("generators");
      await page.getByTestId("generator").getByRole("link").last().click();
      await metric(1).getByRole("img").waitFor();
      await checkScreen("generator-editor");
      await page.getByRole("radio").nth(1).check();
      await page.getByRole("alert").first().waitFor();
      await checkScreen("generator-editor-devices");
    },
    STEP_MS,
  );

test(
  "deleting a generator asks for confirmation and keeps its device",
  async () => {
    const { page } = ui;
    await page.evaluate(() => localStorage.setItem("lineside.language", "en"));
    await ui.open("/generators");
    await page.getByRole("button", { name: "Delete Demo boiler" }).click();
    await ui.dialog().getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("No generators yet").waitFor();
    const kept = await ui.call("GET", "/api/devices?search=Demo%20boiler");
    expect(kept).toHaveLength(1);
    // A start that is refused, and what a key may not do for the page around the screen.
    const expected = /status of (409|403)/;
    expect(ui.complaints.filter((line) => !expected.test(line))).toEqual([]);
  },
  STEP_MS,
);
