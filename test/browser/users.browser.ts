// People and programs: what somebody sets of themselves, and what an administrator does with users and API keys.

import { expect, test } from "bun:test";
import { until } from "../support/until.ts";
import { useConsole } from "./support/console-page.ts";
import { OWNER } from "./support/first-visit.ts";

const ui = useConsole();

test("the profile saves name and notifications and refuses a phone number of letters", async () => {
  const { page } = ui;
  await ui.open();
  await page.getByRole("button", { name: "Account and appearance" }).last().click();
  await page.getByRole("link", { name: "My profile" }).click();
  await page.getByLabel("Name").fill("Anna M. Berger");
  await page.getByLabel("is cleared").check();
  await page.getByLabel("Warning").uncheck();
  await page.getByLabel("From level").selectOption("2");
  const phone = page.getByLabel("Phone number");
  await phone.fill("call me");
  await page.getByRole("button", { name: "Save" }).click();
  expect(await phone.evaluate((input: HTMLInputElement) => input.validity.patternMismatch)).toBe(true);
  await phone.fill("+49 170 1234567");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").first().waitFor();
  await page.reload();
  await page.getByLabel("is cleared").waitFor();
  expect(await page.getByLabel("Name").inputValue()).toBe("Anna M. Berger");
  expect(await page.getByLabel("is cleared").isChecked()).toBe(true);
  expect(await page.getByLabel("Warning").isChecked()).toBe(false);
  expect(await page.getByLabel("From level").inputValue()).toBe("2");
  expect(await phone.inputValue()).toBe("+49 170 1234567");
});

/** What the browser itself says of a refusal that a test asked for. */
function takeRefusal(status: number): void {
  expect(ui.complaints.splice(0)).toEqual([expect.stringContaining(`status of ${status}`)]);
}

const openUsers = async () => {
  await ui.page.goto(`${ui.app.url}/settings/users`);
  await ui.page.getByRole("link", { name: /Anna/ }).first().waitFor();
};
const save = async () => {
  await ui.page.getByRole("button", { name: "Save" }).click();
  await ui.page.getByText("Saved.").first().waitFor();
  await ui.page.reload();
};

test("an invitation by hand shows link, password and text to pass on, only once", async () => {
  const { page } = ui;
  await openUsers();
  await page.getByRole("button", { name: "Invite user" }).click();
  await ui.dialog().getByLabel("Name", { exact: true }).fill("Nina New");
  await ui.dialog().getByRole("textbox", { name: "Email" }).fill(OWNER.email);
  await ui.dialog().getByLabel("Hand over myself").check();
  await ui.dialog().getByRole("button", { name: "Invite", exact: true }).click();
  await ui
    .dialog()
    .getByRole("alert")
    .getByText(/A user with this e-?mail address already exists/)
    .waitFor();
  takeRefusal(409);
  await ui.dialog().getByRole("textbox", { name: "Email" }).fill("nina@plant-north.example");
  await ui.dialog().getByRole("button", { name: "Invite", exact: true }).click();
  const invitation = page.getByTestId("invitation");
  await invitation.waitFor();
  const [share, ...details] = (await invitation.getByTestId("copyable").allTextContents()).toReversed();
  expect(details.toReversed()).toEqual([
    `${ui.app.url}/sign-in?login_hint=nina%40plant-north.example`,
    "nina@plant-north.example",
    expect.stringMatching(/^([a-z2-9]{4}-){3}[a-z2-9]{4}$/),
  ]);
  for (const part of details) expect(share).toContain(part);
  await page.mouse.click(5, 5); // beside the dialog
  await ui.dialog().getByRole("button", { name: "Done" }).click();
  const row = ui.row(/Nina New/);
  await row.getByText("All devices").waitFor();
});

