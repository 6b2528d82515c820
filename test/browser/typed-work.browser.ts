// A form in a dialog or on a page of its own: what was typed is not lost without a question.

import { expect, test } from "bun:test";
import { seriousFindings } from "./support/accessibility.ts";
import { useConsole } from "./support/console-page.ts";

const ui = useConsole({ isStill: true });
const name = () => ui.dialog().getByLabel("Name").first();
const question = () => ui.page.getByRole("alertdialog", { name: "Discard your changes?" });

async function open(): Promise<void> {
  await ui.page.getByRole("button", { name: "Create API key" }).click();
  await name().waitFor();
}

test("Escape closes a form that nobody has changed", async () => {
  await ui.open("/settings/api-keys");
  await open();
  await ui.page.keyboard.press("Escape");
  await name().waitFor({ state: "detached" });
});

test("Escape asks before typed work is lost, and a second Escape goes back to it", async () => {
  const { page } = ui;
  await open();
  await name().fill("Meters");
  await page.keyboard.press("Escape");
  await question().waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await question().waitFor({ state: "detached" });
  expect(await name().inputValue()).toBe("Meters");
  await page.keyboard.press("Escape");
  await question().getByRole("button", { name: "Keep editing" }).click();
  expect(await name().inputValue()).toBe("Meters");
  await page.keyboard.press("Escape");
  await question().getByRole("button", { name: "Discard changes" }).click();
  await name().waitFor({ state: "detached" });
});

test("a click beside a dialog asks too", async () => {
  const { page } = ui;
  const { id } = (await ui.call("POST", "/api/dashboards", { name: "Hall" })) as { id: string };
  await ui.open(`/dashboards/${id}`);
  await page.getByRole("button", { name: "Share" }).click();
  await name().fill("Lobby");
  await page.mouse.click(5, 5);
  await question().waitFor();
  await question().getByRole("button", { name: "Discard changes" }).click();
  await name().waitFor({ state: "detached" });
});

test("a page with a form that nobody has changed is left without a question", async () => {
  const { page } = ui;
  await ui.open("/scheduler/new");
  await page.getByRole("link", { name: "Cancel" }).click();
  await page.waitForURL(/\/scheduler$/);
});

test("a page with typed work asks before a link, Ctrl-K or the browser leaves it", async () => {
  const { page } = ui;
  const job = () => page.getByRole("textbox", { name: "Name" }).first();
  await page.getByRole("link", { name: "Create job" }).first().click();
  await job().fill("Night setback");
  const leaving = [
    () => page.getByRole("link", { name: "Cancel" }).click(),
    () => page.getByRole("link", { name: "Dashboards" }).first().click(),
    () => page.goBack({ waitUntil: "commit" }),
    async () => {
      await page.keyboard.press("Control+k");
      await ui.dialog().getByRole("combobox").fill("Dashboards");
      await ui
        .dialog()
        .getByRole("option", { name: /^Dashboards/ })
        .first()
        .click();
    },
  ];
  for (const leave of leaving) {
    await leave();
    await question().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await question().getByRole("button", { name: "Keep editing" }).click();
    await question().waitFor({ state: "detached" });
    expect(await job().inputValue()).toBe("Night setback");
    expect(page.url()).toEndWith("/scheduler/new");
  }
  await page.getByRole("link", { name: "Dashboards" }).first().click();
  await question().getByRole("button", { name: "Discard changes" }).click();
  await page.waitForURL(/\/dashboards$/);
});

