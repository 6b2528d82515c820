// The values of a device: a table where there are many, with favorites first, and units that their names suggest.
import { beforeAll, expect, test } from "bun:test";
import { useConsole } from "./support/console-page.ts";
import { appear, expectTidy } from "./support/screenshots.ts";

const ui = useConsole();
const SIGNALS = 300;
let many: string;
let few: string;
let profileId: string;

/** Creates a device that sends this. */
async function create(name: string, telemetry: unknown, profile: string): Promise<string> {
  const { deviceId, credentials } = (await ui.call("POST", "/api/devices", {
    name,
    deviceType: "plc",
    profileId: profile,
  })) as { deviceId: string; credentials: { token: string } };
  await fetch(`${ui.app.url}/api/v1/${credentials.token}/telemetry`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(telemetry),
  });
  return deviceId;
}

const profileOf = async (name: string): Promise<string> => {
  const profile = await ui.call("POST", "/api/device-profiles", { name });
  return (profile as { profileId: string }).profileId;
};

beforeAll(async () => {
  const signals = Array.from({ length: SIGNALS }, (_, i) => [`signal_${i}`, i] as const);
  const earlier = [9, 6, 3].map((minutes) => ({
    ts: Date.now() - minutes * 60_000,
    values: { signal_299: 299 + minutes, signal_298: 298 + minutes },
  }));
  const newest = { ts: Date.now(), values: Object.fromEntries(signals) };
  many = await create("PLC", [...earlier, newest], await profileOf("plc"));
  profileId = await profileOf("climate");
  few = await create("Hall", { temperature: 21.5, humidity: 40 }, profileId);
});

const table = () => ui.page.getByRole("region", { name: "All values" });

test("many values are a table, which is searched, and favorites are tiles", async () => {
  const { page } = ui;
  await ui.open(`/devices/${many}`);
  await table().getByText(`${SIGNALS} values`).waitFor();
  expect(await table().getByRole("row").count()).toBe(SIGNALS + 1);
  await table().getByRole("searchbox", { name: "Search values" }).fill("signal_29");
  await table().getByText("11 values").waitFor();
  await table().getByRole("button", { name: "Show signal_299 first" }).click();
  const favorites = page.getByRole("region", { name: "Favorites" });
  await favorites.getByText("signal_299").waitFor();
  const curves = favorites.locator('svg[viewBox="0 0 120 36"]');
  await curves.waitFor(); // without a reload
  await table().getByRole("button", { name: "Show signal_298 first" }).click();
  await curves.nth(1).waitFor();
  await table().getByRole("button", { name: "Do not show signal_298 first" }).click();
  await ui.open(`/devices/${many}`);
  await favorites.getByText("299", { exact: true }).waitFor();
  await table().getByRole("button", { name: "Do not show signal_299 first" }).click();
  await favorites.waitFor({ state: "detached" });
});

test("units that names suggest are used with one click, and taken back with one", async () => {
  const { page } = ui;
  await ui.open(`/devices/${few}`);
  const units = page.getByRole("status", { name: "Suggested units:" });
  await units.getByText(/temperature 21\.5.°C · humidity 40.%/).waitFor();
  await units.getByRole("button", { name: "Use them" }).click();
  await page.getByText(/^21\.5.°C$/).waitFor();
  const keys = async () =>
    ((await ui.call("GET", `/api/device-profiles/${profileId}`)) as { keyMetadata: { key: string }[] })
      .keyMetadata;
  expect(await keys()).toMatchObject([{ key: "temperature" }, { key: "humidity" }]);
  // What somebody enters meanwhile stays.
  await ui.call("PATCH", `/api/device-profiles/${profileId}`, {
    keyMetadata: [{ key: "humidity", name: "Feuchte", unit: "%" }, ...(await keys()).slice(0, 1)],
  });
  await units.getByRole("button", { name: "Undo" }).click();
  await page.getByText("21.5", { exact: true }).waitFor();
  expect(await keys()).toEqual([{ key: "humidity", name: "Feuchte", unit: "%" }] as never);
  await units.getByRole("button", { name: "Hide suggestions" }).click();
  await units.waitFor({ state: "detached" });
});

test("the table is accessible and keeps within a phone", async () => {
  const appearance = { theme: "dark", language: "de", width: 390 } as const;
  await appear(ui.page, appearance);
  await ui.open(`/devices/${many}`);
  await ui.page.getByText("300 Messwerte").waitFor();
  await expectTidy(ui.page, "device-values", appearance);
  expect(ui.complaints).toEqual([]);
});
