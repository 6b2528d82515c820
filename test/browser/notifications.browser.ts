// Notifications and maintenance from the console: settings, a test to oneself with its result, a device that is worked on.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../support/until.ts";
import { createWebhookReceiver, type WebhookReceiver } from "../support/webhook-receiver.ts";
import { overflow, seriousFindings } from "./support/accessibility.ts";
import { useConsole } from "./support/console-page.ts";

const ui = useConsole({ settings: ["--outbound-allow", "127.0.0.1"], isStill: true });
let phone: WebhookReceiver;
let device: { deviceId: string };

beforeAll(async () => {
  phone = createWebhookReceiver();
  const fields = { name: "Kiln", deviceType: "kiln" };
  device = (await ui.call("POST", "/api/devices", fields)) as { deviceId: string };
});

afterAll(async () => {
  await phone?.stop();
});

const form = () => ui.page.getByRole("main").locator("form");
const panel = (name: string) => ui.page.getByRole("region", { name });

test("escalation, language and the messaging gateway are saved, and secrets are shown as dots", async () => {
  const { page } = ui;
  await ui.open("/settings/notifications");
  await page.getByText("No mail server is configured, so nobody is notified by email.").waitFor();
  await panel("Escalation").getByLabel("Minutes from level 1 to level 2").fill("5");
  await panel("Escalation").getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved").first().waitFor();
  await panel("Language, time zone and digests").getByLabel("Time zone").fill("Mars/Olympus");
  await panel("Language, time zone and digests").getByRole("button", { name: "Save" }).click();
  await panel("Language, time zone and digests").getByRole("alert").waitFor();
  await panel("Language, time zone and digests").getByLabel("Time zone").fill("Europe/Berlin");
  await panel("Language, time zone and digests").getByRole("button", { name: "Save" }).click();
  await panel("Language, time zone and digests").getByRole("alert").waitFor({ state: "detached" });
  await panel("Text messages").getByLabel("Enable text messages").check();
  await panel("Text messages").getByLabel("Address").fill(`${phone.url}/sms`);
  await panel("Text messages").getByLabel("Headers").fill("no header");
  await panel("Text messages").getByRole("button", { name: "Save" }).click();
  await page.getByText("Enter a name, a colon and a value on each line.").waitFor();
  await panel("Text messages").getByLabel("Headers").fill("Authorization: Bearer top secret");
  await panel("Text messages").getByRole("button", { name: "Save" }).click();
  await until(
    async () => (await panel("Text messages").getByLabel("Headers").inputValue()).includes("•"),
    "the stored header as dots",
  );
  const saved = await ui.call("GET", "/api/notifications/settings");
  expect(saved).toMatchObject({
    timezone: "Europe/Berlin",
    messaging: { headers: { Authorization: null }, method: "POST" },
  });
  expect(await ui.call("GET", "/api/alarms/escalation-settings")).toMatchObject({
    level1To2Minutes: 5,
  });
});

test("a messenger is added, tested with the answer of the service in words, edited and deleted", async () => {
  const { page } = ui;
  await panel("Messengers").getByRole("link", { name: "Add messenger" }).click();
  await form().getByLabel("Service").selectOption("Gotify");
  await form().getByLabel("Name", { exact: true }).fill("Shift phone");
  await form().getByLabel("Application token").fill("Atop-secret");
  await form().getByLabel("Server").fill(phone.url);
  await form().getByLabel("Indeterminate").uncheck();
  expect(await seriousFindings(page)).toEqual([]);
  await form().getByRole("button", { name: "Save" }).click();
  const row = panel("Messengers").getByRole("listitem").filter({ hasText: "Shift phone" });
  await row.getByText("Gotify · 0 messages sent").waitFor();
  phone.answer = () => new Response(null, { status: 401 });
  await row.getByRole("button", { name: "Send test message" }).click();
  await row.getByText("Not sent: Gotify does not accept the token.").waitFor();
  phone.answer = () => new Response("ok");
  await row.getByRole("button", { name: "Send test message" }).click();
  await row.getByText("The service accepted the test message.").waitFor();
  await row.getByRole("link", { name: /Edit/ }).click();
  await form().getByText("Leave the field empty to keep it.").waitFor();
  await form().getByLabel("Name", { exact: true }).fill("Night shift");
  await form().getByRole("button", { name: "Save" }).click();
  await panel("Messengers").getByText("Night shift").waitFor();
  expect(await ui.call("GET", "/api/notifications/messengers")).toMatchObject([
    { name: "Night shift", kind: "GOTIFY", hasSecret: true, server: phone.url },
  ]);
  await panel("Messengers").getByRole("button", { name: "Delete: Night shift" }).click();
  await ui.dialog().getByRole("button", { name: "Delete" }).click();
  await panel("Messengers").getByRole("listitem").waitFor({ state: "detached" });
  phone.received.length = 0;
});

