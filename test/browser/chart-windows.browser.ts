// How the windows of charts are moved and zoomed: mouse, wheel, fingers, keyboard, and the way back.
import { expect, test } from "bun:test";
import { useKiln } from "./support/kiln.ts";

const kiln = useKiln();
const { ui, begin, charts, explore, series, waitForLine } = kiln;

test("a double click and the browser's Back leave a zoom for the window before it", async () => {
  const { page } = ui;
  const view = { panes: `l${series("temperature")}`, window: "live.7200000" };
  for (const [address, before] of [
    [`/explore?${new URLSearchParams(view)}`, "live.7200000"],
    [`/devices/${kiln.deviceId}/data?keys=temperature&window=6h`, "window=6h"],
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
  await ui.open(`/devices/${kiln.deviceId}/data?${query}`);
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
  })) as { deviceId: string; credentials: { token: string } };
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
    await waitForLine(1);
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