test("an invitation by mail without a mail server says that it waits in the outbox", async () => {
  const { page } = ui;
  await openUsers();
  await page.getByRole("button", { name: "Invite user" }).click();
  expect(await ui.dialog().getByLabel("Hand over myself").isChecked()).toBe(true); // as it went the last time
  await ui.dialog().getByLabel("Name", { exact: true }).fill("Otto Outbox");
  await ui.dialog().getByRole("textbox", { name: "Email" }).fill("otto@plant-north.example");
  await ui.dialog().getByLabel("Role").selectOption("TENANT_ADMIN");
  await ui.dialog().getByLabel("Send by email").check();
  await ui.dialog().getByRole("button", { name: "Invite", exact: true }).click();
  await page.getByTestId("invitation").getByText("waits in the outbox").waitFor();
  await ui.dialog().getByRole("button", { name: "Done" }).click();
  await ui.row(/Otto Outbox.*Administrator/).waitFor();
});

test("access is restricted to selected devices and assets, and the counts follow", async () => {
  const { page } = ui;
  for (const fields of [{ name: "Press 1" }, { name: "Press 2", assetId: "hall 7" }, { name: "Oven" }])
    await ui.call("POST", "/api/devices", { deviceType: "machine", ...fields });
  await openUsers();
  await page.getByRole("link", { name: /Nina New/ }).click();
  await page.getByLabel("Only selected devices").check();
  await page.getByLabel("Search devices to select").fill("press");
  await page.getByLabel("Oven").waitFor({ state: "detached" });
  await page.getByLabel("Press 1").check();
  await page.getByLabel("Name of an asset").fill("hall 7");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Remove hall 7" }).waitFor();
  await save();
  await page.getByText("Saved access: 2 devices, 1 asset.").waitFor();
  await page.getByRole("button", { name: "Remove Press 1" }).click();
  await save();
  await page.getByText("Saved access: 1 device, 1 asset.").waitFor();
});

test("role and status are changed, and the list finds disabled users", async () => {
  const { page } = ui;
  await openUsers();
  await page.getByRole("link", { name: /Nina New/ }).click();
  await page.getByLabel("Role").selectOption("TENANT_READ_ONLY");
  await page.getByText("Saving signs this user out everywhere.").waitFor();
  await page.getByLabel("Status").selectOption("DISABLED");
  await page.getByLabel("Can acknowledge and clear alarms").check();
  await save();
  await page.getByLabel("Can acknowledge and clear alarms").waitFor();
  expect(await page.getByLabel("Role").inputValue()).toBe("TENANT_READ_ONLY");
  expect(await page.getByLabel("Can acknowledge and clear alarms").isChecked()).toBe(true);
  expect(await page.getByRole("button", { name: "Hand over myself" }).isDisabled()).toBe(true);
  await ui.open("/settings/users?status=DISABLED");
  await ui.row(/Nina New/).waitFor();
  await page.getByText("1 user", { exact: true }).waitFor();
  await page.getByLabel("Search by name or email").fill("nobody of this name");
  await page.getByRole("button", { name: "Show all users" }).click();
  await page.getByText("3 users").waitFor();
  expect(new URL(page.url()).search).toBe("");
});

test("saving does not undo the changes of another user", async () => {
  const { page } = ui;
  await openUsers();
  await page.getByRole("link", { name: /Otto Outbox/ }).click();
  await page.getByLabel("is cleared").waitFor();
  const path = `/api${new URL(page.url()).pathname.replace("/settings", "")}`;
  await ui.call("PATCH", path, { role: "TENANT_RW", notificationPhone: "+49 30 123456" });
  await page.getByLabel("is cleared").check();
  await save();
  await page.getByLabel("is cleared").waitFor();
  expect(await page.getByLabel("is cleared").isChecked()).toBe(true);
  expect(await page.getByLabel("Role").inputValue()).toBe("TENANT_RW");
  expect(await page.getByLabel("Phone number").inputValue()).toBe("+49 30 123456");
});