for (const [path, field] of [
  ["/uplinks/new", "Name"],
  ["/integrations/codecs/new", "Name"],
  ["/modbus/:connection/new", "Name"],
  ["/settings/profiles/:profile", "Name of the alarm"],
] as const)
  test(`${path} asks before typed work is lost`, async () => {
    const { page } = ui;
    const [profile] = (await ui.call("GET", "/api/device-profiles")) as { profileId: string }[];
    const ids: Record<string, string | undefined> = { profile: profile?.profileId };
    if (path.includes(":connection")) {
      const fields = { name: "Meters", host: "127.0.0.1", enabled: false };
      const created = await ui.call("POST", "/api/modbus/connections", fields);
      ids.connection = (created as { connectionId: string }).connectionId;
    }
    await ui.open(path.replace(/:(\w+)/, (_, id: string) => ids[id] ?? ""));
    if (path.includes("profile")) await page.getByRole("button", { name: "Create alarm rule" }).click();
    const input = page.getByRole("textbox", { name: field, exact: true });
    await input.fill("Boiler");
    await page.getByRole("link", { name: "Dashboards" }).first().click();
    await question().getByRole("button", { name: "Keep editing" }).click();
    expect(await input.inputValue()).toBe("Boiler");
    await page.getByRole("link", { name: "Dashboards" }).first().click();
    await question().getByRole("button", { name: "Discard changes" }).click();
    await page.waitForURL(/\/dashboards$/);
  });

for (const path of [
  "/settings/profile",
  "/settings/security",
  "/settings/site",
  "/settings/branding",
  "/settings/notifications",
  "/settings/notifications/mail-server",
  "/settings/system/proxy",
  "/devices/:device/settings",
])
  test(`${path} asks before typed work is lost, and not once it is discarded`, async () => {
    const { page } = ui;
    const created = path.includes(":device")
      ? await ui.call("POST", "/api/devices", { name: "Boiler", deviceType: "sensor" })
      : {};
    await ui.open(path.replace(":device", (created as { deviceId?: string }).deviceId ?? ""));
    const input = page
      .locator(
        "main form input:is([type=text], [type=email], [type=password], [type=number], :not([type])):enabled",
      )
      .first();
    await input.fill("7");
    await page.getByRole("link", { name: "Dashboards" }).first().click();
    await question().getByRole("button", { name: "Keep editing" }).click();
    expect(await input.inputValue()).toBe("7");
    await page.getByRole("link", { name: "Dashboards" }).first().click();
    await question().getByRole("button", { name: "Discard changes" }).click();
    await page.waitForURL(/\/dashboards$/);
    expect(await question().count()).toBe(0);
  });

test("two forms of one page with typed work ask one after the other", async () => {
  const { page } = ui;
  await ui.open("/settings/security");
  await page.getByLabel("Current password").first().fill("one");
  await page.getByLabel("New email address").fill("two@example.com");
  await page.getByRole("link", { name: "Dashboards" }).first().click();
  await question().getByRole("button", { name: "Discard changes" }).click();
  await question().getByRole("button", { name: "Keep editing" }).click();
  expect(await page.getByLabel("New email address").inputValue()).toBe("two@example.com");
  expect(page.url()).toEndWith("/settings/security");
});

test("a settings page that was saved is left without a question", async () => {
  const { page } = ui;
  await ui.open("/settings/site");
  await page.locator("main form input").first().fill("Hall 7");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved", { exact: false }).first().waitFor();
  await page.getByRole("link", { name: "Dashboards" }).first().click();
  await page.waitForURL(/\/dashboards$/);
  expect(await question().count()).toBe(0);
});

test("the browser's way back leaves a page once its typed work is discarded", async () => {
  const { page } = ui;
  await ui.open("/generators");
  await page.getByRole("link", { name: "Create generator" }).first().click();
  await page.getByRole("textbox", { name: "Name" }).fill("Boiler");
  await page.goBack({ waitUntil: "commit" });
  await question().getByRole("button", { name: "Discard changes" }).click();
  await page.waitForURL(/\/generators$/);
});

test("a form that was saved is left without a question", async () => {
  const { page } = ui;
  await ui.open("/generators/new");
  await page.getByRole("textbox", { name: "Name" }).fill("Boiler");
  await page.getByRole("button", { name: "Create generator" }).click();
  await page.getByTestId("generator").getByText("Boiler", { exact: true }).first().waitFor();
  await page.waitForURL(/\/generators$/);
  expect(await question().count()).toBe(0);
});
