// Addresses that the console does not have: by a link inside the page, and opened from outside.

import { beforeAll, expect, test } from "bun:test";
import { useConsole } from "./support/console-page.ts";

const ui = useConsole();
const ids = { device: "", integration: "", pipeline: "" };

beforeAll(async () => {
  const create = (path: string, body: unknown) => ui.call("POST", path, body);
  const device = await create("/api/devices", { name: "Press", deviceType: "press" });
  ids.device = (device as { deviceId: string }).deviceId;
  const integration = await create("/api/integrations", { name: "Hall", type: "HTTP" });
  ids.integration = (integration as { integrationId: string }).integrationId;
  const pipeline = await create("/api/data-pipelines", { name: "Round", steps: [] });
  ids.pipeline = (pipeline as { pipelineId: string }).pipelineId;
});

const unknown = [
  ["a tab of a device", () => `/devices/${ids.device}/nonsense`, 404],
  ["a tab of an integration", () => `/integrations/${ids.integration}/nonsense`, 404],
  [
    "a tab that an integration of this type does not have",
    () => `/integrations/${ids.integration}/downlinks`,
    200,
  ],
  ["a tab of a pipeline", () => `/pipelines/${ids.pipeline}/nonsense`, 404],
  ["a page of the settings", () => "/settings/nonsense", 404],
  ["a part of a page of the settings", () => "/settings/site/nonsense", 404],
  ["a page of the manual", () => "/manual/nonsense", 200],
  ["a screen", () => "/nonsense", 404],
  ["an address that other products have", () => "/graph", 404],
] as const;

test.each(unknown)(
  "%s that does not exist is reported as not found, however it is opened",
  async (_, pathOf, status) => {
    const { page } = ui;
    ui.browser.allowNotFound(pathOf());
    const response = await ui.open(pathOf());
    expect(response?.status()).toBe(status);
    await page.getByText("This page does not exist").waitFor();
    await ui.open("/devices");
    await page.getByRole("heading", { name: "Devices" }).waitFor();
    await page.evaluate((path) => {
      history.pushState(null, "", path);
      dispatchEvent(new PopStateEvent("popstate"));
    }, pathOf());
    await page.getByText("This page does not exist").waitFor();
    expect(ui.complaints).toEqual([]);
  },
);
