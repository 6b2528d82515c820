// A stranger signs up where that is open: details, the code of a real mail, a site of their own, and a colleague.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type MailServer, startMailServer } from "../support/mail-server.ts";
import { setUpOwner } from "./support/first-visit.ts";
import { type RunningApp, startApp } from "./support/running-app.ts";
import { openBrowser, type WatchedBrowser } from "./support/watched-browser.ts";

const NEW_USER = { name: "Nora New", email: "nora@plant-south.example", password: "twelve green bottles" };
const COLLEAGUE = {
  name: "Carl Colleague",
  email: "carl@plant-south.example",
  password: "nine loud presses 1",
};

let mails: MailServer;
let app: RunningApp;
let newUser: WatchedBrowser;
let colleague: WatchedBrowser;

beforeAll(async () => {
  mails = await startMailServer();
  app = await startApp(["--signup", "open", "--smtp-url", mails.url, "--smtp-from", "gateway@plant.example"]);
  const owner = await openBrowser(app.url);
  await setUpOwner(owner.page, app);
  await owner.close();
  newUser = await openBrowser(app.url);
  colleague = await openBrowser(app.url);
});

afterAll(async () => {
  await newUser?.close();
  await colleague?.close();
  await app?.stop();
  await mails?.stop();
});

test("the sign-in page leads to the sign-up, which sends a code by mail", async () => {
  const { page } = newUser;
  await page.goto(app.url);
  await page.getByRole("link", { name: "Sign up" }).click();
  await page.getByLabel("Your name").fill(NEW_USER.name);
  await page.getByLabel("Email").fill(NEW_USER.email);
  await page.getByLabel("Password").fill(NEW_USER.password);
  await page.getByText("100 devices, 10 users, 365 days of history").waitFor();
  expect(await page.getByLabel("Plan").locator("option").allTextContents()).toEqual(["Basic"]);
  await page.getByRole("button", { name: "Send code" }).click();
  await page.getByRole("heading", { name: "Confirm your address" }).waitFor();
  await page.getByText(NEW_USER.email).waitFor();
  expect(await page.getByRole("button", { name: /New code in/ }).isDisabled()).toBe(true);
});

test("a user who has a code goes to its step without a new sign-up", async () => {
  const { page } = colleague;
  await page.goto(`${app.url}/sign-up`);
  await page.getByRole("button", { name: "I have a code" }).click();
  await page.getByRole("heading", { name: "Confirm your address" }).waitFor();
  for (const label of ["Email", "Code", "Password"]) await page.getByLabel(label).waitFor();
});

test("the code signs in at once, and the user names the site", async () => {
  const { page } = newUser;
  const code = /\b\d{6}\b/.exec((await mails.next()).parsed.text ?? "")?.[0] ?? "";
  await page.reload(); // the step stays, the password is asked for again
  await page.getByText(NEW_USER.email).waitFor();
  expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))).not.toContain(
    NEW_USER.password,
  );
  await page.getByLabel("Password").fill(NEW_USER.password);
  await page.getByLabel("Code").fill(`${code.slice(0, 3)} ${code.slice(3)}`);
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.getByRole("heading", { name: "Name your site" }).waitFor();
  await page.getByLabel("Site or company").fill("Plant South");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("link", { name: "Overview" }).first().waitFor();
  await page.locator("aside").getByText("Plant South").waitFor();
  expect(newUser.complaints).toEqual([]);
});

test("a site other than the gateway's own is not offered its serial ports", async () => {
  const { page } = newUser;
  await page.goto(`${app.url}/modbus`);
  await page.getByRole("button", { name: "Create connection" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("radio", { name: /^Modbus TCP/ }).waitFor();
  expect(await dialog.getByRole("radio", { name: /^Serial port/ }).count()).toBe(0);
});

test("the new user invites a colleague by mail", async () => {
  const { page } = newUser;
  await page.goto(`${app.url}/settings/users`);
  await page.getByRole("button", { name: "Invite user" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name", { exact: true }).fill(COLLEAGUE.name);
  await dialog.getByRole("textbox", { name: "Email" }).fill(COLLEAGUE.email);
  await dialog.getByLabel("Send by email").check();
  await dialog.getByRole("button", { name: "Invite", exact: true }).click();
  await page.getByText(`The invitation is on its way to ${COLLEAGUE.email}.`).waitFor();
});

test("the colleague signs in with the temporary password of the mail and has to set another one", async () => {
  const { page } = colleague;
  const mail = (await mails.next()).parsed.text ?? "";
  const link = /http:\/\/\S+\/sign-in\S*/.exec(mail)?.[0] ?? "";
  const temporary = /temporary password:\s+(\S+)/i.exec(mail)?.[1] ?? "";
  await page.goto(link);
  await page.waitForURL(/\/idp\/authorize/);
  expect(await page.getByLabel("Email").inputValue()).toBe(COLLEAGUE.email);
  await page.getByLabel("Password").fill(temporary);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Set a password" }).waitFor();
  await page.getByLabel("New password").fill(COLLEAGUE.password);
  await page.getByLabel("The same again").fill(COLLEAGUE.password);
  await page.getByRole("button", { name: "Save and sign in" }).click();
  await page.locator("aside").getByText("Plant South").waitFor();
  expect(colleague.complaints).toEqual([]);
});

test("a user who forgot the password gets a link by mail and sets a new one without JavaScript", async () => {
  const { page } = colleague;
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  await page.goto(app.url);
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await page.getByLabel("Email").fill(COLLEAGUE.email);
  await page.getByRole("button", { name: "Send the link" }).click();
  await page.getByRole("heading", { name: "Look into your mailbox" }).waitFor();
  const link = /http:\/\/\S+\/idp\/reset\S*/.exec((await mails.next()).parsed.text ?? "")?.[0] ?? "";
  await page.goto(link);
  await page.getByLabel("New password").fill("ten silent forklifts");
  await page.getByLabel("The same again").fill("ten silent forklifts");
  await page.getByRole("button", { name: "Save the password" }).click();
  await page.getByRole("heading", { name: "Password changed" }).waitFor();
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.getByLabel("Email").fill(COLLEAGUE.email);
  await page.getByLabel("Password").fill("ten silent forklifts");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator("aside").getByText("Plant South").waitFor();
});
