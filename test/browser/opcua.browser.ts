// An OPC UA server from the console: asked, accepted, its variables selected, read and shown with what it says about them.

import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { pythonOfAsyncua, startOpcUaSimulator } from "../support/opcua-simulator.ts";
import { useConsole } from "./support/console-page.ts";
import { type Appearance, appear, expectTidy } from "./support/screenshots.ts";

const ui = useConsole({
  settings: ["--outbound-allow", "127.0.0.1", "--outbound-private", "host"],
  isStill: true,
});
/** From "Connect something" to the first values, on a phone. */
const CLICKS_MAX = 8;
let server: Awaited<ReturnType<typeof startOpcUaSimulator>> | undefined;

beforeAll(async () => {
  if (pythonOfAsyncua !== null) server = await startOpcUaSimulator();
});
afterAll(() => server?.end());

test.skipIf(pythonOfAsyncua === null)(
  "the first values take eight clicks on a phone, and only the address is typed",
  async () => {
    const { page } = ui;
    await page.setViewportSize({ width: 390, height: 844 });
    await ui.open("/integrations/new");
    let clicks = 0;
    const click = async (target: Locator) => {
      clicks++;
      await target.click();
    };
    await click(page.getByRole("link", { name: /^OPC UA/ }));
    const dialog = ui.dialog();
    await dialog.getByRole("textbox", { name: /^Address/ }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.closest("label")?.textContent)).toStartWith(
      "Address",
    );
    await page.keyboard.insertText(`opc.tcp://127.0.0.1:${server?.port}/plant`);
    await click(dialog.getByRole("button", { name: "Ask the server" }));
    await dialog.getByText("The server offers 4 ways to connect.").waitFor();
    expect(await dialog.getByLabel("Name", { exact: true }).inputValue()).toBe("127.0.0.1");
    await click(dialog.getByRole("button", { name: "Create connection" }));
    await page.getByTestId("state").getByText("Connected", { exact: true }).waitFor();
    await click(page.getByRole("link", { name: "From the device" }));
    await click(ui.dialog().getByText("Press 4"));
    await click(
      ui
        .dialog()
        .getByRole("checkbox", { name: /^All \d+ variables/ })
        .first(),
    );
    await click(ui.dialog().getByRole("button", { name: /^Add \d+ variables/ }));
    await click(page.getByRole("button", { name: "Save" }));
    await page.getByTestId("field-unit").getByText("3.14", { exact: true }).waitFor();
    await page.getByTestId("field-unit").getByText("every 1 s ·").waitFor();
    expect(clicks).toBeLessThanOrEqual(CLICKS_MAX);
  },
);

