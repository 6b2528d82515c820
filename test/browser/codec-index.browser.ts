// The index of public codecs: a collection is uploaded, searched by vendor and model, tested, and becomes a codec and the codec of an integration.

import { expect, test } from "bun:test";
import { tarOf, thingsNetworkCollection } from "../support/codec-collections.ts";
import { overflow, seriousFindings } from "./support/accessibility.ts";
import { useConsole } from "./support/console-page.ts";

const ui = useConsole({ isStill: true });

test("a collection is uploaded by the owner of the gateway", async () => {
  const { page } = ui;
  await ui.open("/integrations/codecs");
  await page.getByRole("link", { name: "Search by vendor and model" }).click();
  await page.getByText("No collection is loaded.").waitFor();
  await page.getByText("Download one of these archives").waitFor();
  await page.getByRole("link", { name: "Create codec" }).waitFor();
  await page.getByLabel("Upload archive…").setInputFiles({
    name: "lorawan-devices.tar.gz",
    mimeType: "application/gzip",
    buffer: Buffer.from(await tarOf(thingsNetworkCollection)),
  });
  await page.getByText("lorawan-devices.tar.gz. Devices: 3, vendors: 1, codecs: 2").waitFor();
});

test("a codec is found by vendor and model, and its examples run", async () => {
  const { page } = ui;
  await page.getByRole("searchbox", { name: "Vendor and model" }).fill("wind gusts");
  const rows = page.getByRole("list", { name: "Devices with codecs" }).getByRole("listitem");
  await page.getByText("Twin", { exact: true }).first().waitFor({ state: "detached" });
  await rows.first().waitFor();
  expect(await rows.count()).toBe(1);
  await page.getByRole("button", { name: "Run 3 examples" }).click();
  await page.getByText("Passed: 3 of 3.").waitFor();
  await page.getByRole("searchbox", { name: "Vendor and model" }).fill("twin");
  await page.getByRole("button", { name: "Run 1 example", exact: true }).click();
  await page.getByText("Passed: 0 of 1.").waitFor();
});

test("the page fits a phone in both themes without serious accessibility findings", async () => {
  const { page } = ui;
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const width of [1440, 360]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await seriousFindings(page)).toEqual([]);
      expect(await overflow(page)).toEqual([0, 0]);
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 });
});

test("one click creates a codec of the site", async () => {
  const { page } = ui;
  await page.getByRole("searchbox", { name: "Vendor and model" }).fill("wind gusts");
  await page.getByRole("button", { name: "Create codec for Gusts & Söhne Wind Sensor" }).click();
  await page.getByRole("heading", { name: "Gusts & Söhne Wind Sensor" }).waitFor();
  const [codec] = (await ui.call("GET", "/api/integrations/codecs")) as Array<Record<string, unknown>>;
  expect(codec).toMatchObject({
    name: "Gusts & Söhne Wind Sensor",
    description: "Measures the wind\nvendor/gusts/wind.js, Apache License",
    functions: ["decodeUplink", "encodeDownlink"],
  });
});

test("the wizard of a LoRaWAN integration finds a codec and uses it", async () => {
  const { page } = ui;
  await ui.open("/integrations/new?network=CHIRPSTACK");
  const search = page.getByRole("searchbox", { name: "Vendor and model" });
  await search.fill("wind gusts");
  await search.press("Enter");
  await page.getByRole("button", { name: "Create codec for Gusts & Söhne Wind Sensor" }).click();
  await page.getByText("The integration uses the codec Gusts & Söhne Wind Sensor.").waitFor();
  // The codec of before is used again, as it is the same.
  const codecs = (await ui.call("GET", "/api/integrations/codecs")) as Array<{ codecId: string }>;
  expect(codecs).toHaveLength(1);
  await page.getByRole("button", { name: "Create integration" }).click();
  await page.waitForURL(/\/integrations\/[0-9a-f-]{36}/);
  const [integration] = (await ui.call("GET", "/api/integrations")) as Array<{ settings_json: unknown }>;
  expect(integration?.settings_json).toMatchObject({ codecs: [{ codecId: codecs[0]?.codecId }] });
});

test("the collection is deleted after a confirmation", async () => {
  const { page } = ui;
  await ui.open("/integrations/codecs/index");
  await page.getByRole("button", { name: "Delete collection" }).click();
  await ui.dialog().getByRole("button", { name: "Delete" }).click();
  await page.getByText("No collection is loaded.").waitFor();
  expect(await ui.call("GET", "/api/integrations/codecs")).toHaveLength(1);
});

test("the pages caused no error in the browser", () => {
  // A codec of the same name is there already.
  expect(ui.complaints.filter((line) => !/status of 409/.test(line))).toEqual([]);
});