test("a test message shows what is missing, and then the answer of the messaging gateway", async () => {
  const { page } = ui;
  await panel("Test").getByRole("button", { name: "Send test message" }).click();
  await page.getByText("Not sent: You have no phone number.").waitFor();
  await ui.open("/settings/profile");
  await page.getByLabel("Phone").fill("+49 170 1");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved").first().waitFor();
  await panel("Test").getByRole("button", { name: "Send test message" }).click();
  await page.getByText("The messaging gateway answered 200.").waitFor();
  expect(phone.received[0]?.body.to).toBe("+49 170 1");
  await panel("Test").getByRole("button", { name: "Send test email" }).click();
  await page.getByText("Not sent: no mail server is configured.").waitFor();
});

test("maintenance of a device is started with a reason, shown on all its screens and ended", async () => {
  const { page } = ui;
  await ui.open(`/devices/${device.deviceId}`);
  await page.getByRole("button", { name: "Maintenance" }).click();
  const dialog = ui.dialog();
  await dialog.getByLabel("Duration").selectOption("4 hours");
  await dialog.getByLabel("Reason").fill("new belt");
  await dialog.getByRole("button", { name: "Start maintenance" }).click();
  const banner = page.getByTestId("maintenance");
  await banner.getByText(/In maintenance until .*: no alarms are raised\./).waitFor();
  await banner.getByText(/new belt/).waitFor();
  await page.getByRole("link", { name: "Data", exact: true }).click();
  await banner.waitFor();
  await banner.getByRole("button", { name: "Edit maintenance" }).click();
  await dialog.getByLabel("End").fill("2020-01-01T00:00");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("Enter a time in the future.").waitFor();
  await ui.discardForm();
  await banner.getByRole("button", { name: "End maintenance" }).click();
  await banner.waitFor({ state: "detached" });
  const path = `/api/devices/${device.deviceId}/maintenance`;
  expect(await ui.call("GET", path)).toEqual({ active: false });
  // Somebody else begins maintenance: the screen shows it.
  const until = new Date(Date.now() + 3_600_000).toISOString();
  await ui.call("POST", path, { until, reason: "from elsewhere" });
  await banner.getByText(/from elsewhere/).waitFor();
});

test("both screens fit a phone and a desktop, light and dark, and are accessible", async () => {
  const { page } = ui;
  for (const path of ["/settings/notifications", `/devices/${device.deviceId}`])
    for (const width of [360, 1440])
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        await page.setViewportSize({ width, height: 900 });
        await ui.open(`${path}`);
        await page.locator("[data-testid=maintenance], #escalation").first().waitFor();
        if (process.env.SHOTS)
          await page.screenshot({
            path: `${process.env.SHOTS}/${path.split("/")[1]}-${width}-${colorScheme}.png`,
            fullPage: true,
          });
        expect(Math.max(...(await overflow(page)))).toBeLessThanOrEqual(0);
        expect(await seriousFindings(page)).toEqual([]);
      }
  const expected = /status of 400/; // what was refused on purpose
  expect(ui.complaints.filter((line) => !expected.test(line))).toEqual([]);
});