test.skipIf(pythonOfAsyncua === null)("a server of asyncua is connected securely and read", async () => {
  const { page } = ui;
  await ui.open("/integrations/new");
  await page.getByRole("link", { name: /^OPC UA/ }).click();
  const dialog = ui.dialog();
  expect(await dialog.getByRole("radio", { name: "OPC UA" }).isChecked()).toBe(true);
  await dialog.getByLabel("Name", { exact: true }).fill("Press 4");
  const address = dialog.getByRole("textbox", { name: /^Address/ });
  await address.fill("http://127.0.0.1");
  await dialog.getByRole("button", { name: "Ask the server" }).click();
  expect(await address.evaluate((input: HTMLInputElement) => input.matches(":focus:invalid"))).toBe(true);
  await address.fill("");
  // Typed, as on a phone that has no clipboard of the plant.
  await address.pressSequentially(`opc.tcp://127.0.0.1:${server?.port}/plant`);
  await page.keyboard.press("Tab");
  expect(await dialog.getByRole("spinbutton", { name: "Port" }).inputValue()).toBe(String(server?.port));
  expect(await dialog.getByRole("textbox", { name: "Path" }).inputValue()).toBe("/plant");
  await dialog.getByRole("button", { name: "Ask the server" }).click();
  await dialog.getByText("The server offers 4 ways to connect.").waitFor();
  const ways = dialog.getByRole("radio", { name: / · |Not protected/ });
  expect((await ways.locator("..").allInnerTexts()).map((text) => text.trim())).toEqual([
    "Signed and encrypted · Aes256-Sha256-RsaPss",
    "Signed and encrypted · Basic256Sha256",
    "Signed · Basic256Sha256",
    "Not protected",
  ]);
  expect(await ways.first().isChecked()).toBe(true);
  const accepted = dialog.getByRole("textbox", { name: /^Accepted certificate/ });
  expect(await accepted.inputValue()).toMatch(/^[0-9a-f]{64}$/);
  // A person compares it, also on a phone: nothing of it is cut off.
  await page.setViewportSize({ width: 390, height: 900 });
  expect(
    await accepted.evaluate((box) => [
      box.scrollWidth - box.clientWidth,
      Math.max(0, box.scrollHeight - box.clientHeight),
    ]),
  ).toEqual([0, 0]);
  await dialog.getByRole("button", { name: "Show the gateway’s certificate" }).click();
  await dialog.getByRole("button", { name: "Copy the certificate" }).waitFor();
  await dialog.getByRole("combobox", { name: "Sign in" }).selectOption("USER_NAME");
  await dialog.getByRole("textbox", { name: "User name" }).fill("operator");
  await dialog.getByRole("textbox", { name: "Password" }).fill("valve 7");
  await dialog.getByRole("button", { name: "Create connection" }).click();
  await page.getByTestId("state").getByText("Connected", { exact: true }).waitFor();
  await page.getByRole("link", { name: "From the device" }).click();
  const tree = ui.dialog();
  await tree.getByRole("searchbox", { name: "Search names" }).fill("PRESSU");
  await page.keyboard.press("Enter");
  await tree.getByRole("checkbox", { name: /^pressure/ }).check();
  await tree.getByRole("searchbox", { name: "Search names" }).fill("");
  await page.keyboard.press("Enter");
  await tree.getByText("Press 4").click();
  await tree.getByRole("checkbox", { name: /^byte/ }).check();
  await tree.getByRole("checkbox", { name: /^array/ }).check();
  await tree.getByRole("checkbox", { name: /^nothing/ }).check();
  await tree.getByRole("button", { name: "Add 4 variables" }).click();
  expect(await page.getByRole("textbox", { name: "Name" }).inputValue()).toBe("Press 4");
  await page.getByRole("button", { name: "Save" }).click();
  const unit = page.getByTestId("field-unit");
  await unit.getByText("3.14", { exact: true }).waitFor();
  await unit.getByText("array_2").waitFor();
  await unit.getByText(/has no value/).waitFor();
  // The profile of the new device has the units, ranges and states of the selected variables.
  const [{ profileId }] = (await ui.call("GET", "/api/devices?search=Press%204")) as [{ profileId: string }];
  const profile = (await ui.call("GET", `/api/device-profiles/${profileId}`)) as { keyMetadata: object[] };
  expect(profile.keyMetadata).toContainEqual({ key: "pressure", unit: "bar", min: 0, max: 16 });
  const path = new URL(page.url()).pathname;
  const appearances: readonly Appearance[] = [
    { theme: "dark", language: "de", width: 390 },
    { theme: "light", language: "en", width: 1440 },
  ];
  for (const appearance of appearances) {
    await appear(page, appearance);
    await ui.open(path);
    await unit.getByText("pressure").waitFor();
    await expectTidy(page, `opcua-connection-${appearance.language}`, appearance);
    await ui.open(`${path}/new?map=browse`);
    await ui.dialog().getByText("Press 4").click();
    await ui
      .dialog()
      .getByRole("checkbox", { name: /^pressure/ })
      .waitFor();
    await expectTidy(page, `opcua-nodes-${appearance.language}`, appearance);
  }
});
