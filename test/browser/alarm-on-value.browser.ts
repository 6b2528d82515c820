// An alarm with a mail, created from a value that somebody looks at: from a tile, a chart, Explore and a dashboard.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { type MailServer, startMailServer } from "../support/mail-server.ts";
import { seriousFindings } from "./support/accessibility.ts";
import { useConsole } from "./support/console-page.ts";
import { OWNER } from "./support/first-visit.ts";
import { appear, expectTidy } from "./support/screenshots.ts";

const CLICKS_MAX = 5;
let mails: MailServer;
const ui = useConsole({
  settings: async () => {
    mails = await startMailServer();
    return ["--smtp-url", mails.url, "--smtp-from", "gateway@plant.example", "--outbound-allow", "127.0.0.1"];
  },
  isStill: true,
});
let kiln: { deviceId: string; profileId: string; credentials: { token: string } };
let clicks = 0;

const send = (values: Record<string, unknown>, ts = Date.now()) =>
  fetch(`${ui.app.url}/api/v1/${kiln.credentials.token}/telemetry`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ts, values }),
  });

beforeAll(async () => {
  kiln = (await ui.call("POST", "/api/devices", { name: "Kiln 1", deviceType: "kiln" })) as typeof kiln;
  const { profileId } = (await ui.call("GET", `/api/devices/${kiln.deviceId}`)) as { profileId: string };
  kiln = { ...kiln, profileId };
  await ui.call("PATCH", `/api/device-profiles/${profileId}`, {
    keyMetadata: [
      { key: "temperature", name: "Temperature", unit: "Cel", limits: { high: 80, highHigh: 95 } },
    ],
  });
  const begin = Date.now() - 3_600_000;
  for (let minute = 0; minute < 60; minute += 10)
    await send({ temperature: 20 + (minute / 10) * 2, pressure: 3 + minute / 100 }, begin + minute * 60_000);
});
afterAll(() => mails?.stop());
beforeEach(() => {
  clicks = 0;
});

async function click(role: "link" | "button", name: string | RegExp): Promise<void> {
  clicks++;
  await ui.page.getByRole(role, { name }).filter({ visible: true }).first().click();
}

const editor = () => ui.page.getByTestId("rule-editor");
const sentence = () => editor().getByTestId("sentence").textContent();
const removeRules = () => ui.call("PATCH", `/api/device-profiles/${kiln.profileId}`, { alarmRules: [] });

test("an alarm on a value of a tile, with a mail, takes at most five clicks", async () => {
  await ui.open("/");
  await click("link", "Devices");
  await click("link", "Kiln 1");
  await click("link", "Create alarm rule for Temperature");
  await editor().getByText("The rule watches 1 device.").waitFor();
  await editor().getByRole("heading", { name: "Create alarm rule" }).waitFor();
  expect(await sentence()).toBe(
    "Critical “Temperature” when Temperature is at least 95\u202f°C. Warning “Temperature” when Temperature is at least 80\u202f°C. It is cleared when none of this holds any more. It watches only 1 selected device.",
  );
  expect(await editor().getByLabel("All users and messengers, according to their settings").isChecked()).toBe(
    true,
  );
  expect(await editor().getByText("No mail server").count()).toBe(0);
  await click("button", "Save");
  await ui.page.getByTestId("rule").waitFor();
  expect(clicks).toBeLessThanOrEqual(CLICKS_MAX);
  await send({ temperature: 97 });
  const mail = await mails.next();
  expect(mail.recipients).toEqual([OWNER.email]);
  expect(mail.parsed.text).toContain("Temperature is 97 °C, at least 95 °C");
  await removeRules();
});

test("a rule watches the devices of the profile that its scope names", async () => {
  const { page } = ui;
  await ui.call("POST", "/api/devices", { name: "Kiln 2", deviceType: "kiln", tags: ["hall 1"] });
  await ui.open(`/settings/profiles/${kiln.profileId}?rule=temperature&device=${kiln.deviceId}`);
  const scope = editor().getByTestId("rule-scope");
  await scope.getByText("The rule watches 1 device.").waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await scope.getByLabel("All devices of the profile “default”").check();
  await scope.getByText(/The rule watches [2-9] devices\./).waitFor();
  await scope.getByLabel(/Only some of them/).check();
  await scope.getByText("Select at least one device, type or tag.").waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await scope.getByLabel("Tags, separated by commas").fill("hall 1");
  await scope.getByText("The rule watches 1 device.").waitFor();
  await editor().getByLabel("Switched on").uncheck();
  await page.getByRole("button", { name: "Save" }).click();
  const rule = page.getByTestId("rule");
  await rule.getByText(/^Switched off\. .* It watches only devices with the tag hall 1\.$/).waitFor();
  const { alarmRules } = (await ui.call("GET", `/api/device-profiles/${kiln.profileId}`)) as {
    alarmRules: unknown[];
  };
  expect(alarmRules).toMatchObject([{ enabled: false, appliesTo: { tags: ["hall 1"] } }]);
  await removeRules();
});

