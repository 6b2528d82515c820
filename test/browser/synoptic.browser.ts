// A synoptic: symbols that fill, turn and change with the values of devices, and its editor.
import { beforeAll, expect, test } from "bun:test";
import { SYMBOL_IDS } from "../../src/lib/console/synoptic-symbols.ts";
import { useConsole } from "./support/console-page.ts";
import { type Appearance, appear, expectTidy } from "./support/screenshots.ts";

const ui = useConsole({ isStill: true });
const ids = new Map<string, string>();
const tokens = new Map<string, string>();

async function send(name: string, values: Record<string, unknown>): Promise<void> {
  const response = await fetch(`${ui.app.url}/api/v1/${tokens.get(name)}/telemetry`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(values),
  });
  expect(response.status).toBe(200);
}

beforeAll(async () => {
  for (const name of ["Feed pump", "Tank 1"]) {
    const created = (await ui.call("POST", "/api/devices", { name, deviceType: "plant" })) as {
      deviceId: string;
      credentials: { token: string };
    };
    ids.set(name, created.deviceId);
    tokens.set(name, created.credentials.token);
    await ui.call("PUT", "/api/key-metadata/defaults", {
      keyMetadata: [{ key: "level", unit: "%", limits: { high: 80, highHigh: 95 } }],
    });
  }
  await send("Feed pump", { running: true });
  await send("Tank 1", { level: 60 });
});

const appearances: readonly Appearance[] = [
  { theme: "light", language: "en", width: 1440 },
  { theme: "dark", language: "de", width: 390 },
];

const aliases = () => [{ id: "all", name: "All", type: "deviceList", deviceIds: [...ids.values()] }];

async function createDashboard(name: string, symbols: readonly unknown[]): Promise<string> {
  const { id } = (await ui.call("POST", "/api/dashboards", {
    name,
    type: "STATIC",
    states: [{ id: "main", name: "Main" }],
    aliases: aliases(),
    layout: [{ i: "s", x: 0, y: 0, w: 12, h: 8 }],
    widgets: [{ widgetId: "s", type: "synoptic", name: "", config: { aliasId: "all", symbols } }],
  })) as { id: string };
  return id;
}

test("every symbol is drawn, running and stopped, in both themes", async () => {
  const columns = 14;
  const symbols = [false, true].flatMap((isOn, half) =>
    SYMBOL_IDS.map((symbol, index) => ({
      symbol,
      x: ((index % columns) + 0.5) / columns,
      y: (Math.floor(index / columns) + 0.4) / 8 + half / 2,
      size: 0.05,
      ...(isOn && {
        deviceId: ids.get(
          /tank|vessel|silo|hopper|basin|reactor|column|bottle|boiler|battery/i.test(symbol)
            ? "Tank 1"
            : "Feed pump",
        ),
        key: /tank|vessel|silo|hopper|basin|reactor|column|bottle|boiler|battery/i.test(symbol)
          ? "level"
          : "running",
      }),
    })),
  );
  const id = await createDashboard("All symbols", symbols);
  for (const appearance of appearances) {
    await appear(ui.page, appearance);
    await ui.open(`/dashboards/${id}`);
    const synoptic = ui.page.getByTestId("synoptic");
    await synoptic.locator('[data-symbol="fan"][data-on="true"]').waitFor();
    expect(await synoptic.locator("[data-symbol]").count()).toBe(2 * SYMBOL_IDS.length);
    await expectTidy(ui.page, "synoptic-symbols", appearance);
  }
});

