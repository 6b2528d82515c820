// The demo plant's dashboard on a wall and on a phone: all of it is seen, nothing is cut, and the whole has one state.
import { beforeAll, expect, test } from "bun:test";
import { untilAnswer } from "../support/until.ts";
import { useConsole } from "./support/console-page.ts";
import { type Appearance, appear, expectTidy } from "./support/screenshots.ts";

/** More than the narrower wall has room for. */
const TILES = 150;
const ui = useConsole({ isStill: true });
let address = "";

beforeAll(async () => {
  await ui.call("POST", "/api/demo-plant/start");
  const { dashboardId } = (await ui.call("GET", "/api/demo-plant")) as { dashboardId: string };
  address = `/dashboards/${dashboardId}`;
});

const rootSize = () => ui.page.evaluate(() => getComputedStyle(document.documentElement).fontSize);

/** Returns the texts of a widget that its box, or an element within it, cuts. */
const cutTexts = () =>
  ui.page.evaluate(() =>
    [...document.querySelectorAll("[data-testid=widget]")].flatMap((widget) => {
      const box = widget.getBoundingClientRect();
      return [...widget.querySelectorAll("*")]
        .filter((element) => element.children.length === 0 && element.textContent?.trim() !== "")
        .filter((element) => element.closest(".sr-only") === null)
        .filter((element) => {
          const own = element.getBoundingClientRect();
          const isShown = own.width > 0 && getComputedStyle(element).visibility !== "hidden";
          const isOut =
            own.left < box.left - 1 ||
            own.right > box.right + 1 ||
            own.bottom > box.bottom + 1 ||
            own.top < box.top - 1;
          const isClipped =
            element instanceof HTMLElement &&
            element.scrollWidth > element.clientWidth + 1 &&
            element.clientWidth > 0;
          return isShown && (isOut || isClipped);
        })
        .map((element) => element.textContent);
    }),
  );

for (const [width, height] of [
  [1920, 1080],
  [3840, 2160],
] as const)
  test(`the wall fills ${width} × ${height} without scrolling, and cuts no text`, async () => {
    const { page } = ui;
    await appear(page, { theme: "dark", width, language: "en" });
    await page.setViewportSize({ width, height });
    await ui.open(`${address}?wall=1`);
    const plan = page.getByTestId("floor-plan");
    for (const name of ["Press 1", "Compressor 2", "Meter 2"])
      await plan.getByText(name, { exact: true }).waitFor();
    const bottom = async () => {
      const board = await page.getByTestId("board").boundingBox();
      return (board?.y ?? 0) + (board?.height ?? 0);
    };
    await untilAnswer(bottom, (px) => px > height * 0.97 && px <= height);
    expect(
      await page.getByTestId("wall").evaluate((wall) => wall.parentElement!.scrollHeight - innerHeight),
    ).toBe(0);
    await untilAnswer(cutTexts, (texts) => texts.length === 0);
    expect(Number.parseFloat(await rootSize())).toBeGreaterThan((16 * width) / 1_600);
  });

test("the wall shows the time and the state of all devices, and Escape restores the size of texts", async () => {
  const { page } = ui;
  await appear(page, { theme: "light", width: 1440, language: "en" });
  await ui.open(`${address}?wall=1`);
  await page
    .getByTestId("wall-clock")
    .getByText(/^\d\d:\d\d$/)
    .waitFor();
  await page.getByTestId("wall-state").getByText("12 active").waitFor();
  await page.getByText(/^Newest value: /).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "All dashboards" }).waitFor();
  // The router removes the previous page once the next page is there.
  await untilAnswer(rootSize, (size) => size === "16px");
});

