// What counters have counted: as bars in the charts of a device, and as a widget with its cost on a dashboard.

import { beforeAll, expect, test } from "bun:test";
import { useConsole } from "./support/console-page.ts";
import { type Appearance, appear, expectTidy } from "./support/screenshots.ts";

const HOUR_MS = 3_600_000;
const HOURS = 12 * 24;
const ui = useConsole({ isStill: true });
let deviceId: string;

beforeAll(async () => {
  const created = (await ui.call("POST", "/api/devices", { name: "Meter 1", deviceType: "meter" })) as {
    deviceId: string;
    credentials: { token: string };
  };
  deviceId = created.deviceId;
  const start = Date.now() - HOURS * HOUR_MS;
  let energy = 8_000;
  const items = Array.from({ length: HOURS }, (_, hour) => {
    // The power fails once, and the meter begins at 0 again.
    energy = hour === 200 ? 0 : energy + 2 + (hour % 24) / 4;
    return { ts: start + hour * HOUR_MS, values: { energy, power: 2_000 + (hour % 24) * 250 } };
  });
  const response = await fetch(`${ui.app.url}/api/v1/${created.credentials.token}/telemetry`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(items),
  });
  expect(response.status).toBe(200);
});

const appearances: readonly Appearance[] = [
  { theme: "light", language: "en", width: 1440 },
  { theme: "dark", language: "de", width: 390 },
];

test("the data of a device shows what a counter has counted, as bars", async () => {
  const { page } = ui;
  for (const appearance of appearances) {
    await appear(page, appearance);
    await ui.open(`/devices/${deviceId}/data?window=7d&keys=energy`);
    await page.getByRole("button", { name: /^Export (and|und) / }).click();
    await page.getByLabel("Aggregation").selectOption("delta");
    await page.keyboard.press("Escape");
    await page.getByTestId("chart").first().waitFor();
    expect(page.url()).toContain("aggregation=delta");
    // A day has 24 × 2 and a quarter of 0 + … + 23, which is 117.
    await page
      .getByText(/max 117/)
      .first()
      .waitFor({ state: "attached" });
    await expectTidy(page, "consumption-data", appearance);
  }
});

