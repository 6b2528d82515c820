// How charts draw values: styles, ends of the axis, scales of their own, the band of the limits.
import { beforeAll, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { useConsole } from "./support/console-page.ts";
import { appear, expectTidy } from "./support/screenshots.ts";

const MINUTES = 60;
const ui = useConsole({ isStill: true });
const begin = Date.now() - MINUTES * 60_000;
let device: { deviceId: string; profileId: string; credentials: { token: string } };

beforeAll(async () => {
  device = (await ui.call("POST", "/api/devices", { name: "Kiln 1", deviceType: "kiln" })) as typeof device;
  const { profileId } = (await ui.call("GET", `/api/devices/${device.deviceId}`)) as { profileId: string };
  await ui.call("PATCH", `/api/device-profiles/${profileId}`, {
    keyMetadata: [
      { key: "temperature", unit: "Cel", limits: { lowLow: 0, low: 5, high: 25, highHigh: 28 } },
      { key: "humidity", unit: "%" },
      { key: "pressure", unit: "hPa" },
    ],
  });
  const readings = Array.from({ length: MINUTES }, (_, minute) => ({
    ts: begin + minute * 60_000,
    values: {
      temperature: 20 + minute / 6,
      humidity: 40 + (minute % 7),
      pressure: 1_000 + minute,
      isOpen: minute % 20 < 10,
      speed: minute === 30 ? "jammed" : 100 + minute,
    },
  }));
  const sent = await fetch(`${ui.app.url}/api/v1/${device.credentials.token}/telemetry`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(readings.filter((_, minute) => minute < 20 || minute === 30 || minute > 40)),
  });
  expect(sent.status).toBe(200);
});

const series = (...keys: string[]) => keys.map((key) => `${device.deviceId}~${key}`).join();
const explore = (panes: string) =>
  ui.open(`/explore?${new URLSearchParams({ panes, window: "live.7200000" })}`);
const charts = () => ui.page.getByTestId("chart");

/** Colour in the middle of the first chart, this far from its top. */
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
  await ui.open(`/devices/${device.deviceId}/data?keys=temperature,humidity,pressure&view=overlay&window=6h`);
  await charts().nth(1).waitFor();
});

test("values that come while a device's data is being opened have their chart", async () => {
  const { page } = ui;
  // As if the first values came right after the keys were asked for.
  const nothing = { deviceId: device.deviceId, values: {}, timestamps: {}, ts: 0 };
  await page.route("**/telemetry/latest", (route) => route.fulfill({ json: nothing }));
  await page.route(`**/devices/${device.deviceId}/keys*`, (route) => route.fulfill({ json: [] }));
  await ui.open(`/devices/${device.deviceId}/data?window=6h`);
  await charts().first().waitFor();
  await page.unrouteAll();
});

/** Waits until the first chart has at least as many pixels of the colour of its first line. */
const waitForLine = (pixels: number) =>
  ui.page.waitForFunction((pixelsMin) => {
    const canvas = document.querySelector<HTMLCanvasElement>(".uplot canvas");
    const { data } = canvas?.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height) ?? {
      data: [],
    };
    let count = 0;
    for (let i = 0; i < data.length; i += 4)
      if (data[i] === 0x0e && data[i + 1] === 0x5a && data[i + 2] === 0x6b) count++;
    return count >= pixelsMin;
  }, pixels);

test("lines of all styles are drawn, and switches as steps between off and on", async () => {
  await ui.open(`/devices/${device.deviceId}/data?keys=isOpen&window=6h`);
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
    await ui.open(`/devices/${device.deviceId}/data?keys=temperature&window=${name}`);
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
    expect(text.includes(String(new Date(begin).getFullYear()))).toBe(hours > 24);
  }
  await page.mouse.move(0, 0);
});

test("a text in a series of numbers is counted beside the line that it is not part of", async () => {
  const { page } = ui;
  for (const aggregation of ["none", "avg"]) {
    await ui.open(`/devices/${device.deviceId}/data?keys=speed&window=6h&aggregation=${aggregation}`);
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
  await ui.open(`/devices/${device.deviceId}/data?keys=temperature,humidity,isOpen&window=6h`);
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
      "false##",
      "true##",
    ]);
  };
  await ui.open(`/devices/${device.deviceId}/data?keys=isOpen&window=1h&aggregation=timeIn`);
  await expectBars();
  await page.getByLabel("View").selectOption("table");
  await page
    .getByRole("cell", { name: /^(true|false) \d/ })
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

