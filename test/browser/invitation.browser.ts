// From an invitation to being somebody who works here: the owner invites, the colleague signs in and sees what was granted.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { callApi } from "./support/call-api.ts";
import { OWNER, setUpOwner } from "./support/first-visit.ts";
import { type RunningApp, startApp } from "./support/running-app.ts";
import { openBrowser, type WatchedBrowser } from "./support/watched-browser.ts";

const COLLEAGUE = {
  name: "Nina New",
  email: "nina@plant-north.example",
  password: "eleven quiet conveyor belts",
};

let app: RunningApp;
/** Two computers: the owner's and the colleague's. */
let owners: WatchedBrowser;
let colleagues: WatchedBrowser;
let invitation: { loginUrl: string; temporaryPassword: string };

beforeAll(async () => {
  app = await startApp();
  owners = await openBrowser(app.url);
  colleagues = await openBrowser(app.url);
  await setUpOwner(owners.page, app);
  for (const name of ["Press 1", "Oven"])
    await callApi(owners.page, app, "POST", "/api/devices", { name, deviceType: "machine" });
});

afterAll(async () => {
  await owners?.close();
  await colleagues?.close();
  await app?.stop();
});

async function enterPassword(page: Page, password: string): Promise<void> {
  await page.waitForURL(/\/idp\/authorize/);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

test("the owner invites a colleague who may read one device", async () => {
  const { page } = owners;
  await page.goto(`${app.url}/settings/users`);
  await page.getByRole("button", { name: "Invite user" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name", { exact: true }).fill(COLLEAGUE.name);
  await dialog.getByRole("textbox", { name: "Email" }).fill(COLLEAGUE.email);
  await dialog.getByLabel("Role").selectOption("TENANT_READ_ONLY");
  await dialog.getByLabel("Only selected devices").check();
  await dialog.getByLabel("Oven").check();
  await dialog.getByLabel("Hand over myself").check();
  await dialog.getByRole("button", { name: "Invite", exact: true }).click();
  const details = page.getByTestId("copyable");
  await details.first().waitFor();
  const [loginUrl = "", , temporaryPassword = ""] = await details.allTextContents();
  invitation = { loginUrl, temporaryPassword };
});

test("the link asks for the temporary password, with the address filled in, and then for a new password", async () => {
  const { page } = colleagues;
  await page.goto(invitation.loginUrl);
  await page.waitForURL(/\/idp\/authorize/);
  expect(await page.getByLabel("Email").inputValue()).toBe(COLLEAGUE.email);
  await enterPassword(page, invitation.temporaryPassword);
  await page.getByLabel("New password").fill(COLLEAGUE.password);
  await page.getByLabel("The same again").fill(COLLEAGUE.password);
  await page.getByRole("button", { name: "Save and sign in" }).click();
  await page.getByText("Last seen").waitFor();
  await page.getByText(COLLEAGUE.email).first().waitFor();
});

test("the colleague sees only the granted device and only what the role allows", async () => {
  const { page } = colleagues;
  await page.goto(`${app.url}/devices`);
  await page.getByRole("row", { name: /Oven/ }).waitFor();
  await page.getByText("1 device", { exact: true }).waitFor();
  expect(await page.getByRole("button", { name: "Create device" }).count()).toBe(0);
  await page.getByRole("link", { name: "Settings" }).first().click();
  await page.getByRole("link", { name: "My profile" }).first().waitFor();
  const tabs = page.getByRole("navigation", { name: "Settings" }).getByRole("link");
  expect(await tabs.allTextContents()).not.toContain("Users");
  expect(await tabs.allTextContents()).not.toContain("API keys");
  await page.goto(`${app.url}/settings/users`);
  await page.getByText("This page does not exist").waitFor();
});

test("another granted device appears without a new sign-in, and a disabled user is signed out at once", async () => {
  const { page } = colleagues;
  const users = (await callApi(owners.page, app, "GET", "/api/users")) as {
    userId: string;
    email: string;
  }[];
  const userId = users.find(({ email }) => email === COLLEAGUE.email)?.userId;
  await callApi(owners.page, app, "PATCH", `/api/users/${userId}`, { hasGlobalDeviceAccess: true });
  await page.goto(`${app.url}/devices`);
  await page.getByRole("row", { name: /Press 1/ }).waitFor();
  await callApi(owners.page, app, "PATCH", `/api/users/${userId}`, { status: "DISABLED" });
  await page.waitForURL(/\/idp\/authorize/); // nobody touched the page
  await page.getByLabel("Email").fill(COLLEAGUE.email);
  await enterPassword(page, COLLEAGUE.password);
  await page.getByText("Your user is disabled.").waitFor();
  // A request of the page that was in progress at that moment is refused as well.
  const complaints = colleagues.complaints.splice(0).filter((text) => !text.includes("status of 401"));
  expect(complaints).toEqual([expect.stringContaining("status of 400")]);
  await callApi(owners.page, app, "PATCH", `/api/users/${userId}`, { status: "ACTIVE" });
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(/\/idp\/authorize/);
  await page.getByLabel("Email").fill(COLLEAGUE.email);
  await enterPassword(page, COLLEAGUE.password);
  await page.getByText("Last seen").waitFor();
});

test("an invitation that is opened in another user's session asks before it signs that user out", async () => {
  const { page } = owners;
  await page.goto(invitation.loginUrl);
  await page.getByText(`This browser is signed in as ${OWNER.email}.`).waitFor();
  await page.getByRole("link", { name: `Stay signed in as ${OWNER.email}` }).click();
  await page.getByText("Last seen").waitFor();
  await page.goto(`${app.url}/sign-in?login_hint=${encodeURIComponent(OWNER.email)}`);
  await page.getByText("Last seen").waitFor();
  await page.goto(invitation.loginUrl);
  await page.getByRole("button", { name: `Sign out and continue as ${COLLEAGUE.email}` }).click();
  await page.waitForURL(/\/idp\/authorize/);
  expect(await page.getByLabel("Email").inputValue()).toBe(COLLEAGUE.email);
});

test("the pages caused no console error, no exception and no request to another host", () => {
  expect([owners.complaints, colleagues.complaints]).toEqual([[], []]);
});
