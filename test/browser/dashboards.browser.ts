// Dashboards as people make them: one click for a type, changed by pointer and keyboard, live on the wall.

import { beforeAll, expect, test } from "bun:test";
import { untilAnswer } from "../support/until.ts";
import { useConsole } from "./support/console-page.ts";
import { type Appearance, appear, expectTidy } from "./support/screenshots.ts";

const ui = useConsole({ isStill: true });
const devices: Array<{ deviceId: string; token: string; name: string }> = [];

beforeAll(async () => {
  for (const name of ["Press 1", "Press 2"]) {
    const body = { name, deviceType: "press" };
    const created = (await ui.call("POST", "/api/devices", body)) as {
      deviceId: string;
      credentials: { token: string };
    };
    devices.push({ deviceId: created.deviceId, token: created.credentials.token, name });
  }
  for (const [index, { token }] of devices.entries())
    for (let minute = 30; minute >= 0; minute--)
      await send(token, {
        ts: Date.now() - minute * 60_000,
        values: { force: 100 + index * 50 + minute, mode: minute % 10 > 3 ? "run" : "stop" },
      });
});

const widget = (name: string) => ui.page.getByTestId("widget").and(ui.page.getByLabel(name, { exact: true }));

async function send(token: string, body: unknown): Promise<void> {
  const response = await fetch(`${ui.app.url}/api/v1/${token}/telemetry`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
}

test("one click creates a dashboard for a device type, which shows live values", async () => {
  const { page } = ui;
  await ui.open("/dashboards");
  await page.getByText("No dashboards yet").waitFor();
  await page.getByRole("button", { name: "Create dashboard" }).click();
  await ui.dialog().getByLabel("Name").fill("Presses");
  await ui.dialog().getByRole("button", { name: "Create dashboard" }).click();
  await page.getByRole("heading", { name: "Presses" }).waitFor();
  const table = ui.page.getByTestId("widget").filter({ has: page.getByRole("table") });
  await table
    .getByRole("row", { name: /Press 2/ })
    .getByText("150")
    .waitFor();
  await page.getByTestId("chart").first().waitFor();
  await table.scrollIntoViewIfNeeded();
  await send(devices[1]?.token ?? "", { force: 777 });
  await table
    .getByRole("row", { name: /Press 2/ })
    .getByText("777")
    .waitFor();
});

test("widgets are moved and resized by keyboard, with undo and redo, and keep their places when saved", async () => {
  const { page } = ui;
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  const grip = page.getByRole("button", { name: "Move Alarms", exact: true });
  /** The place within the grid: the page scrolls to what has the focus. */
  const box = () =>
    widget("Alarms").evaluate((element) => {
      const { x, y, width } = element.getBoundingClientRect();
      const grid = element.closest("[data-testid=board]")?.getBoundingClientRect();
      if (grid === undefined) throw new Error("the widget is in no grid");
      return { x: x - grid.x, y: y - grid.y, width };
    });
  const before = await box();
  await grip.focus();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowDown");
  await page.getByText(/^Alarms: column \d+, row \d+, 4 wide, 2 high$/).waitFor({ state: "attached" });
  /** What is drawn after a key is drawn a moment later. */
  const until = (isGood: (now: { x: number; y: number; width: number }) => boolean) =>
    untilAnswer(box, isGood);
  const moved = await until(({ x, y }) => x < before.x && y > before.y);
  await page.keyboard.press("Shift+ArrowLeft");
  await until(({ width }) => width < moved.width);
  await page.keyboard.press("Control+z");
  await until(({ width }) => width === moved.width);
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  await until(({ x, y }) => x === before.x && y === before.y);
  await page.getByRole("button", { name: "Redo" }).click();
  await page.getByRole("button", { name: "Redo" }).click();
  await until(({ x, y }) => x === moved.x && y === moved.y);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Presses is saved.").waitFor();
  await page.reload();
  await widget("Alarms").waitFor();
  const kept = await box();
  expect([Math.round(kept.width), kept.x < before.x]).toEqual([Math.round(moved.width), true]);
});

test("a widget is moved and resized with the pointer", async () => {
  const { page } = ui;
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  const first = page.getByTestId("widget").first();
  const label = (await first.getAttribute("aria-label")) ?? "";
  const grip = await page
    .getByRole("button", { name: `Move ${label}`, exact: true })
    .first()
    .boundingBox();
  if (grip === null) throw new Error("there is nothing to take hold of");
  const before = await first.boundingBox();
  await page.mouse.move(grip.x + 5, grip.y + 5);
  await page.mouse.down();
  await page.mouse.move(grip.x + 300, grip.y + 5, { steps: 5 });
  await page.mouse.up();
  const after = await widget(label).first().boundingBox();
  expect((after?.x ?? 0) > (before?.x ?? 0)).toBe(true);
  await page.getByRole("button", { name: "Discard changes" }).click();
  await page.getByRole("button", { name: "Edit", exact: true }).waitFor();
});

test("an empty dashboard is filled with a previewed widget of each kind", async () => {
  const { page } = ui;
  await ui.open("/dashboards?create=1");
  await ui.dialog().getByLabel("Name").fill("Wall");
  await ui.dialog().getByLabel("Start with").selectOption("");
  await ui.dialog().getByRole("button", { name: "Create dashboard" }).click();
  await page.getByText("This dashboard is empty").waitFor();
  const add = async (kind: string) => {
    await page.getByRole("button", { name: "Add widget" }).first().click();
    await ui
      .dialog()
      .getByRole("button", { name: new RegExp(`^${kind}`) })
      .click();
  };
  await add("Gauge");
  await ui.dialog().getByLabel("Measured value").fill("force");
  await ui.dialog().getByLabel("To", { exact: true }).fill("1000");
  await ui.dialog().getByTestId("widget-preview").getByRole("img").waitFor();
  await ui.dialog().getByRole("button", { name: "Apply" }).click();
  await widget("Gauge").getByRole("img").waitFor();

  await add("Text or picture");
  await ui.dialog().getByLabel("Text").fill("# Shift\n\n- call **112**");
  await ui.dialog().getByRole("button", { name: "Apply" }).click();
  await widget("Text or picture").getByRole("heading", { name: "Shift" }).waitFor();

  await add("States over time");
  await ui.dialog().getByRole("checkbox", { name: "mode" }).check();
  await ui.dialog().getByTestId("widget-preview").getByText("Press 1").waitFor();
  await ui.dialog().getByRole("button", { name: "Apply" }).click();

  await add("Slider");
  await ui.dialog().getByLabel("Measured value").fill("setpoint");
  await ui.dialog().getByRole("button", { name: "Apply" }).click();
  await add("Button");
  await ui.dialog().getByRole("textbox", { name: "Command" }).fill("stop");
  await ui.dialog().getByLabel("Ask for confirmation").check();
  await ui.dialog().getByRole("button", { name: "Apply" }).click();
  await add("Floor plan");
  const picture = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"/>');
  await ui
    .dialog()
    .getByLabel(/^Picture/)
    .setInputFiles({ name: "hall.svg", mimeType: "image/svg+xml", buffer: picture });
  const spot = ui.dialog().getByRole("button", { name: "Position of Press 1" });
  const before = await spot.boundingBox();
  await spot.focus();
  for (let step = 0; step < 10; step++) await page.keyboard.press("ArrowUp");
  await untilAnswer(
    () => spot.boundingBox(),
    (now) => (now?.y ?? 0) < (before?.y ?? 0) - 20,
  );
  await ui.dialog().getByRole("button", { name: "Apply" }).click();
  await widget("Floor plan").getByRole("img").waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Wall is saved.").waitFor();
});

test("the wall view sets a value and sends a command after a confirmation", async () => {
  const { page } = ui;
  await widget("Slider").getByRole("slider").focus();
  await page.keyboard.press("ArrowRight");
  await page.getByText("setpoint is set to").waitFor();
  const [first] = devices;
  const attributes = `/api/devices/${first?.deviceId}/attributes`;
  expect(await ui.call("GET", attributes)).toContainEqual(
    expect.objectContaining({ key: "setpoint", scope: "SHARED" }),
  );
  await widget("Button").getByRole("button", { name: "stop" }).click();
  await ui.dialog().getByText("“stop” is sent to 2 devices.").waitFor();
  await ui.dialog().getByRole("button", { name: "Send" }).click();
  await page.getByText("Sent to 2 devices.", { exact: true }).waitFor();
  const commands = `/api/devices/${first?.deviceId}/commands`;
  expect(await ui.call("GET", commands)).toMatchObject([{ method: "stop" }]);
});

test("a device opens its dashboard, and the wall view shows nothing else", async () => {
  const { page } = ui;
  const [first] = devices;
  await ui.open(`/devices/${first?.deviceId}/settings`);
  await page.getByLabel(/^Dashboard/).selectOption({ label: "Wall" });
  await page.getByLabel(/^Use it for all current and future devices of type press/).check();
  await page.getByTestId("dashboard-card").getByRole("button", { name: "Save" }).click();
  await page.getByRole("link", { name: "Dashboard", exact: true }).click();
  await widget("Gauge").getByRole("img").waitFor();
  expect(page.url()).toContain(`device=${first?.deviceId}`);
  const other = (await ui.call("GET", `/api/devices/${devices[1]?.deviceId}`)) as {
    targetDashboardId?: string;
  };
  expect(page.url()).toContain(other.targetDashboardId ?? "none");
  await page.getByRole("button", { name: "Wall", exact: true }).click();
  await page.getByRole("link", { name: "All dashboards" }).waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "All dashboards" }).waitFor();
  await page.waitForFunction(() => document.fullscreenElement === null);
});

