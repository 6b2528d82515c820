import { appear, expectTidy } from "./support/screenshots.ts";
// Alarms as the person on duty meets them: one comes up by itself, is looked into, commented, acknowledged and cleared.

import { beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { useConsole } from "./support/console-page.ts";

const ui = useConsole({ isStill: true });
let token: string;

const rules = [
  {
    alarmType: "Overheated",
    createRules: [
      {
        severity: "CRITICAL",
        condition: {
          all: [{ key: "t", op: "GT", value: 80 }, { not: { key: "mode", op: "EQ", value: "test" } }],
        },
      },
      {
        severity: "MAJOR",
        condition: { key: "t", op: "GT", value: 50 },
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of a message
        message: "${deviceName} is at ${t} °C",
      },
      { severity: "MINOR", condition: { key: "t", op: "GT", value: 45 }, kind: "DURATION", forMs: 60_000 },
    ],
    clearRule: { condition: { key: "t", op: "LT", value: 40 } },
  },
  {
    alarmType: "Humid",
    createRules: [{ severity: "WARNING", condition: { key: "h", op: "GT", value: 90 } }],
  },
];

const send = (values: object, of = token) =>
  fetch(`${ui.app.url}/api/v1/${of}/telemetry`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(values),
  });

beforeAll(async () => {
  const gateway = (await ui.call("POST", "/api/devices", {
    name: "Hall gateway",
    deviceType: "gateway",
    role: "GATEWAY",
  })) as {
    deviceId: string;
  };
  await ui.call("POST", "/api/devices", { name: "Anvil", deviceType: "anvil" });
  const device = (await ui.call("POST", "/api/devices", {
    name: "Kiln 4",
    deviceType: "kiln",
    parentDeviceId: gateway.deviceId,
  })) as { credentials: { token: string } };
  token = device.credentials.token;
  const [profile] = (await ui.call("GET", "/api/device-profiles")) as Array<{ profileId: string }>;
  await ui.call("PATCH", `/api/device-profiles/${profile?.profileId}`, { alarmRules: rules });
});

const rows = () => ui.page.getByTestId("alarm");

test("a new alarm appears among those that nobody has acknowledged, with its device and its age", async () => {
  const { page } = ui;
  await ui.open("/alarms");
  await page.getByText("No unacknowledged alarms").waitFor();
  await send({ t: 60 });
  await rows().getByRole("link", { name: "Overheated" }).waitFor();
  await rows().getByText("Kiln 4 is at 60 °C").waitFor();
  await rows().getByText("Major").waitFor();
  expect(await rows().getByRole("link", { name: "Kiln 4", exact: true }).getAttribute("href")).toMatch(
    /^\/devices\//,
  );
});

test("an alarm shows each part of its rule with the present value", async () => {
  const { page } = ui;
  await rows().getByRole("link", { name: "Overheated" }).click();
  await page.getByRole("heading", { name: "Overheated", level: 1 }).waitFor();
  await page.getByText("Active", { exact: true }).waitFor();
  await page.getByText("Not acknowledged", { exact: true }).waitFor();
  await page.getByRole("heading", { name: "Current state of the rule" }).waitFor();
  const triggers = page.getByTestId("trigger");
  await triggers.nth(1).getByText("t is above 50").waitFor();
  await triggers.nth(1).getByText("now 60").waitFor();
  await triggers.nth(0).getByText("mode is “test”").waitFor();
  await triggers
    .nth(2)
    .getByText(/holds for 1 minute · met at/)
    .waitFor();
  await triggers.nth(3).getByText("Clears when").waitFor();
  await send({ t: 61.5 });
  await triggers.nth(1).getByText("now 61.5").waitFor();
});