test("a second save on the same page does not undo them either, nor does one of the own profile", async () => {
  const { page } = ui;
  const { userId } = (await ui.call("GET", "/api/auth/me")) as { userId: string };
  const { pathname } = new URL(page.url());
  const own = `/settings/users/${userId}`;
  const phone = () => page.getByLabel("Phone number");
  for (const [screen, subject, field] of [
    [pathname, pathname, "is raised"],
    ["/settings/profile", own, "is raised"],
  ] as const) {
    const path = `/api${subject.replace("/settings", "")}`;
    await ui.open(screen);
    const before = await page.getByLabel(field).isChecked();
    await ui.call("PATCH", path, { notificationPhone: "+49 30 777" });
    for (const isChecked of [!before, before]) {
      await page.getByLabel(field).setChecked(isChecked);
      const answer = page.waitForResponse((response) => response.request().method() === "PATCH");
      await page.getByRole("button", { name: "Save" }).first().click();
      expect((await answer).status()).toBe(200);
      await until(async () => (await phone().inputValue()) === "+49 30 777");
    }
    expect(await ui.call("GET", path)).toMatchObject({ notificationPhone: "+49 30 777" });
  }
});

test("a new password is created after a confirmation and then shown", async () => {
  const { page } = ui;
  await openUsers();
  await page.getByRole("link", { name: /Otto Outbox/ }).click();
  await page.getByRole("button", { name: "Hand over myself" }).click();
  await ui.dialog().getByText("The current password stops working").waitFor();
  await ui.dialog().getByRole("button", { name: "Invite" }).click();
  await page.getByTestId("invitation").getByText("Nothing was sent.").waitFor();
  await ui.dialog().getByRole("button", { name: "Done" }).click();
});

test("the last owner keeps role and access and finds a link to the own profile", async () => {
  const { page } = ui;
  await openUsers();
  await page.getByRole("link", { name: /Anna/ }).first().click();
  await page.getByText("This is you.").waitFor();
  expect(await page.getByLabel("Role").isDisabled()).toBe(true);
  expect(await page.getByRole("button", { name: "Delete user" }).count()).toBe(0);
  await page.getByRole("main").getByRole("link", { name: "My profile" }).last().click();
  await page.waitForURL(/\/settings\/profile$/);
});

test("a user is deleted after a confirmation", async () => {
  const { page } = ui;
  await openUsers();
  await page.getByRole("link", { name: /Nina New/ }).click();
  await page.getByRole("button", { name: "Delete user" }).click();
  await ui.dialog().getByRole("button", { name: "Delete" }).click();
  await page.waitForURL(/\/settings\/users$/);
  await page.getByText("Nina New is deleted.").waitFor();
  await page.getByText("2 users").waitFor();
});