test("symbols follow the values: a pump stops, a tank fills and is beyond its limit", async () => {
  const id = await createDashboard("Water", [
    { symbol: "pipe", x: 0.5, y: 0.5, size: 0.3, deviceId: ids.get("Feed pump"), key: "running" },
    { symbol: "pump", x: 0.3, y: 0.5, deviceId: ids.get("Feed pump"), key: "running", label: "P 1" },
    { symbol: "tank", x: 0.7, y: 0.5, deviceId: ids.get("Tank 1"), key: "level" },
    { symbol: "boiler", x: 0.1, y: 0.2, deviceId: ids.get("Feed pump"), key: "running" },
    { symbol: "of a later version", x: 0.9, y: 0.9 },
  ]);
  await appear(ui.page, { theme: "light", language: "en", width: 1440 });
  await ui.open(`/dashboards/${id}`);
  const synoptic = ui.page.getByTestId("synoptic");
  const pump = synoptic.getByRole("link", { name: /^P 1.*Feed pump/ });
  const tank = synoptic.getByRole("link", { name: /60\s?%.*Tank 1/ });
  await pump.locator('[data-on="true"]').waitFor();
  const heightOf = async () => Number(await synoptic.getByTestId("level").getAttribute("height"));
  const before = await heightOf();
  expect(before).toBeCloseTo(0.6 * 46, 1);
  await tank.waitFor();
  await send("Feed pump", { running: false });
  await send("Tank 1", { level: 96 });
  await pump.locator('[data-on="false"]').waitFor();
  await synoptic.locator(".symbol-blink").waitFor();
  expect(await heightOf()).toBeCloseTo(0.96 * 46, 1);
  expect(await synoptic.locator("[data-symbol]").count()).toBe(5);
  await synoptic.locator('[data-symbol="boiler"][data-on="false"]').waitFor();
  await send("Feed pump", { running: true });
  await synoptic.locator('[data-symbol="boiler"][data-on="true"]').waitFor();
});

test("a symbol is added from the palette, gets its value, and is moved by mouse and keyboard", async () => {
  const { page } = ui;
  await appear(page, { theme: "light", language: "en", width: 1440 });
  const id = await createDashboard("New", []);
  await ui.open(`/dashboards/${id}`);
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await page.getByRole("button", { name: "Edit Synoptic" }).click();
  await ui.dialog().getByRole("button", { name: "Add: Pump", exact: true }).click();
  const symbol = ui.dialog().getByTestId("symbol");
  await symbol.getByLabel("Device").selectOption("Feed pump");
  await symbol.getByLabel(/^Measured value/).fill("running");
  await symbol.getByLabel("Label").fill("P 2");
  const pump = ui.dialog().getByRole("button", { name: /^Position of P 2/ });
  const from = (await pump.boundingBox())!;
  // A click selects; the symbol keeps its distance to the pointer while it is dragged from its edge.
  const [x, y] = [from.x + 4, from.y + from.height - 4];
  await page.mouse.click(x, y);
  await page.mouse.move(x, y);
  await page.mouse.down();
  // A symbol is a tenth of the drawing: to the left by a quarter of it.
  await page.mouse.move(x - 2.5 * from.width, y, { steps: 4 });
  await page.mouse.up();
  await pump.press("ArrowDown");
  await ui.dialog().getByRole("button", { name: "Add: Tank", exact: true }).click();
  await ui
    .dialog()
    .getByRole("button", { name: /^Position of Tank/ })
    .press("Backspace");
  await ui
    .dialog()
    .getByRole("button", { name: /^Position of Tank/ })
    .waitFor({ state: "detached" });
  await expectTidy(page, "synoptic-editor", { theme: "light", language: "en", width: 1440 });
  await ui.dialog().getByRole("button", { name: "Apply" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("button", { name: "Edit", exact: true }).waitFor();
  const { widgets } = (await ui.call("GET", `/api/dashboards/${id}`)) as {
    widgets: { config: { symbols: unknown[] } }[];
  };
  expect(widgets[0]?.config.symbols).toEqual([
    {
      symbol: "pump",
      x: 0.25,
      y: 0.52,
      size: 0.1,
      rotation: 0,
      deviceId: ids.get("Feed pump"),
      key: "running",
      label: "P 2",
    },
  ]);
  expect(ui.complaints).toEqual([]);
});
