// The operator sets the mail server in the console, tests it, and a mail that waited is sent.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type MailServer, startMailServer } from "../support/mail-server.ts";
import { OWNER, setUpOwner } from "./support/first-visit.ts";
import { type RunningApp, startApp } from "./support/running-app.ts";
import { appear, expectTidy } from "./support/screenshots.ts";
import { openBrowser, type WatchedBrowser } from "./support/watched-browser.ts";

let app: RunningApp;
let mails: MailServer;
let browser: WatchedBrowser;

beforeAll(async () => {
  mails = await startMailServer();
  app = await startApp();
  browser = await openBrowser(app.url);
  await setUpOwner(browser.page, app);
});
afterAll(async () => {
  await browser?.close();
  await app?.stop();
  await mails?.stop();
});

const panel = (name: string) => browser.page.getByRole("region", { name, exact: true });

test("a mail server is tested before it is saved, and mails that wait are sent then", async () => {
  const { page } = browser;
  const form = new URLSearchParams({ email: OWNER.email });
  expect((await fetch(`${app.url}/idp/forgot`, { method: "POST", body: form })).status).toBe(200);
  await page.goto(`${app.url}/settings/outbox`);
  await page.getByText("Some emails wait here").waitFor();
  await page.getByRole("link", { name: "Mail server" }).click();
  const server = panel("Mail server");
  await server.getByLabel(/^Host/).fill("127.0.0.1");
  await server.getByLabel("Encryption").selectOption("OPTIONAL");
  await server.getByLabel("Port").fill("9");
  const testing = panel("Send a test email");
  await testing.getByLabel("Recipient").fill(OWNER.email);
  await testing.getByRole("button", { name: "Send test email" }).click();
  await testing.getByText("The email was not sent.").waitFor();
  await server.getByLabel("Port").fill(String(mails.port));
  await server.getByLabel("Sender address").fill("gateway@plant-north.example");
  await testing.getByRole("button", { name: "Send test email" }).click();
  await testing.getByText(/The mail server accepted the email\. Its response: 250/).waitFor();
  expect((await mails.next()).sender).toBe("gateway@plant-north.example");
  await server.getByRole("button", { name: "Save" }).click();
  await page.getByText("Mail server saved").waitFor();
  expect((await mails.next()).recipients).toEqual([OWNER.email]);
  await page.getByRole("link", { name: "Outbox" }).last().click();
  await page.getByRole("listitem").getByText("Sent", { exact: true }).waitFor();
  expect(browser.complaints.splice(0)).toEqual([]);
});

test("the page has no layout or accessibility problem in both languages and themes", async () => {
  const { page } = browser;
  for (const language of ["en", "de"] as const)
    for (const width of [360, 1440]) {
      const appearance = { language, theme: width === 360 ? "dark" : "light", width } as const;
      await appear(page, appearance);
      await page.goto(`${app.url}/settings/notifications/mail-server`);
      await page.locator("#mail-test").waitFor();
      await expectTidy(page, `mail-server-${language}`, appearance);
    }
  expect(browser.complaints.splice(0)).toEqual([]);
});

test("a mail server of the configuration is shown as fixed", async () => {
  const { page } = browser;
  await appear(page, { language: "en", theme: "light", width: 1440 });
  await page.route("**/api/gateway/mail", async (route) => {
    const body = await (await route.fetch()).json();
    await route.fulfill({ json: { ...body, fixed: ["smtp_url"] } });
  });
  await page.reload();
  await page.getByText("sets smtp_url (LINESIDE_SMTP_URL)").waitFor();
  expect(await panel("Mail server").getByLabel(/^Host/).isDisabled()).toBe(true);
  expect(await panel("Mail server").getByLabel("Sender address").isDisabled()).toBe(false);
  await page.unroute("**/api/gateway/mail");
});
