// Where the devices of a map are: from their attributes and their telemetry, for those who may see them.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let owner: string;
let limited: string;
const devices: Record<string, { deviceId: string; token: string }> = {};

const call = (method: string, path: string, body?: unknown, token = owner) =>
  fixture.call(method, path, { token, ...(body !== undefined && { body }) });
const idOf = (name: string) => devices[name]?.deviceId;
const setAttributes = (name: string, scope: string, attributes: object) =>
  call("POST", `/api/devices/${idOf(name)}/attributes`, { scope, attributes });
const map = (config: object = {}) => ({
  name: "Fleet",
  widgets: [{ widgetId: "map", type: "map", name: "", config: { aliasId: "all", key: "t", ...config } }],
  aliases: [{ id: "all", name: "All", type: "deviceType", deviceType: "truck" }],
});
async function dataOf(config?: object, token = owner) {
  const { body } = await call("POST", "/api/dashboards/preview", { dashboard: map(config) }, token);
  return body.data.map;
}

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  for (const name of ["fixed", "moving", "text", "none"])
    devices[name] = await fixture.createDevice(owner, { name, deviceType: "truck" });
  devices.other = await fixture.createDevice(owner, { name: "other", deviceType: "press" });
  limited = (await fixture.signIn("TENANT_READ_ONLY", { devices: [idOf("moving") ?? ""] })).token;
  await setAttributes("fixed", "CLIENT", { latitude: 1, longitude: 1 });
  await setAttributes("fixed", "SERVER", { latitude: 52.5, longitude: 13.4, lat: -1, lon: -2, secret: 7 });
  await setAttributes("moving", "SHARED", { latitude: 48, longitude: 11 });
  await setAttributes("text", "SERVER", { latitude: "52", longitude: 13 });
  await setAttributes("other", "SERVER", { latitude: 40, longitude: 3 });
  await fixture.call("POST", `/api/v1/${devices.moving?.token}/telemetry`, {
    body: { t: 20, latitude: 48.1, longitude: 11.5, secret: 8 },
  });
});
afterAll(() => fixture.stop());

test("a map has the positions of attributes, first those of the server, and those of telemetry among the newest values", async () => {
  const data = await dataOf();
  expect(data.positions).toEqual([
    { deviceId: idOf("fixed"), latitude: 52.5, longitude: 13.4 },
    { deviceId: idOf("moving"), latitude: 48, longitude: 11 },
  ]);
  expect(data.latest).toContainEqual(
    expect.objectContaining({
      deviceId: idOf("moving"),
      values: { t: 20, latitude: 48.1, longitude: 11.5 },
    }),
  );
});

test("a map may name other keys, which are positions only as numbers in degrees", async () => {
  expect((await dataOf({ latitudeKey: "lat", longitudeKey: "lon" })).positions).toEqual([
    { deviceId: idOf("fixed"), latitude: -1, longitude: -2 },
  ]);
  expect((await dataOf({ latitudeKey: "nothing" })).positions).toEqual([]);
});

test("a user sees the positions of granted devices alone", async () => {
  expect((await dataOf({}, limited)).positions).toMatchObject([{ deviceId: idOf("moving") }]);
});

test("a link shows the positions of its devices and no other attribute", async () => {
  const { body: dashboard } = await call("POST", "/api/dashboards", map());
  const { body: share } = await call("POST", `/api/dashboards/${dashboard.id}/shares`, {});
  const { body, text } = await fixture.call("POST", "/api/shared/dashboard", {
    token: share.token,
    body: {},
  });
  expect(body.data.map.positions).toHaveLength(2);
  for (const hidden of ["secret", "other", String(idOf("other"))]) expect(text).not.toContain(hidden);
});

test("no other widget gets positions", async () => {
  const { widgets, ...rest } = map();
  const dashboard = { ...rest, widgets: widgets.map((widget) => ({ ...widget, type: "floorPlan" })) };
  const { body } = await call("POST", "/api/dashboards/preview", { dashboard });
  expect(body.data.map.positions).toBeUndefined();
  expect(JSON.stringify(body.data.map.latest)).not.toContain("latitude");
});
