// A wall that shows several dashboards in turn: made in its dialog, without a connection, and with a dashboard that is deleted.
import { expect, test } from "bun:test";
import { useConsole } from "./support/console-page.ts";
import { type Appearance, appear, expectTidy } from "./support/screenshots.ts";

const ui = useConsole({ isStill: true });
const NAMES = ["Hall 1", "Hall 2", "Hall 3"];
const ids: Record<string, string> = {};

const heading = (name: string) => ui.page.getByRole("heading", { name, exact: true });
const wall = (every = 1) =>
  `/dashboards/${ids["Hall 1"]}?wall=1&rotate=${ids["Hall 2"]},${ids["Hall 3"]}&every=${every}`;

test("the dialog selects dashboards and seconds, and the wall shows them in turn", async () => {
  const { page } = ui;
  const device = (await ui.call("POST", "/api/devices", { name: "Press 1", deviceType: "press" })) as {
    credentials: { token: string };
  };
  const sent = await fetch(`${ui.app.url}/api/v1/${device.credentials.token}/telemetry`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ force: 41 }),
  });
  expect(sent.status).toBe(200);
  for (const name of NAMES) {
    const form = { deviceType: "press", name, template: "AUTO", timezone: "UTC" };
    ids[name] = ((await ui.call("POST", "/api/dashboards/for-type", form)) as { id: string }).id;
  }
  await ui.open(`/dashboards/${ids["Hall 1"]}`);
  await page.getByRole("button", { name: "More actions for this dashboard" }).click();
  await page.getByRole("button", { name: "Show several dashboards in turn" }).click();
  await ui.dialog().getByLabel("Hall 2").check();
  await ui.dialog().getByLabel("Hall 3").check();
  await ui.dialog().getByLabel("Seconds for each dashboard").fill("1");
  expect(await ui.dialog().getByRole("link").getAttribute("href")).toBe(ui.app.url + wall());
  await ui.dialog().getByRole("button", { name: "Start" }).click();
  for (const name of ["Hall 2", "Hall 3", "Hall 1", "Hall 2"]) await heading(name).waitFor();
  expect(page.url()).toBe(ui.app.url + wall());
  expect(await page.getByTestId("board").count()).toBe(1);
  expect(await page.getByTestId("wall").getByRole("button").count()).toBe(0);
});

test("without a connection the current dashboard stays in grey and on the whole screen, and the rotation goes on afterwards", async () => {
  const { page } = ui;
  await ui.open(wall(3));
  await heading("Hall 1").waitFor();
  await ui.app.halt();
  await page.getByText("Connection lost.").waitFor();
  await page.locator("[data-testid=wall].grayscale").waitFor();
  const shown = (await page.getByTestId("wall").getByRole("heading", { level: 1 }).textContent()) ?? "";
  await page.getByTestId("wall").getByText("41").first().waitFor();
  expect(await page.getByTestId("wall").getByRole("alert").count()).toBe(0);
  const width = await page.getByTestId("wall").evaluate((element) => element.clientWidth);
  expect(width).toBe(await page.evaluate(() => innerWidth));
  expect(await page.getByRole("button", { name: "Retry now" }).count()).toBe(0);
  await ui.app.resume();
  await page.getByText("Connection lost.").waitFor({ state: "detached" });
  await heading(shown).waitFor({ state: "detached" });
});

for (const appearance of [
  { theme: "light", width: 1440, language: "en" },
  { theme: "dark", width: 390, language: "de" },
] satisfies Appearance[])
  test(`the wall and its dialog are accessible at ${appearance.width} px, ${appearance.theme}, ${appearance.language}`, async () => {
    const { page } = ui;
    await appear(page, appearance);
    await ui.open(wall(60));
    await page.getByTestId("widget").first().waitFor();
    await expectTidy(page, "wall-rotation", appearance);
    await ui.open(`/dashboards/${ids["Hall 1"]}`);
    await page
      .getByRole("button", {
        name: /^(More actions for this dashboard|Weitere Aktionen für dieses Dashboard)$/,
      })
      .click();
    await page
      .getByRole("button", {
        name: /^(Show several dashboards in turn|Mehrere Dashboards im Wechsel zeigen)$/,
      })
      .click();
    await ui.dialog().getByLabel("Hall 2").check();
    await expectTidy(page, "rotation-dialog", appearance);
  });

test("deleted dashboards are skipped, and Escape ends the wall", async () => {
  const { page } = ui;
  await appear(page, { theme: "light", width: 1440, language: "en" });
  ui.browser.allowNotFound(`/api/dashboards/${ids["Hall 1"]}`);
  await ui.call("DELETE", `/api/dashboards/${ids["Hall 1"]}`);
  await ui.open(wall());
  for (const name of ["Hall 2", "Hall 3", "Hall 2"]) await heading(name).waitFor();
  await ui.open(`/dashboards/${ids["Hall 2"]}?wall=1&rotate=${ids["Hall 3"]}&every=60`);
  await heading("Hall 2").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "All dashboards" }).waitFor();
  expect(page.url()).toBe(`${ui.app.url}/dashboards/${ids["Hall 2"]}`);
});