const withKey = async (key: string): Promise<{ status: number; names: string[] }> => {
  const answer = await fetch(`${ui.app.url}/api/devices?sort=name`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const rows = answer.ok ? ((await answer.json()) as { name: string }[]) : [];
  return { status: answer.status, names: rows.map(({ name }) => name) };
};

test("an API key is shown once, works for the selected devices, and stops when it is revoked", async () => {
  const { page } = ui;
  await ui.open("/settings/api-keys");
  await page.getByText("No API keys yet").waitFor();
  await page.getByRole("button", { name: "Create API key" }).click();
  await ui.dialog().getByLabel("Name", { exact: false }).first().fill("ERP export");
  await ui.dialog().getByLabel("Expires").selectOption("date");
  await ui.dialog().getByLabel("On", { exact: true }).fill("2026-01-01");
  await ui.dialog().getByLabel("Only selected devices").check();
  await ui.dialog().getByRole("button", { name: "Create API key" }).click();
  await ui.dialog().getByText("Select at least one device.").waitFor();
  await ui.dialog().getByLabel("Oven").check();
  await ui.dialog().getByRole("button", { name: "Create API key" }).click();
  await ui.dialog().getByText("must be a time in the future").waitFor();
  takeRefusal(400);
  await ui.dialog().getByLabel("Expires").selectOption("90");
  await ui.dialog().getByRole("button", { name: "Create API key" }).click();
  const byTestId = page.getByTestId("made-key");
  await byTestId.waitFor();
  const key = (await byTestId.locator("code").first().textContent()) ?? "";
  expect(await withKey(key)).toEqual({ status: 200, names: ["Oven"] });
  await page.mouse.click(5, 5); // beside the dialog
  await ui.dialog().getByRole("button", { name: "I have copied it" }).click();
  const row = page.getByRole("listitem").filter({ hasText: "ERP export" });
  for (const text of ["Active", "Read only", "1 device", "Created by Anna M. Berger"])
    await row.getByText(text).waitFor();
  expect(await page.content()).not.toContain(key);
  await page.getByRole("button", { name: "Revoke ERP export" }).click();
  await ui.dialog().getByRole("button", { name: "Revoke" }).click();
  await page.getByText("ERP export is revoked.").waitFor();
  await page.getByText("No API keys yet").waitFor();
  expect((await withKey(key)).status).toBe(401);
});

test("a key is renamed, but not to the name of another key", async () => {
  const { page } = ui;
  for (const name of ["Press line", "Energy report"])
    await ui.call("POST", "/api/api-keys", { name, role: "TENANT_READ_ONLY" });
  await ui.open("/settings/api-keys");
  await page.getByRole("button", { name: "Rename Press line" }).click();
  await ui.dialog().getByLabel("Name").fill("Energy report");
  await ui.dialog().getByRole("button", { name: "Save" }).click();
  await ui.dialog().getByText("An API key with this name already exists.").waitFor();
  takeRefusal(409);
  await ui.dialog().getByLabel("Name").fill("Press line 2");
  await ui.dialog().getByRole("button", { name: "Save" }).click();
  await page.getByText("Press line 2", { exact: true }).waitFor();
});

test("the focus returns to the control that opened a dialog, by keyboard only", async () => {
  const { page } = ui;
  await openUsers();
  const invite = page.getByRole("button", { name: "Invite user" });
  const hasFocus = () => invite.evaluate((button) => button === document.activeElement);
  await invite.focus();
  await page.keyboard.press("Enter");
  await ui.dialog().getByLabel("Name", { exact: true }).waitFor();
  await page.keyboard.type("Kay Board"); // the first field has the focus
  await ui.discardForm();
  expect(await hasFocus()).toBe(true);
  await page.keyboard.press("Enter");
  await ui.dialog().getByLabel("Name", { exact: true }).waitFor();
  await page.keyboard.type("Kay Board");
  await page.keyboard.press("Tab");
  await page.keyboard.type("kay@plant-north.example");
  await page.keyboard.press("Enter");
  await page.getByTestId("invitation").waitFor();
  await ui.dialog().getByRole("button", { name: "Done" }).press("Enter");
  await ui.dialog().waitFor({ state: "detached" });
  expect(await hasFocus()).toBe(true);
});

test("Ctrl-K leads to the invitation and to a new key", async () => {
  const { page } = ui;
  for (const [typed, title] of [
    ["invite", "Invite user"],
    ["create api", "Create API key"],
  ] as const) {
    await ui.open();
    await page.getByText("Last seen").waitFor();
    await page.keyboard.press("Control+k");
    await page
      .getByRole("combobox", { name: "Find devices, dashboards, alarms, settings and help" })
      .fill(typed);
    await page.getByRole("option", { name: title, selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await ui.dialog().getByRole("heading", { name: title }).waitFor();
    await ui.dialog().getByRole("button", { name: "Cancel" }).click();
    expect(new URL(page.url()).search).toBe("");
  }
});

test("the pages caused no console error, no exception and no request to another host", () => {
  expect(ui.complaints).toEqual([]);
});
