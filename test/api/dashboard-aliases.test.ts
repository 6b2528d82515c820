// What widgets show whose alias stands for no devices.
import { expect, test } from "bun:test";
import { call, oven, useDashboards } from "./dashboards-fixture.ts";

useDashboards();

test("a widget whose alias cannot be resolved says why, and the other widgets show their devices", async () => {
  const aliases = [
    { id: "wrong", name: "Hall", type: "devices" },
    { id: "one", name: "Oven", type: "singleDevice", deviceId: oven.deviceId },
  ];
  const widgetOf = (widgetId: string, aliasId: string) => ({
    widgetId,
    type: "value",
    name: "",
    config: { aliasId, key: "t" },
  });
  const widgets = [widgetOf("silent", "wrong"), widgetOf("good", "one")];
  const { body } = await call("POST", "/preview", { dashboard: { aliases, widgets } });
  expect(body.data.silent.error).toMatch(/alias Hall.*singleDevice/);
  expect(body.data.good).toMatchObject({ deviceIds: [oven.deviceId] });
});
