import { appear, expectTidy } from "./support/screenshots.ts";
// An alarm rule made by somebody who has never seen one: said back in sentences, tried on what is stored, saved, and raising.

import { beforeAll, expect, test } from "bun:test";
import { useConsole } from "./support/console-page.ts";

const ui = useConsole({ isStill: true });
let token: string;

const post = (path: string, body: unknown) =>
  fetch(`${ui.app.url}/api/v1/${token}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

beforeAll(async () => {
  const device = (await ui.call("POST", "/api/devices", {
    name: "Kiln 4",
    deviceType: "kiln",
  })) as { credentials: { token: string } };
  token = device.credentials.token;
  const start = Date.now() - 3_600_000;
  const items = Array.from({ length: 60 }, (_, minute) => ({
    ts: start + minute * 60_000,
    telemetry: { temperature: minute % 20 < 3 ? 90 : 20 },
  }));
  await post("/telemetry/batch", { items });
});

const editor = () => ui.page.getByTestId("rule-editor");
const sentence = () => editor().getByTestId("sentence");

test("the rule editor describes a rule in a sentence and tests it on the last day", async () => {
  const { page } = ui;
  await ui.open("/settings/profiles");
  await page.getByRole("link", { name: /^Alarm rules of/ }).click();
  await page.getByText("No alarm rules yet").waitFor();
  await page.getByRole("button", { name: "Create alarm rule" }).click();
  await editor().getByLabel("Name of the alarm").fill("Overheated");
  const row = editor().getByTestId("condition-row").first();
  await row.getByLabel("Measured value").fill("temperature");
  await row.getByLabel("Value", { exact: true }).fill("80");
  await editor().getByText("Major “Overheated” when temperature is above 80.").waitFor();
  await editor().getByRole("button", { name: "Run test" }).click();
  await editor().getByText("It would have raised 3 alarms.").waitFor();
  expect(await editor().getByTestId("would-have").count()).toBe(3);
  await editor().getByLabel("Duration").selectOption("DURATION");
  await editor().getByRole("spinbutton", { name: "For" }).fill("5");
  expect(await sentence().textContent()).toBe(
    "Major “Overheated” when temperature is above 80 for 5 minutes. It is cleared when none of this holds any more.",
  );
  await editor().getByRole("button", { name: "Run test" }).click();
  await editor().getByText("It would have raised 0 alarms.").waitFor();
  await editor().getByLabel("Duration").selectOption("SIMPLE");
});

test("the editor and the gateway report errors of a rule, and a correct rule is saved and raises an alarm", async () => {
  const { page } = ui;
  await editor().getByRole("button", { name: "Add clear rule" }).click();
  const ends = editor().getByTestId("condition-row").nth(1);
  await ends.getByLabel("Comparison").selectOption("BETWEEN");
  await ends.getByLabel("Measured value").fill("temperature");
  await ends.getByLabel("Value", { exact: true }).fill("5");
  await editor().getByRole("button", { name: "Save" }).click();
  await editor()
    .getByText(/clearRule\.condition.*BETWEEN/)
    .waitFor();
  await ends.getByLabel("Value", { exact: true }).fill("0, 40");
  await editor()
    .getByText(/It is cleared when temperature is from 0 to 40\./)
    .waitFor();
  await editor().getByRole("button", { name: "Save" }).click();
  await editor().waitFor({ state: "detached" });
  await page
    .getByTestId("rule")
    .getByText(/^Major “Overheated” when temperature is above 80\./)
    .waitFor();
  await post("/telemetry", { temperature: 95 });
  await ui.open("/alarms");
  await page.getByTestId("alarm").getByText("Overheated").waitFor();
});

test("a rule is edited by keyboard, gets another severity and is deleted after a confirmation", async () => {
  const { page } = ui;
  await ui.open("/settings/profiles");
  await page.getByRole("link", { name: /^Alarm rules of/ }).click();
  await page.getByRole("button", { name: "Edit Overheated" }).focus();
  await page.keyboard.press("Enter");
  await editor().getByLabel("Name of the alarm").waitFor();
  await editor().getByRole("button", { name: "Add severity" }).click();
  await editor().getByTestId("condition-row").nth(1).getByLabel("Measured value").fill("temperature");
  await editor().getByTestId("condition-row").nth(1).getByLabel("Comparison").selectOption("NO_DATA");
  await editor().getByRole("combobox", { name: /^For/ }).selectOption("A fixed time");
  await editor().getByRole("checkbox", { name: "Raise it only at certain times" }).check();
  await editor()
    .getByText(
      /Critical “Overheated” when temperature has not arrived for 10 minutes\..*Only: Mon, Tue, Wed, Thu, Fri/,
    )
    .waitFor();
  await editor().getByRole("button", { name: "Save" }).click();
  await editor().waitFor({ state: "detached" });
  await page
    .getByTestId("rule")
    .getByText(/Critical “Overheated”/)
    .waitFor();
});

for (const [theme, width, language] of [
  ["light", 360, "en"],
  ["dark", 1440, "de"],
] as const)
  test(`rules and editor are accessible and keep within ${width} px, ${theme}, ${language}`, async () => {
    const { page } = ui;
    const appearance = { theme, width, language };
    await appear(page, appearance);
    const checkScreen = (name: string) => expectTidy(page, name, appearance);
    await page.reload();
    await page.getByTestId("rule").waitFor();
    await checkScreen("rules");
    await page.getByTestId("rule").getByRole("button").first().click();
    await editor().waitFor();
    await checkScreen("rule-editor");
  });

test("a rule that somebody changed meanwhile is not overwritten, and a switch is turned on the newest version", async () => {
  const { page } = ui;
  await page.evaluate(() => localStorage.setItem("lineside.language", "en"));
  await page.reload();
  const [profile] = (await ui.call("GET", "/api/device-profiles")) as {
    profileId: string;
    alarmRules: object[];
  }[];
  const path = `/api/device-profiles/${profile?.profileId}`;
  const theirs = profile?.alarmRules.map((rule) => ({ ...rule, propagateToGateway: true }));
  await page.getByRole("button", { name: "Edit Overheated" }).click();
  await ui.call("PATCH", path, { alarmRules: theirs });
  await editor().getByRole("button", { name: "Save" }).click();
  await page.getByText(/^This was changed at/).waitFor();
  expect(await ui.call("GET", path)).toMatchObject({ alarmRules: theirs });

  await ui.open("/alarms/rules");
  // Somebody is faster than the switch, between its reading and its writing.
  await page.route(`**${path}`, async (route) => {
    if (route.request().method() !== "PATCH") return route.fallback();
    await page.unroute(`**${path}`);
    await ui.call("PATCH", path, { description: "changed meanwhile" });
    await route.fallback();
  });
  const rule = page.getByTestId("listed-rule").filter({ hasText: "Overheated" });
  await rule.getByRole("checkbox", { name: "Overheated is on" }).click();
  await rule.getByText(/^Switched off\./).waitFor();
  expect(await ui.call("GET", path)).toMatchObject({
    description: "changed meanwhile",
    alarmRules: [{ propagateToGateway: true, enabled: false }],
  });
  await ui.open(`/settings/profiles/${profile?.profileId}`);
});

test("deleting a rule asks for confirmation and ends its alarm", async () => {
  const { page } = ui;
  await page.evaluate(() => localStorage.setItem("lineside.language", "en"));
  await page.reload();
  await page.getByRole("button", { name: "Delete Overheated" }).click();
  await ui.dialog().getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("No alarm rules yet").waitFor();
  await ui.open("/alarms?state=open");
  await page.getByText("No open alarms").waitFor();
  // What the gateway refused.
  expect(ui.complaints.filter((line) => !/status of 4(00|12)/.test(line))).toEqual([]);
});
