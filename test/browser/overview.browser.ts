// The overview of the demo plant: key figures with curves from the first minute, and the newest values of devices.
import { beforeAll, expect, test } from "bun:test";
import { untilAnswer } from "../support/until.ts";
import { clippedAtWidths } from "./support/clipped.ts";
import { useConsole } from "./support/console-page.ts";
import { appear, expectTidy } from "./support/screenshots.ts";

const ui = useConsole({ isStill: true });

beforeAll(async () => {
  await ui.call("POST", "/api/demo-plant/start");
  for (;;) {
    const { progress } = (await ui.call("GET", "/api/demo-plant")) as { progress: number };
    if (progress === 1) break;
  }
});

const listed = (title: string | RegExp = "Last seen") =>
  ui.page.locator("section").filter({ hasText: title }).getByRole("listitem");

test("pinned values have their curve, and devices show their newest values instead of an age", async () => {
  const { page } = ui;
  await ui.open("/");
  const link = page.getByRole("link", { name: "Pressure", exact: true });
  await page.locator(".panel").filter({ has: link }).locator("svg path").first().waitFor();
  await listed().getByText("Temperature").first().waitFor();
  expect(await listed().count()).toBe(8);
  const texts = await listed().allTextContents();
  expect(texts.filter((text) => /\d\s?s ago|now/.test(text))).toEqual([]);
  // The names of the keys may come after the values.
  await untilAnswer(
    () => listed().allTextContents(),
    (named) => named.length === 8 && !named.some((text) => /[a-z]_[a-z]|zone1/.test(text)),
  );
});

test("the number of open alarms stands on the overview once, with the severities beside it", async () => {
  const { page } = ui;
  await page.route("**/api/overview", async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as Record<string, unknown>;
    const devices = { total: 5_120, active: 1_018, inactive: 4_000, neverConnected: 102, maintenance: 0 };
    const openAlarms = { CRITICAL: 1_002, MAJOR: 1_234, MINOR: 12, WARNING: 4, INDETERMINATE: 1 };
    await route.fulfill({ response, json: { ...body, devices, openAlarms } });
  });
  for (const language of ["en", "de"] as const) {
    await appear(page, { theme: "light", language, width: 1440 });
    await ui.open("/");
    await page.getByText(/^1[.,]002 (Critical|Kritisch)$/).waitFor();
    await listed(/Last seen|Zuletzt aktiv/)
      .nth(7)
      .waitFor();
    expect(
      await page
        .getByRole("main")
        .getByText(/open alarms?|offene[nr]? Alarm/i)
        .count(),
    ).toBe(1);
    expect(await clippedAtWidths(page)).toEqual([]);
  }
  await page.unroute("**/api/overview");
  await appear(page, { theme: "light", language: "en", width: 1440 });
});

test("a plant that is started from a German console is German", async () => {
  const { page } = ui;
  // The open overview may still ask for devices of the plant that is deleted.
  ui.browser.allowNotFound("/api/");
  await ui.call("DELETE", "/api/demo-plant");
  const appearance = { theme: "dark", language: "de", width: 390 } as const;
  await appear(page, appearance);
  await ui.open("/");
  await page
    .getByRole("button", { name: /Demo-Werk/ })
    .first()
    .click();
  await page.getByRole("heading", { name: "Demo-Werk", exact: true }).waitFor();
  await ui.open("/");
  await page.getByText("Druck", { exact: true }).first().waitFor();
  await page.getByText("Zuletzt aktiv").waitFor();
  await expectTidy(page, "overview-demo", appearance);
  // The names of the English plant go when the names of the keys have been loaded again.
  const english = page.getByText(/^(Pressure|Line 1|Press 1|temperature)$/);
  await english.first().waitFor({ state: "detached" });
  expect(ui.complaints).toEqual([]);
});
