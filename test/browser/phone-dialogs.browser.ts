// Dialogs from which one selects among many things, on a phone; and what a person calls the keys among them.

import { beforeAll, expect, test } from "bun:test";
import { useConsole } from "./support/console-page.ts";

const ui = useConsole({ isStill: true });
let dashboardId = "";

beforeAll(async () => {
  const keyMetadata = [{ key: "t_oil", name: "Oil temperature", unit: "°C" }];
  const { profileId } = (await ui.call("POST", "/api/device-profiles", { name: "Press", keyMetadata })) as {
    profileId: string;
  };
  const { deviceId, credentials } = (await ui.call("POST", "/api/devices", {
    name: "Press 1",
    deviceType: "press",
    profileId,
  })) as { deviceId: string; credentials: { token: string } };
  await fetch(`${ui.app.url}/api/v1/${credentials.token}/telemetry`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ t_oil: 40, other: 1 }),
  });
  const board = await ui.call("POST", "/api/dashboards", {
    name: "Presses",
    aliases: [{ id: "press", name: "Press 1", type: "singleDevice", deviceId }],
  });
  dashboardId = (board as { id: string }).id;
});

/** By how many px the dialog scrolls, and how much of the screen it leaves free beside and above it. */
const roomOf = () =>
  ui.dialog().evaluate((dialog) => {
    const box = dialog.querySelector(".modal-box")!;
    const { left, top, width } = box.getBoundingClientRect();
    return { scrolls: box.scrollHeight - box.clientHeight, left, top, right: innerWidth - left - width };
  });
const WHOLE = { left: 0, top: 0, right: 0 };

test("the kinds of widgets fit the screen of a phone, and the fields of one fill it", async () => {
  const { page } = ui;
  await page.setViewportSize({ width: 390, height: 844 });
  await ui.open(`/dashboards/${dashboardId}?edit=1`);
  await page.getByRole("button", { name: "Add widget" }).first().click();
  const chart = ui.dialog().getByRole("button", { name: /^Chart/ });
  await chart.first().waitFor();
  expect(await roomOf()).toEqual({ ...WHOLE, scrolls: 0 });
  await chart.first().click();
  const keys = ui.dialog().getByRole("group", { name: "Measured values" });
  await keys.getByRole("checkbox", { name: "Oil temperature" }).waitFor();
  await keys.getByRole("checkbox", { name: "other" }).waitFor();
  expect(await roomOf()).toMatchObject(WHOLE);
});

test("the kinds of steps of a pipeline fit the screen of a phone", async () => {
  const { page } = ui;
  await page.setViewportSize({ width: 390, height: 844 });
  const pipeline = await ui.call("POST", "/api/data-pipelines", { name: "Presses" });
  await ui.open(`/pipelines/${(pipeline as { pipelineId: string }).pipelineId}`);
  await page.getByRole("button", { name: "Add step" }).click();
  await ui.dialog().getByRole("button", { name: "Cancel" }).waitFor();
  expect(await roomOf()).toEqual({ ...WHOLE, scrolls: 0 });
});
