// A map on a dashboard: created in its dialog, on a grid and on a picture, with many devices at one place.
import { expect, test } from "bun:test";
import { useConsole } from "./support/console-page.ts";
import { type Appearance, appear, expectTidy } from "./support/screenshots.ts";

const PICTURE = `data:image/svg+xml;base64,${btoa(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 500"><rect width="800" height="500" fill="#cfe3cf"/><path d="M0 320C200 260 300 420 500 330S700 200 800 240V300C700 270 620 330 500 400S200 330 0 390z" fill="#a9c8e8"/></svg>',
)}`;
const ui = useConsole({ isStill: true });
const devices: Record<string, { deviceId: string; credentials: { token: string } }> = {};
let dashboardId: string;

const send = (name: string, values: object) =>
  fetch(`${ui.app.url}/api/v1/${devices[name]?.credentials.token}/telemetry`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(values),
  });
const map = () => ui.page.getByTestId("map");
const widget = (config: object) => ({
  name: "Fleet",
  layout: [{ i: "map", x: 0, y: 0, w: 12, h: 8 }],
  widgets: [
    { widgetId: "map", type: "map", name: "Trucks", config: { aliasId: "all", key: "t", ...config } },
  ],
  aliases: [{ id: "all", name: "All", type: "deviceType", deviceType: "truck" }],
});
const show = async (config: object) => {
  await ui.call("PATCH", `/api/dashboards/${dashboardId}`, widget(config));
  await ui.open(`/dashboards/${dashboardId}`);
};

async function createTruck(name: string, values: object, attributes?: object): Promise<void> {
  const created = await ui.call("POST", "/api/devices", { name, deviceType: "truck" });
  devices[name] = created as (typeof devices)[string];
  await send(name, values);
  if (attributes)
    await ui.call("POST", `/api/devices/${devices[name]?.deviceId}/attributes`, {
      scope: "SERVER",
      attributes,
    });
}