test("a rule on a value names a messenger, which then gets the alarms of that rule alone", async () => {
  const messenger = { name: "Night shift", kind: "NTFY", server: "http://127.0.0.1:9", topic: "night" };
  const created = (await ui.call("POST", "/api/notifications/messengers", {
    ...messenger,
    ruleScope: "NAMED",
  })) as { messengerId: string };
  await ui.open(`/devices/${kiln.deviceId}`);
  await click("link", "Create alarm rule for Temperature");
  await editor().getByLabel("Selected users and messengers only").check();
  await editor().getByLabel("Night shift (ntfy)").check();
  await editor().getByLabel(OWNER.email).uncheck();
  await click("button", "Save");
  await ui.page.getByTestId("rule").waitFor();
  const saved = await ui.call("GET", `/api/device-profiles/${kiln.profileId}`);
  expect(saved).toMatchObject({ alarmRules: [{ recipientIds: [created.messengerId] }] });
  await ui.call("DELETE", `/api/notifications/messengers/${created.messengerId}`);
  await ui.page.reload();
  await click("button", "Edit Temperature");
  await editor().getByLabel("Deleted recipient").click();
  expect(await editor().getByLabel("Nobody").isChecked()).toBe(false);
  await editor().getByText("Select at least one recipient.").waitFor();
  await click("button", "Save");
  expect(await ui.page.getByTestId("rule").count()).toBe(0);
  await editor().getByLabel(OWNER.email).check();
  await click("button", "Save");
  await ui.page.getByTestId("rule").waitFor();
  await click("button", "Edit Temperature");
  expect(await editor().getByLabel(OWNER.email).isChecked()).toBe(true);
  await editor().getByLabel("Nobody").check();
  await click("button", "Save");
  await ui.page.getByTestId("rule").waitFor();
  expect(await ui.call("GET", `/api/device-profiles/${kiln.profileId}`)).toMatchObject({
    alarmRules: [{ recipientIds: [] }],
  });
  await removeRules();
});

test("a chart of the device leads to a rule above the range of the value", async () => {
  await ui.open(`/devices/${kiln.deviceId}/data?keys=pressure&window=6h`);
  await click("link", "Create alarm rule for pressure");
  await editor().waitFor();
  expect(await sentence()).toStartWith("Major “pressure” when pressure is above 3.55.");
  await editor().getByRole("button", { name: "Cancel" }).click();
  await ui.page.getByText("No alarm rules yet").waitFor();
});

test("a widget of a dashboard leads to an alarm on one of its values, and to the same values in Explore", async () => {
  const { page } = ui;
  const { id } = (await ui.call("POST", "/api/dashboards", {
    name: "Hall",
    aliases: [{ id: "all", name: "all", type: "deviceList", deviceIds: [kiln.deviceId] }],
    layout: [
      { i: "chart", x: 0, y: 0, w: 6, h: 4 },
      { i: "one", x: 6, y: 0, w: 3, h: 2 },
    ],
    widgets: [
      {
        widgetId: "chart",
        type: "timeseries",
        name: "Both",
        config: { aliasId: "all", keys: ["temperature", "pressure"], aggregation: "max" },
      },
      { widgetId: "one", type: "gauge", name: "Heat", config: { aliasId: "all", key: "temperature" } },
    ],
    timeWindow: { mode: "live", durationMs: 21_600_000 },
  })) as { id: string };
  await ui.open(`/dashboards/${id}`);
  await click("button", "Create alarm rule for a value of Both");
  await click("link", "Kiln 1 · pressure");
  await editor().waitFor();
  expect(clicks).toBe(2);
  await ui.open(`/dashboards/${id}`);
  await click("link", "Create alarm rule for Temperature");
  await editor().waitFor();
  await ui.open(`/dashboards/${id}`);
  await click("link", "Open Both in Explore");
  await page.getByRole("list", { name: "Values shown" }).getByText("Kiln 1 · pressure").waitFor();
  await page.getByRole("list", { name: "Values shown" }).getByText("Kiln 1 · Temperature").waitFor();
  expect(page.url()).toContain("live.21600000");
  expect(page.url()).toContain("aggregation=max");
  await click("link", "Create alarm rule for Temperature");
  await editor().waitFor();
  // A wall shows no controls.
  await ui.open(`/dashboards/${id}?wall=1`);
  await page.getByTestId("widget").first().getByTestId("chart").waitFor();
  expect(await page.getByRole("link", { name: "Open Both in Explore" }).count()).toBe(0);
});

for (const appearance of [
  { language: "en", theme: "light", width: 1440 },
  { language: "de", theme: "dark", width: 360 },
] as const)
  test(`the form on a value is accessible and keeps within ${appearance.width} px, ${appearance.theme}, ${appearance.language}`, async () => {
    const { page } = ui;
    await appear(page, appearance);
    await ui.open(`/settings/profiles/${kiln.profileId}?rule=temperature&device=${kiln.deviceId}`);
    await editor().waitFor();
    await expectTidy(page, "alarm-on-value", appearance);
    await ui.open(`/devices/${kiln.deviceId}`);
    await page.locator('a[href*="data?keys=temperature"]').waitFor();
    await expectTidy(page, "tiles-with-alarm", appearance);
  });

test("those who may not create rules see no way to do so", async () => {
  await ui.page.route("**/api/auth/me", async (route) => {
    const response = await route.fetch();
    const me = (await response.json()) as { permissions: string[] };
    await route.fulfill({
      json: { ...me, permissions: me.permissions.filter((name) => name !== "profiles:write") },
    });
  });
  await ui.open(`/devices/${kiln.deviceId}`);
  await ui.page.locator('a[href*="data?keys=temperature"]').waitFor();
  expect(await ui.page.locator('a[href*="?rule="]').count()).toBe(0);
});
