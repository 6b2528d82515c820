// Explore: values of several devices side by side, by clicks and by link.
import { beforeAll, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { useConsole } from "./support/console-page.ts";
import { appear, expectTidy } from "./support/screenshots.ts";

const ui = useConsole({ isStill: true });
const devices: Array<{ deviceId: string; token: string }> = [];

const send = (token: string | undefined, body: unknown) =>
  fetch(`${ui.app.url}/api/v1/${token}/telemetry`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

beforeAll(async () => {
  const begin = Date.now() - 3_600_000;
  for (const [index, name] of ["Kiln 1", "Kiln 2"].entries()) {
    const device = (await ui.call("POST", "/api/devices", { name, deviceType: "kiln" })) as {
      deviceId: string;
      credentials: { token: string };
    };
    const { token } = device.credentials;
    devices.push({ deviceId: device.deviceId, token });
    const readings = Array.from({ length: 60 }, (_, minute) => ({
      ts: begin + minute * 60_000,
      values: { temperature: 20 + 10 * index + Math.sin(minute / 5), mode: minute < 30 ? "heat" : "hold" },
    }));
    expect((await send(token, readings)).status).toBe(200);
  }
});

const shown = () => ui.page.getByRole("list", { name: "Values shown" }).getByRole("listitem");

test("two devices are compared with five clicks", async () => {
  const { page } = ui;
  await ui.open("/");
  let clicks = 0;
  const click = async (role: "link" | "button", name: string | RegExp) => {
    clicks++;
    await page
      .getByRole(role, { name, exact: typeof name === "string" })
      .filter({ visible: true })
      .click();
  };
  await click("link", "Explore");
  await click("button", /^Active Kiln 1/);
  await click("button", "temperature");
  await click("button", "Kiln 1");
  await click("button", /^Active Kiln 2/);
  // The key of the first device is added at once: it is compared.
  await page.getByTestId("chart").waitFor();
  // A device's name comes after its line.
  await shown().nth(1).getByText("Kiln 2 · temperature").waitFor();
  expect(await shown().allTextContents()).toEqual(["Kiln 1 · temperature", "Kiln 2 · temperature"]);
  expect(clicks).toBe(5);
});

test("a text becomes a lane, and the address opens the same view for a colleague", async () => {
  const { page } = ui;
  await page.getByRole("button", { name: "mode" }).click();
  await shown().nth(2).waitFor();
  await page.getByTestId("widget").nth(1).getByText("heat").waitFor();
  await page.getByLabel("Compare with").selectOption("Previous period");
  await page.getByLabel("Aggregation").selectOption("avg");
  await page.waitForURL(/aggregation=avg/);
  // Not the newest value: it is of the last interval.
  await page.getByTestId("widget").first().getByText("avg", { exact: true }).first().waitFor();
  const address = page.url();
  await ui.open("/");
  await page.goto(address);
  await shown().nth(2).waitFor();
  expect(await page.getByLabel("Compare with").inputValue()).toBe("true");
  await page.getByTestId("chart").waitFor();
});

test("the values are saved as a table and as a picture", async () => {
  const { page } = ui;
  const saved = async (name: string) => {
    await page.getByRole("button", { name: "Export and options" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name }).click(),
    ]);
    return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
  };
  await page.getByLabel("Aggregation").selectOption("none");
  await page.waitForURL((url) => !url.search.includes("aggregation"));
  await page.getByTestId("chart").waitFor();
  const table = await saved("Download CSV");
  const [head, ...rows] = table.bytes.toString("utf8").trim().split(/\r?\n/);
  expect(head).toContain("Kiln 2 · temperature");
  expect(rows.length).toBeGreaterThan(30);
  const fast = (await ui.call("POST", "/api/devices", { name: "Fast", deviceType: "mill" })) as {
    deviceId: string;
    credentials: { token: string };
  };
  const begin = Date.now() - 3_500_000;
  const many = Array.from({ length: 3_000 }, (_, n) => ({
    ts: begin + n * 1_000,
    values: { level: n % 7 },
  }));
  for (let part = 0; part < 3; part++)
    expect((await send(fast.credentials.token, many.slice(part * 1_000, (part + 1) * 1_000))).status).toBe(
      200,
    );
  await ui.open(
    `/explore?${new URLSearchParams({ panes: `l${fast.deviceId}~level`, window: "live.7200000" })}`,
  );
  await page.getByTestId("chart").waitFor();
  const complete = (await saved("Download CSV")).bytes.toString("utf8").trim().split(/\r?\n/);
  expect(complete.length).toBe(3_001);
  await page.goBack();
  await page.getByTestId("chart").waitFor();
  const picture = await saved("Download picture (PNG)");
  expect(picture.name).toBe("explore.png");
  expect([...picture.bytes.subarray(1, 4)]).toEqual([..."PNG"].map((letter) => letter.charCodeAt(0)));
});