test("an alarm is commented, acknowledged and cleared, and its history names the user", async () => {
  const { page } = ui;
  const events = page.getByTestId("alarm-event");
  await page.getByRole("textbox", { name: "Comment" }).fill("Fan looks stuck");
  await page.getByRole("button", { name: "Add comment" }).click();
  await events.getByText("Fan looks stuck").waitFor();
  await page.getByRole("button", { name: "Acknowledge" }).click();
  await page
    .getByText(/Acknowledged by anna@/)
    .first()
    .waitFor();
  await page.getByRole("button", { name: "Clear" }).click();
  await page
    .getByText(/Cleared by anna@/)
    .first()
    .waitFor();
  expect(await events.getByText(/^(Raised|Comment|Acknowledged|Cleared)$/).allTextContents()).toEqual([
    "Raised",
    "Comment",
    "Acknowledged",
    "Cleared",
  ]);
});

test("several alarms are acknowledged at once, and the address keeps the filters", async () => {
  const { page } = ui;
  await send({ t: 90, h: 95 });
  await ui.open("/alarms?state=open");
  await rows().nth(1).waitFor();
  expect(await rows().count()).toBe(2);
  await page.getByRole("checkbox", { name: "Select all shown" }).check();
  await page.getByText("2 selected").waitFor();
  await page.getByRole("button", { name: "Acknowledge", exact: true }).first().click();
  await page.getByText("2 alarms are acknowledged.").waitFor();
  await rows()
    .getByText(/Acknowledged by/)
    .nth(1)
    .waitFor();
  await page.getByLabel("Severity").selectOption("WARNING");
  await page.waitForURL(/severity=WARNING/);
  await rows().nth(1).waitFor({ state: "detached" });
  await rows().getByText("Humid").waitFor();
  expect(await rows().count()).toBe(1);
  await page.reload();
  await rows().getByText("Humid").waitFor();
  await page.getByRole("button", { name: "Cleared" }).click();
  await page.getByText("No alarm matches").waitFor();
  await page.getByLabel("Severity").selectOption("");
  await rows().getByText("Kiln 4 is at 60 °C").waitFor();
});

test("lists, page, navigation and title show the most severe open alarm as the state of the device", async () => {
  const { page } = ui;
  await ui.open("/devices");
  const kiln = ui.page.getByRole("row").filter({ has: page.getByRole("link", { name: "Kiln 4" }) });
  await kiln.getByTitle("Critical, Active").waitFor();
  await ui
    .row(/Hall gateway/)
    .getByText("Critical: Kiln 4", { exact: true })
    .waitFor();
  expect(await page.getByRole("row").getByRole("link").allTextContents()).toEqual([
    "Hall gateway",
    "Kiln 4",
    "Anvil",
  ]);
  await kiln.getByRole("link", { name: "Kiln 4" }).click();
  await page.locator("#content").getByTitle("Critical, Active").first().waitFor();
  await send({ t: 30 });
  await page.locator("#content").getByTitle("Warning, Active").first().waitFor();
  await send({ t: 90 });
  await page.getByRole("link", { name: /^Alarms\s*1 not acknowledged$/ }).waitFor();
  await page.waitForFunction(() => document.title.startsWith("(1) "));
  await ui.open("/alarms?state=open");
  await rows().first().getByText("Critical").waitFor();
  await rows().first().getByRole("button", { name: "Acknowledge" }).click();
  await page.waitForFunction(() => !document.title.startsWith("("));
});

test("an alarm that is raised again says how often, and a cleared one has a sign of its own", async () => {
  const { page } = ui;
  for (const t of [30, 90, 30, 90]) await send({ t });
  await ui.open("/alarms?state=all");
  await rows()
    .first()
    .getByText(/^\d+(st|nd|rd|th) time$/)
    .waitFor();
  await page.getByLabel("State").getByRole("button", { name: "Cleared" }).click();
  await rows().first().locator("svg.lucide-bell-off").first().waitFor();
  await rows().first().locator("svg[data-severity] path.fill-none").waitFor();
});

