// A new gateway takes over the backup of another one on the setup page.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { untilAnswer } from "../support/until.ts";
import { callApi } from "./support/call-api.ts";
import { OWNER, setUpOwner, signIn } from "./support/first-visit.ts";
import { type RunningApp, startApp } from "./support/running-app.ts";
import { appear, expectTidy } from "./support/screenshots.ts";
import { openBrowser, type WatchedBrowser } from "./support/watched-browser.ts";

const PASSPHRASE = "correct horse";
let root: string;
let archive: string;
let app: RunningApp;
let browser: WatchedBrowser;

/** Downloads a backup of another gateway, which is set up for it. */
async function createArchive(): Promise<void> {
  const source = await startApp();
  const { page, close } = await openBrowser(source.url);
  try {
    await setUpOwner(page, source);
    const place = { kind: "folder", path: join(root, "stick") };
    const settings = { place, passphrase: PASSPHRASE, schedule: null, daily: 7, weekly: 4, maxAgeHours: 36 };
    await callApi(page, source, "PUT", "/api/gateway/backup", settings);
    await callApi(page, source, "POST", "/api/devices", { name: "Press 7", deviceType: "press" });
    await callApi(page, source, "POST", "/api/gateway/backup/runs");
    await untilAnswer(
      () =>
        callApi(page, source, "GET", "/api/gateway/backup/runs") as unknown as Promise<{ state: string }[]>,
      ([run]) => run?.state === "DONE",
    );
    await page.goto(`${source.url}/settings/backups`);
    const button = page.getByRole("button", { name: /^Download the backup of/ });
    const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
    archive = join(root, download.suggestedFilename());
    await download.saveAs(archive);
  } finally {
    await close();
    await source.stop();
  }
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "lineside-restore-browser-"));
  await mkdir(join(root, "stick"));
  await createArchive();
  app = await startApp();
  browser = await openBrowser(app.url);
  await browser.page.goto(app.setupLink); // preferences are kept by origin
  await browser.page.getByLabel("Your name").waitFor();
});
afterAll(async () => {
  await browser?.close();
  await app?.stop();
  await rm(root, { recursive: true, force: true });
});

test("the form has no layout or accessibility problem in both languages and themes", async () => {
  const { page } = browser;
  for (const language of ["en", "de"] as const)
    for (const width of [360, 1440]) {
      const appearance = { language, theme: width === 360 ? "dark" : "light", width } as const;
      await appear(page, appearance);
      await page.goto(app.setupLink);
      await page
        .getByRole("button", { name: language === "en" ? "Restore a backup" : "Sicherung wiederherstellen" })
        .click();
      await page.getByLabel("Passphrase").waitFor();
      await expectTidy(page, `setup-restore-${language}`, appearance);
    }
});

test("a backup is uploaded, asks for its passphrase, and replaces the empty gateway", async () => {
  const { page } = browser;
  await appear(page, { language: "en", theme: "light", width: 1440 });
  await page.goto(app.setupLink);
  await page.getByRole("button", { name: "Restore a backup" }).click();
  await page.getByLabel("Backup file").setInputFiles(archive);
  const restore = page.getByRole("button", { name: "Restore", exact: true });
  await restore.click();
  await page.getByRole("alert").getByText("These backups are encrypted").waitFor();
  await page.getByLabel("Passphrase").fill("wrong");
  await restore.click();
  await page.getByRole("alert").getByText("The passphrase is wrong").waitFor();
  await page.getByLabel("Passphrase").fill(PASSPHRASE);
  await restore.click();
  await page.getByRole("heading", { name: "Backup restored" }).waitFor();
  await page.getByText("The accounts and passwords of the backup are valid now").waitFor();
  await page.getByRole("link", { name: "Go to sign-in" }).click();
  await signIn(page);
  await page.getByRole("navigation").first().waitFor();
  const devices = (await callApi(page, app, "GET", "/api/devices")) as unknown as { name: string }[];
  expect(devices.map(({ name }) => name)).toEqual(["Press 7"]);
  expect(await callApi(page, app, "GET", "/api/auth/me")).toMatchObject({ email: OWNER.email });
  // The gateway does not answer for a moment, and the link ends with the restoration.
  const expected = /ERR_CONNECTION|status of (401|404|502|503)|Failed to load resource/;
  expect(browser.complaints.splice(0).filter((line) => !expected.test(line))).toEqual([]);
});
