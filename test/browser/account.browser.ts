// What people do to their own account, and an administrator who acts as somebody else.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Secret, TOTP } from "otpauth";
import { callApi } from "./support/call-api.ts";
import { OWNER, setUpOwner, signIn } from "./support/first-visit.ts";
import { type RunningApp, startApp } from "./support/running-app.ts";
import { openBrowser, type WatchedBrowser } from "./support/watched-browser.ts";

const NEW_PASSWORD = "thirteen quiet forklifts";

let app: RunningApp;
let browser: WatchedBrowser;
let elsewhere: WatchedBrowser;

beforeAll(async () => {
  app = await startApp();
  browser = await openBrowser(app.url);
  elsewhere = await openBrowser(app.url);
  await setUpOwner(browser.page, app);
  await elsewhere.page.goto(app.url);
  await signIn(elsewhere.page);
  await elsewhere.page.getByRole("link", { name: "Overview" }).first().waitFor();
});

afterAll(async () => {
  await browser?.close();
  await elsewhere?.close();
  await app?.stop();
});

test("a changed password signs out the other browser at once", async () => {
  const { page } = browser;
  await page.goto(`${app.url}/settings/security`);
  const sessions = page.getByTestId("sessions").getByRole("listitem");
  await sessions.nth(1).waitFor();
  await page.getByRole("region", { name: "Password" }).getByLabel("Current password").fill(OWNER.password);
  await page.locator('input[name="new"]').fill(NEW_PASSWORD);
  await page.getByLabel("Repeat new password").fill(`${NEW_PASSWORD}!`);
  await page.getByRole("button", { name: "Change password" }).click();
  await page.getByText("The two new passwords differ.").waitFor();
  await page.getByLabel("Repeat new password").fill(NEW_PASSWORD);
  await page.getByRole("button", { name: "Change password" }).click();
  await page.getByText("Your password is changed.").waitFor();
  await elsewhere.page.waitForURL(/\/idp\/authorize/);
  await sessions.nth(1).waitFor({ state: "detached" });
  // While the list is asked for anew it is empty for a moment.
  await sessions.first().waitFor();
  expect(await sessions.count()).toBe(1);
  expect(browser.complaints).toEqual([]);
});

test("a wrong current password shows an error at its field", async () => {
  const { page } = browser;
  await page
    .getByRole("region", { name: "Password" })
    .getByLabel("Current password")
    .fill("not this one at all");
  await page.locator('input[name="new"]').fill(NEW_PASSWORD);
  await page.getByLabel("Repeat new password").fill(NEW_PASSWORD);
  await page.getByRole("button", { name: "Change password" }).click();
  await page.getByText("Is not the current password. Enter it again.").waitFor();
});

test("an open screen stays signed in, because its token is renewed, and keeps its state", async () => {
  const page = await browser.page.context().newPage();
  await page.clock.install();
  await page.goto(`${app.url}/settings/security`);
  await page.getByRole("region", { name: "Password" }).getByLabel("Current password").fill("half typed in");
  const renewed = page.waitForResponse((response) => response.url().endsWith("/api/auth/refresh"));
  await page.clock.fastForward("01:15:00");
  expect((await renewed).status()).toBe(200);
  await page.clock.fastForward("00:00:05");
  expect(
    await page.getByRole("region", { name: "Password" }).getByLabel("Current password").inputValue(),
  ).toBe("half typed in");
  await page.close();
});

test("a second factor is enabled with an app and required at the next sign-in", async () => {
  const { page } = browser;
  await page.getByRole("button", { name: "Enable" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Confirm with your password").fill(NEW_PASSWORD);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByRole("img", { name: "QR code" }).waitFor();
  const secret = (await dialog.getByTestId("factor-secret").textContent()) ?? "";
  const app2fa = new TOTP({ secret: Secret.fromBase32(secret.trim()) });
  await dialog.getByLabel("6-digit code").fill(app2fa.generate());
  await dialog.getByRole("button", { name: "Enable" }).click();
  const codes = (await dialog.getByTestId("copyable").textContent())?.split("\n") ?? [];
  expect(codes).toHaveLength(10);
  const [recoveryCode = ""] = codes;
  await dialog.getByRole("button", { name: "I have saved them" }).click();
  await page.getByTestId("second-factor").getByText("10 recovery codes are left.").waitFor();

  const other = elsewhere.page;
  await other.getByLabel("Email").fill(OWNER.email);
  await other.getByLabel("Password").fill(NEW_PASSWORD);
  await other.getByRole("button", { name: "Sign in" }).click();
  await other.getByRole("heading", { name: "One more step" }).waitFor();
  await other.getByLabel("Code").fill(recoveryCode);
  await other.getByRole("button", { name: "Continue" }).click();
  await other.getByRole("link", { name: "Overview" }).first().waitFor();
});

test("the other browser is listed and can be ended from here", async () => {
  const { page } = browser;
  await page.reload();
  await page.getByTestId("second-factor").getByText("9 recovery codes are left.").waitFor();
  await page.getByRole("button", { name: /^End Chrome on/ }).click();
  await page.getByText("The session was ended.").waitFor();
  await elsewhere.page.waitForURL(/\/idp\/authorize/);
});

test("an owner acts as a reader, with a banner on every screen, until one click ends it", async () => {
  const { page } = browser;
  const invited = (await callApi(page, app, "POST", "/api/users", {
    fullName: "Rita Reader",
    email: "rita@plant-north.example",
    role: "TENANT_READ_ONLY",
    inviteDelivery: "MANUAL",
  })) as { userId: string };
  await page.goto(`${app.url}/settings/users/${invited.userId}`);
  await page.getByRole("button", { name: "Act as this user" }).click();
  const banner = page.getByTestId("acting");
  await banner.getByText("You act as Rita Reader.").waitFor();
  await page.getByRole("link", { name: "Devices" }).first().click();
  await banner.waitFor();
  await page.goto(`${app.url}/settings/security`);
  await page.getByText("Only that user can change the password, second factor and sessions.").waitFor();
  expect(await page.getByRole("link", { name: "Users" }).count()).toBe(0);
  await page.reload();
  await banner.getByRole("button", { name: "Stop acting" }).click();
  await page.getByRole("heading", { name: "Rita Reader" }).waitFor();
  expect(await banner.count()).toBe(0);
  expect(browser.complaints.filter((line) => !line.includes("status of 400"))).toEqual([]);
});