test("the wall ends when full screen is left without Escape", async () => {
  const { page } = ui;
  await page.getByRole("button", { name: "Wall", exact: true }).click();
  await page.getByTestId("wall").waitFor();
  await page.waitForFunction(() => document.fullscreenElement !== null);
  await page.evaluate(() => document.exitFullscreen());
  await page.getByRole("link", { name: "All dashboards" }).waitFor();
  expect(new URL(page.url()).searchParams.has("wall")).toBe(false);
});

test("a dashboard shows another time window, by calendar unit or from start to end", async () => {
  const { page } = ui;
  await page.getByLabel("Time window").selectOption("today");
  await widget("States over time").getByText("Press 1").waitFor();
  await page.getByLabel("Time window").selectOption("fixed");
  await page.getByLabel("From", { exact: true }).waitFor();
});

test("a dashboard is exported, deleted after a confirmation and imported again", async () => {
  const { page } = ui;
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "More actions for this dashboard" }).click();
  await page.getByRole("button", { name: "Export" }).click();
  const file = await (await download).path();
  await ui.open("/dashboards");
  await page.getByRole("button", { name: "Delete Wall" }).click();
  await ui.dialog().getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("Wall is deleted.").waitFor();
  await page.locator('input[type="file"]').setInputFiles(file);
  await page.getByText("Wall is imported.").waitFor();
  await widget("Gauge").getByRole("img").waitFor();
});

