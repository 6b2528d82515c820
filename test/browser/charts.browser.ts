// How charts draw values: styles, ends of the axis, scales of their own, the band of the limits.
import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { useKiln } from "./support/kiln.ts";
import { appear, expectTidy } from "./support/screenshots.ts";

const kiln = useKiln();
const { ui, begin, charts, explore, series, waitForLine } = kiln;

/** Color in the middle of the first chart, this far from its top. */
const colorAt = (share: number) =>
  ui.page.evaluate((fromTop) => {
    const over = document.querySelector<HTMLElement>(".u-over");
    const canvas = document.querySelector<HTMLCanvasElement>(".uplot canvas");
    if (over === null || canvas === null) throw new Error("no chart");
    const [outer, inner] = [canvas.getBoundingClientRect(), over.getBoundingClientRect()];
    const ratio = canvas.width / outer.width;
    const x = (inner.left - outer.left + 20) * ratio;
    const y = (inner.top - outer.top + inner.height * fromTop) * ratio;
    return [...(canvas.getContext("2d")?.getImageData(x, y, 1, 1).data ?? [])].join();
  }, share);

test("a chart has two axes at most, and the third scale has a chart of its own", async () => {
  await explore(`l${series("temperature", "humidity")}`);
  await charts().first().waitFor();
  expect(await charts().count()).toBe(1);
  await explore(`l${series("temperature", "humidity", "pressure")}`);
  await charts().nth(1).waitFor();
  expect(await charts().count()).toBe(2);
  await ui.open(`/devices/${kiln.deviceId}/data?keys=temperature,humidity,pressure&view=overlay&window=6h`);
  await charts().nth(1).waitFor();
});

test("values that come while a device's data is being opened have their chart", async () => {
  const { page } = ui;
  // As if the first values came right after the keys were asked for.
  const nothing = { deviceId: kiln.deviceId, values: {}, timestamps: {}, ts: 0 };
  await page.route("**/telemetry/latest", (route) => route.fulfill({ json: nothing }));
  await page.route(`**/devices/${kiln.deviceId}/keys*`, (route) => route.fulfill({ json: [] }));
  await ui.open(`/devices/${kiln.deviceId}/data?window=6h`);
  await charts().first().waitFor();
  await page.unrouteAll();
});

test("lines of all styles are drawn, and switches as steps between off and on", async () => {
  await ui.open(`/devices/${kiln.deviceId}/data?keys=isOpen&window=6h`);
  await charts().first().waitFor();
  await waitForLine(50);
  for (const style of ["line", "step", "area", "bar", "band"]) {
    await explore(`l:style=${style},${series("temperature")}`);
    await charts().first().waitFor();
    await waitForLine(20);
  }
});

test("the dot under the pointer is the sample that the legend names, with its day in a window of several", async () => {
  const { page } = ui;
  for (const [name, hours] of [
    ["6h", 6],
    ["7d", 168],
  ] as const) {
    await ui.open(`/devices/${kiln.deviceId}/data?keys=temperature&window=${name}`);
    await charts().first().waitFor();
    await waitForLine(1);
    const over = await page.locator(".u-over").boundingBox();
    if (over === null) throw new Error("no chart");
    const xOf = (minute: number) => {
      const ago = Date.now() - begin - minute * 60_000;
      return over.x + over.width * (1 - ago / (hours * 3_600_000));
    };
    // Nearer to the sample of minute 41, but that one is not there yet at this time.
    await page.mouse.move(Math.round(xOf(40)), over.y + 40);
    const dot = page.getByTestId("pointer-dot");
    await dot.waitFor();
    const place = await dot.boundingBox();
    expect(Math.abs((place?.x ?? 0) + (place?.width ?? 0) / 2 - xOf(30))).toBeLessThan(2);
    const legend = page.locator("section.panel").filter({ has: page.getByTestId("chart") });
    const text = (await legend.textContent()) ?? "";
    expect(text).toMatch(/temperature25\s°C/);
    const dayAt = (ts: number) => new Date(ts).toDateString();
    const hasDays = dayAt(Date.now() - hours * 3_600_000) !== dayAt(Date.now()); // so has a short one at night
    expect(text.includes(String(new Date(begin).getFullYear()))).toBe(hasDays);
  }
  await page.mouse.move(0, 0);
});

test("a text in a series of numbers is counted beside the line that it is not part of", async () => {
  const { page } = ui;
  for (const aggregation of ["none", "avg"]) {
    await ui.open(`/devices/${kiln.deviceId}/data?keys=speed&window=6h&aggregation=${aggregation}`);
    await page.getByText("1 value is not a number").waitFor();
    await ui.open(
      `/explore?${new URLSearchParams({ panes: `l${series("speed")}`, window: "live.7200000", aggregation })}`,
    );
    await page.getByTestId("widget").getByText("1 value is not a number").waitFor();
  }
});

