// The automatic dashboard of a device type, created where its devices are: on the page of a device and on that of a profile.
import { expect, test } from "bun:test";
import { useConsole } from "./support/console-page.ts";
import { appear, expectTidy } from "./support/screenshots.ts";

const ui = useConsole({ isStill: true });

async function createDevice(name: string, deviceType: string) {
  const body = { name, deviceType };
  const device = (await ui.call("POST", "/api/devices", body)) as {
    deviceId: string;
    profileId: string;
    credentials: { token: string };
  };
  const sent = await fetch(`${ui.app.url}/api/v1/${device.credentials.token}/telemetry`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ temperature: 41 }),
  });
  expect(sent.status).toBe(200);
  return device;
}

test("a device and its profile create the dashboard of a type and open it", async () => {
  const { page } = ui;
  const { deviceId, profileId } = await createDevice("Press 1", "press");
  await createDevice("Oven 1", "oven");
  await ui.open(`/devices/${deviceId}`);
  await page.getByRole("button", { name: "Create a dashboard for press" }).click();
  await page.waitForURL(/\/dashboards\/[^/?]+$/);
  await page.getByRole("heading", { name: "Press", exact: true, level: 1 }).waitFor();
  await page.getByText("Press 1").first().waitFor();

  await ui.open(`/settings/profiles/${profileId}`);
  await page.getByLabel("Type", { exact: true }).selectOption("press");
  await page.getByLabel("Type", { exact: true }).selectOption("oven");
  await expectTidy(page, "profile-dashboard", { theme: "light", width: 1440, language: "en" });
  await page.getByRole("button", { name: "Create dashboard" }).click();
  await page.waitForURL(/\/dashboards\/[^/?]+$/);
  await page.getByRole("heading", { name: "Oven", exact: true, level: 1 }).waitFor();
  await page.getByText("Oven 1").first().waitFor();

  const appearance = { theme: "dark", width: 390, language: "de" } as const;
  await appear(page, appearance);
  await ui.open(`/devices/${deviceId}`);
  await page.getByRole("button", { name: "Dashboard für press anlegen" }).waitFor();
  await expectTidy(page, "device-dashboard", appearance);
  await ui.open(`/settings/profiles/${profileId}`);
  await page.getByRole("button", { name: "Dashboard anlegen" }).waitFor();
  await expectTidy(page, "profile-dashboard", appearance);
});