test("a double click and the browser's Back leave a zoom for the window before it", async () => {
  const { page } = ui;
  const view = { panes: `l${series("temperature")}`, window: "live.7200000" };
  for (const [address, before] of [
    [`/explore?${new URLSearchParams(view)}`, "live.7200000"],
    [`/devices/${device.deviceId}/data?keys=temperature&window=6h`, "window=6h"],
  ] as const) {
    await ui.open(address);
    await charts().first().waitFor();
    const zoom = async () => {
      const left = page.url();
      const over = await page.locator(".u-over").first().boundingBox();
      if (over === null) throw new Error("no chart");
      await page.mouse.move(over.x + over.width * 0.3, over.y + 40);
      await page.mouse.down();
      await page.mouse.move(over.x + over.width * 0.7, over.y + 40, { steps: 5 });
      await page.mouse.up();
      await page.waitForURL((url) => url.href !== left);
      return page.url();
    };
    const once = await zoom();
    await zoom();
    await page.locator(".u-over").first().dblclick();
    await page.waitForURL(once);
    await page.locator(".u-over").first().dblclick();
    await page.waitForURL((url) => url.search.includes(before));
    await zoom();
    if (!address.startsWith("/devices")) continue;
    await page.goBack();
    await page.waitForURL((url) => url.search.includes(before));
  }
});

/** Place of the lines of the first chart. */
async function plot(): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await ui.page.locator(".u-over").first().boundingBox();
  if (box === null) throw new Error("no chart");
  return box;
}

/** Returns the window that the address of a device's data names. */
const fixedWindow = () => {
  const { searchParams } = new URL(ui.page.url());
  return { from: Number(searchParams.get("from")), to: Number(searchParams.get("to")) };
};

const openData = async (query: string) => {
  await ui.open(`/devices/${device.deviceId}/data?${query}`);
  await charts().first().waitFor();
  // The axes take their place when there are values.
  await waitForLine(1);
};