test("both CSV buttons write the units of the values if they are asked to, as the export of the history does", async () => {
  const { page } = ui;
  const openMenu = () => page.getByRole("button", { name: "Export and options" }).click();
  const headOf = async () => {
    await openMenu();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download CSV" }).click(),
    ]);
    return (await readFile(await file.path(), "utf8")).split("\r\n")[0];
  };
  await ui.open(`/devices/${kiln.deviceId}/data?keys=temperature,humidity,isOpen&window=6h`);
  await charts().first().waitFor();
  expect(await headOf()).toBe("time,temperature,humidity,isOpen");
  await openMenu();
  await page.getByLabel("CSV with units").check();
  await page.keyboard.press("Escape");
  expect(await headOf()).toBe("time,temperature (°C),humidity (%),isOpen");
  await explore(`l${series("temperature", "pressure")}`);
  await charts().first().waitFor();
  expect(await headOf()).toBe("time,Kiln 1 · temperature (°C),Kiln 1 · pressure (hPa)");
  await openMenu();
  await page.getByLabel("CSV with units").uncheck();
  await page.keyboard.press("Escape");
  expect(await headOf()).toBe("time,Kiln 1 · temperature,Kiln 1 · pressure");
});

test("the time in each state is shown as bars and totals on a device, in Explore and on a dashboard", async () => {
  const { page } = ui;
  const durations = () => page.getByRole("region", { name: "Durations of isOpen" });
  const expectBars = async () => {
    await durations().getByTestId("durations").waitFor();
    const texts = await durations().getByRole("listitem").allTextContents();
    expect(texts.map((text) => text.replace(/[\d.]+\s(min|hr)/, "#").replace(/[\d.]+%/, "#"))).toEqual([
      "no##",
      "yes##",
    ]);
  };
  await ui.open(`/devices/${kiln.deviceId}/data?keys=isOpen&window=1h&aggregation=timeIn`);
  await expectBars();
  await page.getByLabel("View").selectOption("table");
  await page
    .getByRole("cell", { name: /^(yes|no) \d/ })
    .first()
    .waitFor();
  const panes = `s${series("isOpen")}`;
  await ui.open(`/explore?${new URLSearchParams({ panes, window: "live.7200000", aggregation: "timeIn" })}`);
  await expectBars();
  await page.getByLabel("Aggregation").selectOption("none");
  await durations().waitFor({ state: "detached" });
});

test("style and ends of the axis are in the address, and the values beyond a limit are shaded", async () => {
  const { page } = ui;
  await explore(`l${series("temperature")}`);
  await charts().first().waitFor();
  await page.getByText("Style and axes").click();
  await page.getByLabel("Axis from").fill("0");
  await page.getByLabel("Axis to").fill("40");
  await page.getByLabel("Style").selectOption("band");
  await page.waitForURL(/style%3Dband%3Amin%3D0%3Amax%3D40/);
  await page.waitForFunction(() => document.querySelectorAll(".uplot").length === 1);
  // From 0 to 40: the upper quarter is critical, the middle has no limit.
  await page.waitForFunction(() => document.querySelector(".u-over") !== null);
  const [critical, warning, normal] = [await colorAt(0.1), await colorAt(0.34), await colorAt(0.6)];
  expect(new Set([critical, warning, normal]).size).toBe(3);
  await page.reload();
  await charts().first().waitFor();
  await page.getByText("Style and axes").click();
  expect(await page.getByLabel("Style").inputValue()).toBe("band");
  expect(await page.getByLabel("Axis to").inputValue()).toBe("40");
  await page.getByRole("button", { name: "Save as dashboard" }).click();
  await page.getByLabel("Name").fill("Kiln");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.waitForURL(/\/dashboards\/[^/]+$/);
  await charts().first().waitFor();
});

test("a widget's style and axis are set in its dialog", async () => {
  const { page } = ui;
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await page.getByRole("button", { name: /^Edit .+/ }).click();
  expect(await ui.dialog().getByLabel("Style").inputValue()).toBe("band");
  await ui.dialog().getByLabel("Style").selectOption("area");
  await ui.dialog().getByLabel("Axis to").fill("60");
  await ui.dialog().getByTestId("chart").waitFor();
  await ui.dialog().getByRole("button", { name: "Apply" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("button", { name: "Edit", exact: true }).waitFor();
  const id = page.url().split("/").at(-1)?.split("?")[0];
  const { widgets } = (await ui.call("GET", `/api/dashboards/${id}`)) as { widgets: { config: object }[] };
  expect(widgets[0]?.config).toMatchObject({ style: "area", min: 0, max: 60 });
});

for (const appearance of [
  { language: "en", theme: "light", width: 1440 },
  { language: "de", theme: "dark", width: 360 },
] as const)
  test(`charts of all styles are accessible and keep within ${appearance.width} px, ${appearance.theme}, ${appearance.language}`, async () => {
    const { page } = ui;
    await appear(page, appearance);
    const styles = ["step", "area", "bar", "band"].map(
      (style) => `l:style=${style},${series("temperature", "pressure")}`,
    );
    await explore([...styles, `l${series("humidity", "temperature", "pressure")}`].join(";"));
    await charts().nth(5).waitFor();
    await page.locator("summary").click();
    await expectTidy(page, "charts", appearance);
  });
