// The operator tests the settings about reverse proxies, saves them, and restarts the gateway.
import { expect, test } from "bun:test";
import { useConsole } from "./support/console-page.ts";
import { type Appearance, appear, expectTidy } from "./support/screenshots.ts";

const APPEARANCES: readonly Appearance[] = [
  { theme: "light", language: "en", width: 390 },
  { theme: "dark", language: "de", width: 1440 },
];
const ui = useConsole({ isStill: true });

test("settings are tested before they are saved, and hold after a restart", async () => {
  const { page } = ui;
  await ui.open("/settings/system");
  await page.getByRole("link", { name: "Public address and reverse proxies" }).click();
  await page.getByLabel("Trusted proxies").fill("127.0.0.1");
  await page.getByRole("button", { name: "Test", exact: true }).click();
  await page.getByText("without X-Forwarded headers").waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Restart it to use these").waitFor();
  for (const appearance of APPEARANCES) {
    await appear(page, appearance);
    await ui.open("/settings/system/proxy");
    await page.getByRole("status").first().waitFor();
    await expectTidy(page, `proxy-settings-${appearance.language}`, appearance);
  }
  await appear(page, { theme: "light", language: "en", width: 1440 });
  await ui.open("/settings/system/proxy");
  ui.complaints.length = 0;
  await page.getByRole("button", { name: "Restart the gateway" }).click();
  await page.getByText("The gateway uses the settings").waitFor();
  expect(await page.getByLabel("Trusted proxies").inputValue()).toBe("127.0.0.1");
});