test("the widget is created without JSON, and shows devices by telemetry and by attributes", async () => {
  const { page } = ui;
  const profile = ((await ui.call("GET", "/api/device-profiles")) as { profileId: string }[])[0];
  await ui.call("PATCH", `/api/device-profiles/${profile?.profileId}`, {
    alarmRules: [
      {
        alarmType: "Hot",
        createRules: [{ severity: "MAJOR", condition: { key: "t", op: "GT", value: 50 } }],
      },
    ],
    keyMetadata: [{ key: "t", name: "Temperature", unit: "Cel", decimals: 1 }],
  });
  await createTruck("Berlin", { t: 61, latitude: 52.52, longitude: 13.4 });
  await createTruck("Hamburg", { t: 21, latitude: 0, longitude: 0 }, { latitude: 53.55, longitude: 10 });
  await createTruck("Nowhere", { t: 22 });
  const { id } = (await ui.call("POST", "/api/dashboards", { ...widget({}), widgets: [] })) as {
    id: string;
  };
  dashboardId = id;
  await ui.open(`/dashboards/${id}?edit=1`);
  await page.getByRole("button", { name: "Add widget" }).first().click();
  await ui.dialog().getByRole("button", { name: /^Map/ }).click();
  await ui.dialog().getByLabel("Measured value", { exact: true }).fill("t");
  await ui.dialog().getByTestId("map").getByTitle("Berlin").waitFor();
  expect(await ui.dialog().getByLabel("Latitude of the upper edge").count()).toBe(0);
  await ui.dialog().getByLabel("Latitude", { exact: true }).fill("lat");
  await ui.dialog().getByText("It needs lat and longitude").waitFor();
  await ui.dialog().getByLabel("Latitude", { exact: true }).fill("");
  await ui.dialog().getByRole("button", { name: "Apply" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Fleet is saved.").waitFor();
  await map().getByText("61.0\u202f°C").waitFor();
  await map().getByText("1 device without a position").waitFor();
  expect(await map().getByTitle("Berlin").getByText("Major").count()).toBe(1);
  const [berlin, hamburg] = [
    await map().getByTitle("Berlin").boundingBox(),
    await map().getByTitle("Hamburg").boundingBox(),
  ];
  expect((berlin?.x ?? 0) - (hamburg?.x ?? 0)).toBeGreaterThan(50);
  expect((berlin?.y ?? 0) - (hamburg?.y ?? 0)).toBeGreaterThan(50);
  await map().getByTestId("scale").getByText("km").waitFor();
});

test("a device that moves moves on the map, and a click opens it", async () => {
  const { page } = ui;
  await send("Nowhere", { latitude: 51.3, longitude: 12.4 });
  await map().getByTitle("Nowhere").waitFor();
  await map().getByText("without a position").waitFor({ state: "detached" });
  await map().getByTitle("Nowhere").click();
  await page.waitForURL(`**/devices/${devices.Nowhere?.deviceId}`);
});

test("a picture needs its edges, and then devices outside of it are counted", async () => {
  await show({ image: PICTURE });
  await map().getByText("Enter the edges of the picture").waitFor();
  await show({ image: PICTURE, north: 53, south: 52, west: 13, east: 14.6 });
  await map().getByTitle("Berlin").waitFor();
  await map().getByText("2 devices outside the picture").waitFor();
  const image = await map().getByRole("img", { name: "Trucks" }).boundingBox();
  const mark = await map().getByTitle("Berlin").boundingBox();
  if (image === null || mark === null) throw new Error("both are on the screen");
  expect((mark.x + mark.width / 2 - image.x) / image.width).toBeCloseTo(0.25, 1);
  expect((mark.y + mark.height / 2 - image.y) / image.height).toBeCloseTo(0.48, 1);
  await ui.page.getByRole("button", { name: "Edit", exact: true }).click();
  await ui.page.getByRole("button", { name: "Edit Trucks" }).click();
  expect(await ui.dialog().getByLabel("Latitude of the upper edge").inputValue()).toBe("53");
  await ui.page.keyboard.press("Escape");
});

test("500 devices are marks that can be told apart, and a mark of several opens their list", async () => {
  const { page } = ui;
  const rows = Array.from({ length: 500 }, (_, index) => {
    const [x, y] = [index % 25, Math.floor(index / 25)];
    return {
      name: `Truck ${index}`,
      deviceType: "truck",
      "attributes.server.latitude": 51 + y / 20,
      "attributes.server.longitude": 9 + (x * x) / 100,
    };
  });
  await ui.call("POST", "/api/devices/bulk/import", { rows });
  await show({});
  await map().getByRole("button").first().waitFor();
  const marks = await map().getByRole("listitem").count();
  expect(marks).toBeGreaterThan(20);
  expect(marks).toBeLessThan(503);
  await map().getByRole("button").first().click();
  await ui.dialog().getByRole("link").first().waitFor();
  const count = await ui.dialog().getByRole("link").count();
  expect(await ui.dialog().getByRole("heading").first().textContent()).toBe(`${count} devices`);
  await page.keyboard.press("Escape");
});

for (const appearance of [
  { theme: "light", width: 1440, language: "en" },
  { theme: "dark", width: 1440, language: "de" },
  { theme: "light", width: 390, language: "de" },
  { theme: "dark", width: 390, language: "en" },
] satisfies Appearance[])
  test(`the map is accessible and keeps within ${appearance.width} px, ${appearance.theme}, ${appearance.language}`, async () => {
    const { page } = ui;
    await appear(page, appearance);
    await show({});
    await map().getByRole("listitem").first().waitFor();
    await expectTidy(page, "map-many", appearance);
    await show({ image: PICTURE, north: 54, south: 51, west: 9, east: 15 });
    await map().getByRole("listitem").first().waitFor();
    await expectTidy(page, "map-picture", appearance);
    if (appearance.width > 1_000) {
      await page.setViewportSize({ width: 1_920, height: 1_080 });
      await ui.open(`/dashboards/${dashboardId}?wall=1`);
      await map().getByRole("listitem").first().waitFor();
      expect(await map().getByRole("button").count()).toBe(0);
      await expectTidy(page, "map-wall", appearance);
    }
  });