test("the view is saved as a dashboard", async () => {
  const { page } = ui;
  await page.getByRole("button", { name: "Save as dashboard" }).click();
  await page.getByLabel("Name").fill("Kilns compared");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.waitForURL(/\/dashboards\/[^/]+$/);
  await page.getByRole("heading", { name: "Kilns compared" }).waitFor();
  await page.getByTestId("chart").waitFor();
  expect(await page.getByTestId("widget").count()).toBe(2);
});

test("a chart of a device leads to the same values in Explore", async () => {
  const { page } = ui;
  await ui.open(`/devices/${devices[0]?.deviceId}/data?keys=temperature&window=6h`);
  await page.getByRole("button", { name: "Export and options" }).click();
  await page.getByRole("link", { name: "Compare in Explore" }).click();
  await shown().getByText("Kiln 1 · temperature").waitFor();
  expect(await shown().count()).toBe(1);
  expect(page.url()).toContain("live.21600000");
});

test("an empty Explore opens an example with one click, and offers the last view again", async () => {
  const { page } = ui;
  await ui.open("/explore");
  const start = page.getByRole("region", { name: "Compare any values of any devices" });
  await start.getByRole("list", { name: "Compare devices of one type" }).getByRole("link").click();
  // A device's name comes after its line.
  await shown().nth(1).getByText("Kiln 2 · temperature").waitFor();
  expect(await shown().allTextContents()).toEqual(["Kiln 1 · temperature", "Kiln 2 · temperature"]);
  // The panel of values stays closed: it would cover the chart.
  expect(await page.getByRole("button", { name: "Add values" }).getAttribute("aria-expanded")).toBe("false");
  await ui.open("/explore");
  await start.getByRole("list", { name: "Continue where you left off" }).getByRole("link").click();
  await shown().nth(1).waitFor();
  await ui.open("/explore");
  await start.getByRole("list", { name: "Devices seen last" }).getByText("Kiln 2").click();
  await shown().getByText("Kiln 2 · temperature").waitFor();
  expect(await shown().count()).toBe(1);
});

for (const appearance of [
  { language: "en", theme: "light", width: 1440 },
  { language: "de", theme: "dark", width: 360 },
] as const)
  test(`Explore is accessible and keeps within ${appearance.width} px, ${appearance.theme}, ${appearance.language}`, async () => {
    const { page } = ui;
    await appear(page, appearance);
    const [first, second] = devices;
    const panes = `l${first?.deviceId}~temperature,${second?.deviceId}~temperature;s${first?.deviceId}~mode`;
    await ui.open(`/explore?${new URLSearchParams({ panes, window: "live.7200000" })}`);
    await page.getByTestId("chart").waitFor();
    await expectTidy(page, "explore", appearance);
    await page.getByRole("button", { name: /^Export (and|und) / }).click();
    expect((await page.getByRole("button", { name: /PNG/ }).boundingBox())?.x).toBeGreaterThan(0);
    await expectTidy(page, "explore-menu", appearance);
    await ui.open("/explore");
    await page
      .getByRole("link", { name: /Kiln 1/ })
      .first()
      .waitFor();
    await expectTidy(page, "explore-empty", appearance);
  });