for (const appearance of [
  { theme: "light", width: 360, language: "en" },
  { theme: "dark", width: 360, language: "de" },
  { theme: "light", width: 1440, language: "de" },
  { theme: "dark", width: 1440, language: "en" },
] satisfies Appearance[])
  test(`list, dashboard, editing and dialog are accessible and keep within ${appearance.width} px, ${appearance.theme}, ${appearance.language}`, async () => {
    const { page } = ui;
    await appear(page, appearance);
    const checkScreen = (name: string) => expectTidy(page, name, appearance);
    await ui.open("/dashboards");
    await page.getByRole("link", { name: "Wall" }).waitFor();
    await checkScreen("dashboards");
    for (const name of ["Presses", "Wall"]) {
      await ui.open("/dashboards");
      await page.getByRole("link", { name }).click();
      await page.getByTestId("widget").nth(3).waitFor();
      await checkScreen(`dashboard-${name.toLowerCase()}`);
    }
    await page.goto(`${page.url()}?edit=1`);
    await page.getByTestId("widget").nth(3).waitFor();
    await checkScreen("dashboard-edit");
    await page
      .getByRole("button", { name: /^(Edit .+|.* einrichten)/ })
      .first()
      .click();
    await ui.dialog().getByTestId("widget-preview").waitFor();
    await checkScreen("dashboard-widget");
  });

test("the pages caused no console error and no request to another host", () => {
  expect(ui.complaints).toEqual([]);
});