test("dragging with Shift moves the window, and the wheel with Ctrl changes its width around the pointer", async () => {
  const { page } = ui;
  const [from, to] = [begin, begin + 30 * 60_000];
  await openData(`keys=temperature&from=${from}&to=${to}`);
  const { x, y, width } = await plot();
  await page.keyboard.down("Shift");
  await page.mouse.move(x + width / 2, y + 40);
  await page.mouse.down();
  await page.mouse.move(x + width / 4, y + 40, { steps: 5 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await page.waitForURL((url) => !url.search.includes(String(from)));
  const dragged = fixedWindow();
  expect(Math.round((dragged.from - from) / 60_000)).toBe(7);
  expect(dragged.to - dragged.from).toBe(to - from);
  await page.keyboard.down("Control");
  for (let turn = 0; turn < 3; turn++) await page.mouse.wheel(0, -100);
  await page.keyboard.up("Control");
  await page.waitForURL((url) => !url.search.includes(String(dragged.from)));
  const wheeled = fixedWindow();
  expect(wheeled.to - wheeled.from).toBeLessThan((dragged.to - dragged.from) / 2);
  const quarter = ({ from: first, to: last }: typeof dragged) => first + (last - first) / 4;
  expect(Math.abs(quarter(wheeled) - quarter(dragged))).toBeLessThan(60_000);
  // Without Ctrl the wheel scrolls the page.
  await page.mouse.wheel(0, 100);
  expect(fixedWindow()).toEqual(wheeled);
});

test("two fingers that move apart zoom in", async () => {
  await openData(`keys=temperature&from=${begin}&to=${begin + 30 * 60_000}`);
  const { x, y, width } = await plot();
  const session = await ui.page.context().newCDPSession(ui.page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...places: number[]) =>
    session.send("Input.dispatchTouchEvent", {
      type,
      touchPoints: places.map((share, id) => ({ x: x + width * share, y: y + 60, id })),
    });
  await touch("touchStart", 0.4, 0.6);
  await touch("touchMove", 0.3, 0.7);
  await touch("touchMove", 0.2, 0.8);
  await touch("touchEnd");
  await ui.page.waitForURL((url) => !url.search.includes(String(begin)));
  const { from, to } = fixedWindow();
  expect(Math.round((to - from) / 60_000)).toBe(10);
  await session.detach();
});

test("the keyboard moves the cursor from sample to sample, reads it out and zooms", async () => {
  const { page } = ui;
  const [from, to] = [begin, begin + 30 * 60_000];
  await openData(`keys=temperature,humidity&from=${from}&to=${to}`);
  const chart = charts().first();
  const spoken = () => page.getByTestId("chart-spoken").first().textContent();
  const time = (minute: number) =>
    new Date(begin + minute * 60_000).toLocaleTimeString("en-GB", { timeStyle: "medium" }).slice(3);
  await chart.focus();
  expect(await chart.getAttribute("role")).toBe("application");
  await page.keyboard.press("Home");
  expect(await spoken()).toMatch(new RegExp(`${time(0)}.*temperature 20\\s°C$`));
  await page.keyboard.press("ArrowRight");
  expect(await spoken()).toContain(time(1));
  // Both charts point to the sample.
  for (const dot of await page.getByTestId("pointer-dot").all()) await dot.waitFor();
  const times = await page.getByTestId("sample-time").allTextContents();
  expect(times.length).toBe(2);
  expect(new Set(times).size).toBe(1);
  await page.keyboard.press("End");
  expect(await spoken()).toMatch(new RegExp(`${time(30)}.*temperature 25\\s°C$`));
  await page.keyboard.press("ArrowLeft");
  expect(await spoken()).toContain(time(19));
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => !url.search.includes(String(from)));
  const zoomed = fixedWindow();
  expect(zoomed.to - zoomed.from).toBe((to - from) / 2);
  await page.keyboard.press("Shift+ArrowRight");
  await page.waitForURL((url) => !url.search.includes(String(zoomed.from)));
  await page.keyboard.press("Backspace");
  await page.waitForURL((url) => url.search.includes(String(from)));
  await page.keyboard.press("Escape");
  await page.getByTestId("sample-time").first().waitFor({ state: "detached" });
});

test("a zoom in one of several strips is one step of the browser's history", async () => {
  const { page } = ui;
  await openData("keys=temperature,humidity,pressure&window=6h");
  await charts().nth(2).waitFor();
  const { x, y, width } = await plot();
  await page.mouse.move(x + width * 0.3, y + 40);
  await page.mouse.down();
  await page.mouse.move(x + width * 0.7, y + 40, { steps: 5 });
  await page.mouse.up();
  await page.waitForURL((url) => url.searchParams.has("from"));
  await page.goBack();
  await page.waitForURL((url) => url.search.includes("window=6h"));
});

test("the lines of strips and of charts below each other begin and end at the same pixel", async () => {
  const expectAligned = async (count: number) => {
    await charts()
      .nth(count - 1)
      .waitFor();
    // As uPlot arranges them, which is to the pixel.
    await ui.page.waitForFunction((wanted) => {
      const overs = [...document.querySelectorAll<HTMLElement>(".u-over")];
      const ends = overs.map((over) => {
        const { left, right } = over.getBoundingClientRect();
        return `${left} ${right}`;
      });
      return overs.length === wanted && new Set(ends).size === 1;
    }, count);
  };
  await openData("keys=temperature,humidity,pressure,isOpen&window=6h");
  await expectAligned(4);
  await openData("keys=temperature,humidity,pressure&window=6h&view=overlay");
  await expectAligned(2);
  await explore([`l${series("temperature")}`, `l${series("pressure")}`, `l${series("isOpen")}`].join(";"));
  await expectAligned(3);
});

test("the first window of a new device begins with its data, and a selected window does not", async () => {
  const created = (await ui.call("POST", "/api/devices", {
    name: "Kiln 2",
    deviceType: "kiln",
  })) as typeof device;
  const first = Date.now() - 3 * 60_000;
  await fetch(`${ui.app.url}/api/v1/${created.credentials.token}/telemetry`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(
      [0, 1, 2, 3].map((minute) => ({ ts: first + minute * 60_000, values: { level: minute } })),
    ),
  });
  const shareOfFirst = async (query: string) => {
    await ui.open(`/devices/${created.deviceId}/data${query}`);
    await charts().first().waitFor();
    await charts().first().focus();
    await ui.page.keyboard.press("Home");
    const dot = ui.page.getByTestId("pointer-dot");
    await dot.waitFor();
    const { x, width } = await plot();
    return (((await dot.boundingBox())?.x ?? 0) - x) / width;
  };
  expect(await shareOfFirst("")).toBeLessThan(0.1);
  expect(await shareOfFirst("?window=15m")).toBeGreaterThan(0.5);
});