test("all alarms of a line are acknowledged at once, also those that are not shown", async () => {
  const { page } = ui;
  const COUNT = 104;
  for (let index = 0; index < COUNT; index++) {
    const fields = { name: `Press ${index}`, deviceType: "press", tags: ["line 7"] };
    const press = (await ui.call("POST", "/api/devices", fields)) as { credentials: { token: string } };
    await send({ h: 95 }, press.credentials.token);
  }
  await ui.open("/alarms");
  await page.getByRole("button", { name: "More filters" }).click();
  await page.getByLabel("Tag").selectOption("line 7");
  await page.waitForURL(/tag=line\+7/);
  await page.getByText(`${COUNT} alarms`).waitFor();
  await page.getByRole("checkbox", { name: "Select all shown" }).check();
  await page.getByText("100 selected").waitFor();
  await page.getByRole("button", { name: `Select all ${COUNT} that match` }).click();
  await page.getByText(`${COUNT} selected`).waitFor();
  await page.getByRole("button", { name: "Comment" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Comment" }).fill("The line is being cleaned");
  await dialog.getByRole("button", { name: "Add comment" }).click();
  await page.getByText(`Comment added to ${COUNT} alarms.`).waitFor();
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV and notifications" }).click();
  await page.getByRole("button", { name: "Download CSV" }).click();
  const csv = readFileSync(await (await saving).path(), "utf8")
    .trim()
    .split("\r\n");
  expect(csv).toHaveLength(COUNT + 1);
  expect(csv[1]).toMatch(/^20.*,WARNING,ACTIVE_UNACK,Humid,Press 0,"h is 95, above 90",1,/);
  await page.getByRole("checkbox", { name: "Select all shown" }).check();
  await page.getByRole("button", { name: `Select all ${COUNT} that match` }).click();
  await page.getByText(`${COUNT} selected`).waitFor();
  await page.getByRole("button", { name: "Acknowledge", exact: true }).first().click();
  await page.getByText("No alarm matches").waitFor();
  const alarms = (await ui.call("GET", "/api/alarms?tag=line%207&limit=1000")) as { status: string }[];
  expect(new Set(alarms.map(({ status }) => status))).toEqual(new Set(["ACTIVE_ACK"]));
  expect(alarms).toHaveLength(COUNT);
  const last = alarms.at(-1) as unknown as { alarmId: string };
  const events = (await ui.call("GET", `/api/alarms/${last.alarmId}/events`)) as { message: string }[];
  expect(events.map(({ message }) => message)).toContain("The line is being cleaned");
  const devices = (await ui.call("GET", "/api/devices?tag=line%207&limit=1000")) as { deviceId: string }[];
  for (const { deviceId } of devices)
    await fetch(`${ui.app.url}/api/devices/${deviceId}`, {
      method: "DELETE",
      headers: {
        authorization: `Bearer ${await page.evaluate(() => localStorage.getItem("lineside.token"))}`,
      },
    });
});

test("the rules of all profiles are listed, lead to their alarms, and are switched off and on", async () => {
  const { page } = ui;
  await ui.open("/alarms/rules");
  const rule = page.getByTestId("listed-rule").filter({ hasText: "Humid" });
  await rule.getByText("Warning “Humid” when h is above 90.").waitFor();
  await rule.getByRole("checkbox", { name: "Humid is on" }).click();
  await rule.getByText(/^Switched off\./).waitFor();
  await rule.getByRole("checkbox", { name: "Humid is on" }).click();
  await rule.getByText(/^Switched off\./).waitFor({ state: "detached" });
  await rule.getByRole("link", { name: "Humid" }).click();
  await page.getByRole("heading", { name: "Edit Humid" }).waitFor();
  await ui.open("/alarms/rules?search=over");
  await page.getByText("1 rule", { exact: true }).waitFor();
  await page.getByTestId("listed-rule").getByRole("link", { name: "1", exact: true }).click();
  await rows().getByText("Overheated").waitFor();
  await rows().getByRole("link", { name: "Overheated" }).click();
  await page.getByRole("link", { name: "Edit the rule" }).click();
  await page.getByRole("heading", { name: "Edit Overheated" }).waitFor();
});

test("a rule is created from the list of rules, in the profile that is selected", async () => {
  const { page } = ui;
  await ui.call("POST", "/api/device-profiles", { name: "Pumps" });
  await ui.open("/alarms/rules");
  await page.getByRole("button", { name: "Create alarm rule" }).click();
  await ui.dialog().getByLabel("Device profile").selectOption({ label: "Pumps" });
  await ui.dialog().getByRole("button", { name: "Create alarm rule" }).click();
  await page.getByRole("heading", { name: "Pumps" }).waitFor();
  await page.getByTestId("rule-editor").getByLabel("Name of the alarm").waitFor();
});

test("figures about the alarms name the most frequent ones, and lead to them", async () => {
  const { page } = ui;
  await ui.open("/alarms/statistics");
  const frequent = page.getByRole("region", { name: "Raised most often" });
  await frequent.getByRole("listitem").first().getByText("Kiln 4").waitFor();
  await page
    .getByRole("region", { name: /chattering alarm/ })
    .getByRole("listitem")
    .first()
    .waitFor();
  await page.getByText("No standing alarms").or(page.getByText("0 standing alarms")).waitFor();
  await page.getByLabel("Operators on duty").selectOption("2");
  await page.waitForURL(/operators=2/);
  await frequent.getByRole("link", { name: "Overheated" }).click();
  await rows().first().getByText("Overheated").waitFor();
});

test("a sound and notifications are a choice of the browser, which says what it cannot do", async () => {
  const { page } = ui;
  await ui.open("/alarms");
  await page.getByRole("button", { name: "CSV and notifications" }).click();
  await page.evaluate(() => {
    Object.assign(globalThis, { tones: 0 });
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (when) {
      Object.assign(globalThis, { tones: (globalThis as unknown as { tones: number }).tones + 1 });
      start.call(this, when);
    };
  });
  await page.getByRole("checkbox", { name: /Play a sound/ }).check();
  await page.waitForFunction(() => (globalThis as unknown as { tones: number }).tones === 2);
  await page.waitForTimeout(3_100); // no two sounds within three seconds
  await send({ t: 30, h: 10 });
  await send({ t: 90, h: 95 });
  await page.waitForFunction(() => (globalThis as unknown as { tones: number }).tones === 4);
  await page.reload();
  await page.getByRole("button", { name: "CSV and notifications" }).click();
  expect(await page.getByRole("checkbox", { name: /Play a sound/ }).isChecked()).toBe(true);
  await page.getByRole("checkbox", { name: /Play a sound/ }).uncheck();
});

test("the overview lists open alarms, the most severe first", async () => {
  const { page } = ui;
  await ui.open("/");
  const open = page.getByRole("region", { name: "Open alarms" });
  await open.getByText("2 open alarms").waitFor();
  expect(await open.getByRole("listitem").first().textContent()).toContain("Critical");
  await open.getByRole("link", { name: "Overheated" }).waitFor();
  await send({ h: 10 });
  await open.getByText("1 open alarm").waitFor();
});

for (const [theme, width, language] of [
  ["light", 360, "en"],
  ["dark", 360, "de"],
  ["light", 1440, "de"],
  ["dark", 1440, "en"],
] as const)
  test(`list, alarm and overview are accessible and keep within ${width} px, ${theme}, ${language}`, async () => {
    const { page } = ui;
    const appearance = { theme, width, language };
    await appear(page, appearance);
    const checkScreen = (name: string) => expectTidy(page, name, appearance);
    await ui.open("/alarms?state=all");
    await rows().nth(2).waitFor();
    await checkScreen("alarms");
    await rows().last().getByRole("link").first().click();
    await page.getByTestId("trigger").first().waitFor();
    await checkScreen("alarm");
    await ui.open("/alarms/rules");
    await page.getByTestId("listed-rule").first().waitFor();
    await checkScreen("alarm-rules");
    await ui.open("/alarms/statistics");
    await page.getByRole("img").first().waitFor();
    await checkScreen("alarm-statistics");
    await ui.open("/");
    await page.getByTestId("open-alarm").first().waitFor();
    await checkScreen("overview");
  });

test("the pages caused no console error and no request to another host", () => {
  expect(ui.complaints).toEqual([]);
});
