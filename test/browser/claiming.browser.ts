// A device is claimed with the code on its sticker, and released again.

import { expect, test } from "bun:test";
import { overflow, seriousFindings } from "./support/accessibility.ts";
import { useConsole } from "./support/console-page.ts";

const ui = useConsole({ isStill: true });
let deviceId: string;

test("a wrong code is refused, and the right one opens the device", async () => {
  const { page } = ui;
  const body = { name: "Pump 7", deviceType: "pump" };
  ({ deviceId } = (await ui.call("POST", "/api/devices", body)) as { deviceId: string });
  await ui.call("PUT", `/api/devices/${deviceId}/claiming`, { secretKey: "7HK4-WQ2M" });
  await ui.open("/devices");
  await page.getByRole("button", { name: "Claim device" }).click();
  await ui.dialog().getByLabel("Name of the device").fill("Pump 7");
  await ui.dialog().getByLabel("Code").fill("wrong code");
  expect(await seriousFindings(page)).toEqual([]);
  expect(await overflow(page)).toEqual([0, 0]);
  await ui.dialog().getByRole("button", { name: "Claim device" }).click();
  await ui.dialog().getByText("No device of this name waits to be claimed with this code.").waitFor();
  await ui.dialog().getByLabel("Code").fill("7HK4-WQ2M");
  await ui.dialog().getByRole("button", { name: "Claim device" }).click();
  await page.waitForURL(new RegExp(`/devices/${deviceId}$`));
  await page.getByText("Pump 7 claimed.").waitFor();
});

test("the settings of the device say who has claimed it, and release it", async () => {
  const { page } = ui;
  await ui.open(`/devices/${deviceId}/settings`);
  await page.getByText(/@.+ claimed it on /).waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "Release device" }).click();
  await page.getByText("Pump 7 is no longer claimed.").waitFor();
  await page.getByRole("heading", { name: "Claiming" }).waitFor({ state: "detached" });
  expect(await ui.call("GET", `/api/devices/${deviceId}/claiming`)).toEqual({ state: "NONE" });
});