test("an energy widget shows the consumption of each day and what it costs", async () => {
  const { page } = ui;
  await appear(page, { theme: "light", language: "en", width: 1440 });
  await ui.open("/dashboards?create=1");
  await ui.dialog().getByLabel("Name").fill("Energy of the hall");
  await ui.dialog().getByLabel("Start with").selectOption("");
  await ui.dialog().getByRole("button", { name: "Create dashboard" }).click();
  await page.getByRole("button", { name: "Add widget" }).first().click();
  await ui
    .dialog()
    .getByRole("button", { name: /^Energy/ })
    .click();
  await ui.dialog().getByRole("checkbox", { name: "energy" }).check();
  await ui
    .dialog()
    .getByLabel(/^Time window/)
    .selectOption("");
  await ui
    .dialog()
    .getByLabel(/^Period/)
    .selectOption("shift");
  await ui
    .dialog()
    .getByLabel(/^Start of each shift/)
    .fill("06:00,18:00");
  await ui
    .dialog()
    .getByLabel(/^Period/)
    .selectOption("1d");
  await ui.dialog().getByLabel("Unit", { exact: true }).fill("kWh");
  await ui.dialog().getByLabel("Decimals").fill("1");
  await ui.dialog().getByLabel("Price per unit").fill("0.30");
  await ui.dialog().getByLabel("Currency").fill("€");
  await ui.dialog().getByTestId("widget-preview").waitFor();
  await ui.dialog().getByRole("button", { name: "Apply" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Energy of the hall is saved.").waitFor();
  await page.getByLabel("Time window").selectOption("30d");
  const widget = page.getByTestId("widget");
  const rows = widget.getByRole("row");
  await rows.nth(11).waitFor({ state: "attached" });
  const amounts = await rows.allTextContents();
  expect(amounts.filter((text) => /117\.0\s*kWh35\.10\s€/.test(text)).length).toBeGreaterThan(8);
  const { pathname } = new URL(page.url());
  for (const appearance of appearances) {
    await appear(page, appearance);
    await ui.open(pathname);
    await page.getByLabel(appearance.language === "en" ? "Time window" : "Zeitraum").selectOption("30d");
    await rows.nth(1).waitFor({ state: "attached" });
    await expectTidy(page, "consumption-widget", appearance);
  }
});

test("an energy widget has a period of its own, with hours and the period before", async () => {
  const { page } = ui;
  const timezone = "UTC";
  const yesterday = { mode: "calendar", unit: "day", offset: -1, timezone };
  const config = {
    aliasId: "a",
    keys: ["energy"],
    timezone,
    compare: true,
    unit: "kWh",
    timeWindow: yesterday,
  };
  const dashboard = (await ui.call("POST", "/api/dashboards", {
    name: "Yesterday",
    aliases: [{ id: "a", name: "Meters", type: "deviceType", deviceType: "meter" }],
    widgets: [{ widgetId: "w", type: "energy", name: "Power", config }],
  })) as { id: string };
  for (const appearance of appearances) {
    await appear(page, appearance);
    await ui.open(`/dashboards/${dashboard.id}`);
    const widget = page.getByTestId("widget");
    await widget
      .getByText(/^\+0\s?% (vs\.|gegenüber) 117\s*kWh (in the comparison period|im Vergleichszeitraum)$/)
      .waitFor();
    await widget.getByText(/^(Yesterday|Gestern)$/).waitFor();
    expect(await widget.getByRole("row").count()).toBe(24);
    expect(await widget.getByText("18:00", { exact: true }).count()).toBe(1);
    await expectTidy(page, "consumption-compared", appearance);
  }
  expect(ui.complaints).toEqual([]);
});

test("a bar without a counterpart is compared with nothing, and an open period with the previous one so far", async () => {
  const { page } = ui;
  const dayMs = 24 * HOUR_MS;
  const begin = Date.now();
  const today = begin - (begin % dayMs);
  const created = (await ui.call("POST", "/api/devices", { name: "Meter 2", deviceType: "meter-2" })) as {
    credentials: { token: string };
  };
  // 1 kWh per hour, except for the afternoon of the day before yesterday, when the meter was off.
  const isOn = (ts: number) => ts < today - 1.5 * dayMs || ts >= today - dayMs;
  const hours = Array.from({ length: 15 * 24 }, (_, hour) => today - 14 * dayMs + hour * HOUR_MS).filter(
    (ts) => ts <= begin && isOn(ts),
  );
  const response = await fetch(`${ui.app.url}/api/v1/${created.credentials.token}/telemetry`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(hours.map((ts, energy) => ({ ts, values: { energy } }))),
  });
  expect(response.status).toBe(200);
  const config = { aliasId: "a", keys: ["energy"], timezone: "UTC", compare: true, unit: "kWh" };
  const windowOf = (offset: number) => ({ mode: "calendar", unit: "day", offset, timezone: "UTC" });
  const dashboard = (await ui.call("POST", "/api/dashboards", {
    name: "Two days",
    aliases: [{ id: "a", name: "Meters", type: "deviceType", deviceType: "meter-2" }],
    widgets: ["yesterday", "today"].map((name, index) => ({
      widgetId: name,
      type: "energy",
      name,
      config: { ...config, timeWindow: windowOf(index - 1) },
    })),
  })) as { id: string };
  await appear(page, { theme: "light", language: "en", width: 1440 });
  await ui.open(`/dashboards/${dashboard.id}`);
  const [yesterday, open] = ["yesterday", "today"].map((name) =>
    page.getByTestId("widget").filter({ has: page.getByText(name, { exact: true }) }),
  );
  if (yesterday === undefined || open === undefined) throw new Error("two widgets");
  await yesterday.getByText(/^\+100\s?% vs\. 12\s*kWh in the comparison period$/).waitFor();
  const bars = yesterday.locator("svg g");
  expect(await bars.count()).toBe(24);
  expect(await yesterday.locator('rect[class="fill-base-content/20"]').count()).toBe(12);
  await bars.nth(6).hover();
  await yesterday.getByText(/^\+0\s?% vs\. 1\s*kWh in the comparison period$/).waitFor();
  await bars.nth(18).hover();
  await yesterday.getByText(/^– vs\. – in the comparison period$/).waitFor();
  const text = await open.getByText(/kWh in the comparison period so far$/).textContent();
  const soFar = Number(/vs\. (\d+)/.exec(text ?? "")?.[1]);
  const hoursUntil = (ts: number) => Math.floor((ts - today) / HOUR_MS) + 1;
  expect(soFar).toBeGreaterThanOrEqual(hoursUntil(begin));
  expect(soFar).toBeLessThanOrEqual(hoursUntil(Date.now()));
  expect(ui.complaints).toEqual([]);
});
