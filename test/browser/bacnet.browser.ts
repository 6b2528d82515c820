// A BACnet device from the console: found, connected, its objects selected, read and shown with what it says about them.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { pythonOfBacpypes, startBacnetSimulator } from "../support/bacnet-simulator.ts";
import { useConsole } from "./support/console-page.ts";
import { type Appearance, appear, expectTidy } from "./support/screenshots.ts";

const ui = useConsole({
  settings: ["--outbound-allow", "127.0.0.1", "--outbound-private", "host"],
  isStill: true,
});
let device: Awaited<ReturnType<typeof startBacnetSimulator>> | undefined;

beforeAll(async () => {
  if (pythonOfBacpypes !== null) device = await startBacnetSimulator(1_201);
});
afterAll(() => device?.kill());

test.skipIf(pythonOfBacpypes === null)("a device of bacpypes3 is connected and read", async () => {
  const { page } = ui;
  await ui.open("/integrations/new");
  await page.getByRole("link", { name: /^BACnet/ }).click();
  const dialog = ui.dialog();
  expect(await dialog.getByRole("radio", { name: "BACnet/IP" }).isChecked()).toBe(true);
  await dialog.getByText("Search for devices").click();
  await dialog.getByRole("textbox", { name: /^Where to search/ }).fill("192.0.2.1.1");
  await dialog.getByRole("button", { name: "Search" }).click();
  await dialog.getByRole("alert").waitFor();
  await dialog.getByRole("textbox", { name: /^Where to search/ }).fill("127.0.0.1");
  await dialog.getByRole("button", { name: "Search" }).click();
  await dialog.getByText(/^0 devices answered\. Check whether/).waitFor();
  await dialog.getByLabel("Name", { exact: true }).fill("Air 1");
  await dialog.getByRole("textbox", { name: /^Address/ }).fill("127.0.0.1");
  await dialog.getByRole("spinbutton", { name: "Port" }).fill(String(device?.port));
  await dialog.getByRole("spinbutton", { name: /^Device number/ }).fill("1201");
  await dialog.getByRole("button", { name: "Create connection" }).click();
  await page.getByTestId("state").getByText("Connected", { exact: true }).waitFor();
  await page.getByRole("link", { name: "From the device" }).click();
  const list = ui.dialog();
  await list.getByText("Mode 2 (auto)").waitFor();
  await list.getByRole("checkbox", { name: /^Supply temperature/ }).check();
  await list.getByRole("checkbox", { name: /^Broken sensor/ }).check();
  await list.getByRole("button", { name: /^More/ }).click();
  await list.getByRole("checkbox", { name: /^Value 150/ }).check();
  await list.getByRole("button", { name: "Add 3 objects" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Air 1");
  await page.getByRole("button", { name: "Add object", exact: true }).click();
  const object = page.getByTestId("entry").last();
  await object.getByRole("textbox", { name: "Key" }).fill("nothing");
  await object.getByRole("textbox", { name: "Address" }).fill("AI:99");
  await page.getByRole("button", { name: "Save" }).click();
  const unit = page.getByTestId("field-unit");
  await unit.getByText("21.5", { exact: true }).waitFor();
  await unit.getByText("The device has no such object.").waitFor();
  await unit.getByText(/has no value/).waitFor();
  // The profile of the new device has the units of the selected objects.
  const [{ profileId }] = (await ui.call("GET", "/api/devices?search=Air%201")) as [{ profileId: string }];
  expect(await ui.call("GET", `/api/device-profiles/${profileId}`)).toMatchObject({
    keyMetadata: [
      { key: "Supply temperature", unit: "Cel" },
      { key: "Broken sensor", unit: "%" },
    ],
  });
  const path = new URL(page.url()).pathname;
  const appearances: readonly Appearance[] = [
    { theme: "dark", language: "de", width: 390 },
    { theme: "light", language: "en", width: 1440 },
  ];
  for (const appearance of appearances) {
    await appear(page, appearance);
    await ui.open(path);
    await unit.getByText("Supply temperature").waitFor();
    await expectTidy(page, `bacnet-connection-${appearance.language}`, appearance);
    await ui.open(`${path}/new?map=browse`);
    await ui.dialog().getByText("Mode 2 (auto)").waitFor();
    await expectTidy(page, `bacnet-objects-${appearance.language}`, appearance);
  }
});