test("a list on a wall that becomes narrower shows as many rows as fit then", async () => {
  const { page } = ui;
  const deviceIds: string[] = [];
  for (let tile = 1; tile <= TILES; tile++) {
    const device = await ui.call("POST", "/api/devices", { name: `Tile ${tile}`, deviceType: "tile" });
    deviceIds.push((device as { deviceId: string }).deviceId);
  }
  const { id } = (await ui.call("POST", "/api/dashboards", {
    name: "Tiles",
    aliases: [{ id: "tiles", name: "Tiles", type: "deviceList", deviceIds }],
    widgets: [{ widgetId: "grid", type: "statusGrid", name: "Tiles", config: { aliasId: "tiles" } }],
    layout: [{ i: "grid", x: 0, y: 0, w: 12, h: 8 }],
  })) as { id: string };
  await appear(page, { theme: "light", width: 2600, language: "en" });
  await page.setViewportSize({ width: 2600, height: 700 });
  await ui.open(`/dashboards/${id}?wall=1`);
  await page.getByText("Tile 1", { exact: true }).waitFor();
  /** The rows that are drawn, and the rows that the note counts. */
  const counts = async () => {
    const widget = page.getByTestId("widget");
    const [drawn, notes] = await Promise.all([
      widget.getByRole("listitem").count(),
      widget.getByText(/^\d+ more$/).allTextContents(),
    ]);
    return { drawn, sum: drawn + Number.parseInt(notes[0] ?? "0", 10) };
  };
  const beyond = () =>
    page.getByTestId("widget").evaluate((widget) => {
      const { bottom } = widget.getBoundingClientRect();
      return [...widget.querySelectorAll("li")].filter((li) => li.getBoundingClientRect().bottom > bottom)
        .length;
    });
  const wide = await untilAnswer(counts, ({ sum }) => sum === TILES);
  await page.setViewportSize({ width: 1700, height: 700 });
  const narrow = await untilAnswer(counts, ({ drawn, sum }) => sum === TILES && drawn < wide.drawn);
  expect(narrow.drawn).toBeGreaterThan(0);
  expect(await beyond()).toBe(0);
});

test("on a phone widgets are as high as what they show, and values stand two in a row", async () => {
  const { page } = ui;
  await appear(page, { theme: "light", width: 390, language: "en" });
  await ui.open(address);
  const widget = (name: string) => page.getByTestId("widget").and(page.getByLabel(name, { exact: true }));
  const list = page.getByTestId("floor-plan").getByRole("listitem");
  for (const name of ["Press 1", "Meter 2"]) await list.getByText(name, { exact: true }).last().waitFor();
  const picture = await page.getByTestId("floor-plan").getByRole("img").boundingBox();
  expect((picture?.width ?? 0) / (picture?.height ?? 1)).toBeCloseTo(1_000 / 450, 1);
  const [power, air] = [await widget("Power").boundingBox(), await widget("Compressed air").boundingBox()];
  expect(power?.y).toBe(air?.y ?? -1);
  expect((await widget("Climate").boundingBox())?.height).toBeLessThan(250);
});

test("icons of a widget appear with the pointer or the focus", async () => {
  const { page } = ui;
  await appear(page, { theme: "light", width: 1440, language: "en" });
  await ui.open(address);
  const link = page.getByRole("link", { name: "Open Power in Explore" });
  const opacity = () => link.evaluate((element) => getComputedStyle(element.parentElement!).opacity);
  await link.waitFor();
  await page.mouse.move(0, 0);
  await untilAnswer(opacity, (value) => value === "0");
  await link.focus();
  await untilAnswer(opacity, (value) => value === "1");
});

for (const appearance of [
  { theme: "light", width: 390, language: "de" },
  { theme: "dark", width: 1440, language: "en" },
] satisfies Appearance[])
  test(`the demo dashboard and its wall are accessible at ${appearance.width} px, ${appearance.theme}`, async () => {
    const { page } = ui;
    await appear(page, appearance);
    for (const [name, path] of [
      ["demo-dashboard", address],
      ["demo-wall", `${address}?wall=1`],
    ] as const) {
      await ui.open(path);
      await page.getByTestId("floor-plan").waitFor();
      await expectTidy(page, name, appearance);
    }
  });

test("the pages caused no console error and no request to another host", () => {
  expect(ui.complaints).toEqual([]);
});

test("without a connection the wall says so in its head", async () => {
  const { page } = ui;
  await appear(page, { theme: "dark", width: 1440, language: "en" });
  await ui.open(`${address}?wall=1`);
  await page.getByTestId("wall-state").waitFor();
  await ui.app.halt();
  await page.getByTestId("wall-state").getByText("No connection").waitFor();
  await ui.app.resume();
  await page.getByTestId("wall-state").getByText("No connection").waitFor({ state: "detached" });
});
