// Backups, the health of the gateway and its own readings from the console.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ArchiveReader } from "../../src/modules/backups/targets/archive-target.ts";
import { callApi } from "./support/call-api.ts";
import { setUpOwner } from "./support/first-visit.ts";
import { type RunningApp, startApp } from "./support/running-app.ts";
import { appear, expectTidy } from "./support/screenshots.ts";
import { openBrowser, type WatchedBrowser } from "./support/watched-browser.ts";

const MINUTE_MS = 60_000;
const appearances = (["en", "de"] as const).flatMap((language) =>
  (["light", "dark"] as const).flatMap((theme) =>
    [360, 1440].map((width) => ({ language, theme, width }) as const),
  ),
);
let app: RunningApp;
let browser: WatchedBrowser;
let root: string;
let stick: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "lineside-backups-browser-"));
  stick = join(root, "stick");
  await mkdir(stick);
  app = await startApp();
  browser = await openBrowser(app.url);
  await browser.page.emulateMedia({ reducedMotion: "reduce" });
  await setUpOwner(browser.page, app);
});

afterAll(async () => {
  await browser?.close();
  await app?.stop();
  await rm(root, { recursive: true, force: true });
});

const panel = (name: string) => browser.page.getByRole("region", { name, exact: true });

/** A field of the settings by the first words of its label, which the hints and options follow. */
const field = (label: string) => panel("Place and schedule").getByLabel(new RegExp(`^${label}`));

/** Saves the settings; resolves with the status of the answer. */
async function save(): Promise<number> {
  const isResponse = (response: { url(): string; request(): { method(): string } }) =>
    response.url().endsWith("/api/gateway/backup") && response.request().method() === "PUT";
  const [answer] = await Promise.all([
    browser.page.waitForResponse(isResponse),
    panel("Place and schedule").getByRole("button", { name: "Save" }).click(),
  ]);
  return answer.status();
}

/** Refuses on purpose: the browser itself complains of each answer. */
function expectNoComplaintsBut(expected: RegExp): void {
  expect(browser.complaints.splice(0).filter((line) => !expected.test(line))).toEqual([]);
}

test("a folder is tested, saved with a passphrase and a time of day, and can be changed later", async () => {
  const { page } = browser;
  await page.goto(`${app.url}/settings/backups`);
  await page.getByText("Backups are not set up").waitFor();
  const settings = panel("Place and schedule");
  await field("Where backups are kept").selectOption("folder");
  await field("Folder").fill(join(root, "unplugged"));
  await settings.getByRole("button", { name: "Test place" }).click();
  await settings
    .getByRole("alert")
    .getByText(/unplugged does not exist\. Connect the drive/)
    .waitFor();
  await field("Folder").fill(stick);
  await settings.getByRole("button", { name: "Test place" }).click();
  await settings.getByText("The place works").waitFor();
  await settings.getByText("anyone who can read this place can read them").waitFor();
  await field("Encrypt the backups").check();
  await settings.getByText("Without the passphrase nobody can restore a backup").waitFor();
  await field("Passphrase").fill("correct horse");
  await field("Time$").fill("03:15");
  await field("Time zone").fill("Europe/Berlin");
  await field("Daily backups").fill("5");
  await settings.getByRole("button", { name: "Save" }).click();
  await page.getByText("Backup settings saved").waitFor();
  await field("New passphrase").waitFor();
  expect(await field("New passphrase").inputValue()).toBe("");
  expect(await callApi(page, app, "GET", "/api/gateway/backup")).toMatchObject({
    place: { kind: "folder", path: stick },
    isEncrypted: true,
    schedule: { expression: "15 3 * * *", timezone: "Europe/Berlin" },
    daily: 5,
  });
  await panel("State").getByText("none yet").waitFor();
  expect(await panel("Restore a backup").textContent()).toContain(`lineside restore --from ${stick}`);
  expectNoComplaintsBut(/status of 503/);
});

test("a backup made by hand is shown as a run and as a backup, and is downloaded", async () => {
  const { page } = browser;
  await panel("State").getByRole("button", { name: "Back up now" }).click();
  await panel("Runs").getByText("Done").waitFor();
  await panel("Runs").getByText("manual").waitFor();
  await panel("State")
    .getByText(/, of which .* were new/)
    .waitFor();
  const row = panel("Backups at this place").getByRole("listitem");
  await row.waitFor();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    row.getByRole("button", { name: /^Download the backup of/ }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^lineside-.*\.backup$/);
  const archive = new ArchiveReader(await download.path());
  expect(await archive.list("repository.json")).toEqual(["repository.json"]);
  archive.close();
  expectNoComplaintsBut(/^$/);
});

test("a failing backup location shows the reason in the reader's language", async () => {
  const { page } = browser;
  const settings = panel("Place and schedule");
  await field("Folder").fill(join(root, "unplugged"));
  await settings.getByRole("button", { name: "Save" }).click();
  await panel("Backups at this place").getByRole("alert").waitFor();
  await panel("State").getByRole("button", { name: "Back up now" }).click();
  await panel("Runs").getByText("Failed").waitFor();
  await panel("State")
    .getByText(/The last backup failed\. The folder .*unplugged does not exist/)
    .waitFor();
  await appear(page, { language: "de", theme: "light", width: 1440 });
  await page.reload();
  await panel("Zustand")
    .getByText(/Die letzte Sicherung ist fehlgeschlagen\. .*unplugged/)
    .waitFor();
  await expectTidy(page, "backup-failed", { language: "de", theme: "light", width: 1440 });
  await appear(page, { language: "en", theme: "light", width: 1440 });
  expectNoComplaintsBut(/status of 503/);
});

test("the fields of S3-compatible storage keep the secret that is not entered again", async () => {
  const { page } = browser;
  await page.reload();
  await field("Where backups are kept").selectOption("s3");
  await field("Endpoint").fill("http://127.0.0.1:9");
  await field("Bucket").fill("backups");
  await field("Prefix").fill("/plant-north");
  await field("Access key ID").fill("id");
  await field("Secret access key").fill("hush-hush");
  await field("When to back up").selectOption("cron");
  await field("Expression").fill("0 */6 * * *");
  expect(await save()).toBe(200);
  await field("Secret access key.*Leave the field empty to keep it").waitFor();
  await field("Region").fill("eu-central-1");
  expect(await save()).toBe(200);
  expect(await callApi(page, app, "GET", "/api/gateway/backup")).toMatchObject({
    place: { prefix: "plant-north/", region: "eu-central-1", hasSecretAccessKey: true },
    schedule: { expression: "0 */6 * * *" },
  });
  expectNoComplaintsBut(/status of 503/);
});

test("the page of backups has no layout or accessibility problem in both languages and themes", async () => {
  const { page } = browser;
  const place = { kind: "folder", path: stick };
  const settings = { place, schedule: null, daily: 7, weekly: 4, maxAgeHours: 36 };
  await callApi(page, app, "PUT", "/api/gateway/backup", settings);
  browser.complaints.length = 0; // of the place that could not be reached
  for (const appearance of appearances) {
    await appear(page, appearance);
    await page.goto(`${app.url}/settings/backups`);
    await page.getByRole("button", { name: /^(Download the backup of|Sicherung vom)/ }).waitFor();
    await expectTidy(page, `backups-${appearance.language}`, appearance);
    await page.locator("#backup-runs").scrollIntoViewIfNeeded();
    await expectTidy(page, `backup-runs-${appearance.language}`, appearance);
  }
  await page.route("**/api/gateway/backup", async (route) => {
    const body = await (await route.fetch()).json();
    const running = { startedAt: new Date().toISOString(), share: 0.42 };
    // The page may have left the request meanwhile; it asks again.
    await route.fulfill({ json: { ...body, running } }).catch(() => undefined);
  });
  const last = { language: "en", theme: "dark", width: 360 } as const;
  await appear(page, last);
  await page.reload();
  await panel("State").getByText("Backing up: 42 %").waitFor();
  expect(await page.getByRole("button", { name: "Back up now" }).isDisabled()).toBe(true);
  await expectTidy(page, "backup-running", last);
  await page.unroute("**/api/gateway/backup");
  expectNoComplaintsBut(/^$/);
});

test("the page of the system says what to do, then shows version, warnings and readings", async () => {
  const { page } = browser;
  await appear(page, { language: "en", theme: "light", width: 1440 });
  await page.goto(`${app.url}/settings/system`);
  await page.getByText("No readings of the gateway yet").waitFor();
  await page.getByText("The gateway is ready and reports no problem.").waitFor();
  const { version } = (await (await fetch(`${app.url}/healthz`)).json()) as { version: string };
  await panel("Health").getByText(`Lineside ${version}`).waitFor();

  await createGatewayDevice();
  await page.route("**/readyz", (route) => route.fulfill({ json: { status: "ready", warnings: [overdue] } }));
  for (const appearance of appearances) {
    await appear(page, appearance);
    await page.goto(`${app.url}/settings/system`);
    const texts =
      appearance.language === "en" ? ["Disk used", "186\u202fGiB"] : ["Datenträger belegt", "186\u202fGiB"];
    for (const text of texts) await page.getByText(text).first().waitFor();
    await page
      .getByText(appearance.language === "en" ? /no good backup of the last 36 h/ : /keine gute Sicherung/)
      .waitFor();
    await page.locator("main svg path[stroke-linejoin]").nth(3).waitFor({ state: "attached" });
    await expectTidy(page, `system-${appearance.language}`, appearance);
  }
  await page.unroute("**/readyz");
  expectNoComplaintsBut(/^$/);
});

const overdue = { code: "backup.overdue", params: { hours: 36 }, message: "No good backup." };

/** A device such as the one that the gateway creates for itself a minute later. */
async function createGatewayDevice(): Promise<void> {
  const fields = { name: "This gateway", deviceType: "lineside-gateway" };
  const device = (await callApi(browser.page, app, "POST", "/api/devices", fields)) as {
    credentials: { token: string };
  };
  const now = Date.now();
  const items = Array.from({ length: 140 }, (_, index) => ({
    ts: now - (139 - index) * 10 * MINUTE_MS,
    telemetry: {
      disk_used_percent: 41 + index / 100,
      disk_free_mb: 190_735,
      disk_days_left: 212.4,
      telemetry_db_mb: 812 + index,
      messages_per_second: 40 + 8 * Math.sin(index / 9),
      values_per_second: 160 + 30 * Math.sin(index / 9),
      rejected_per_second: index === 70 ? 3 : 0,
      mqtt_connections: 12,
      temperature: 52 + 5 * Math.sin(index / 20),
      memory_percent: 38.2,
      process_memory_mb: 164.4,
      event_loop_p99_ms: 4.2,
      mails_waiting: 0,
      backup_age_hours: 7.5,
      backup_overdue: false,
      a_key_of_the_future: 5,
    },
  }));
  const response = await fetch(`${app.url}/api/v1/${device.credentials.token}/telemetry/batch`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ items }),
  });
  expect(response.status).toBeLessThan(300);
}

test("a banner names why the gateway is not ready, for as long as it is connected and not ready", async () => {
  const { page } = browser;
  const banner = page.getByTestId("unready");
  const reasons = [
    { code: "storage.disk_full", params: {}, message: "The disk is almost full." },
    { code: "storage.of_the_future", params: {}, message: "Something new is wrong." },
  ];
  const unready = { status: 503, json: { statusCode: 503, reasons } };
  await appear(page, { language: "en", theme: "light", width: 1440 });
  await page.goto(`${app.url}/settings/backups`);
  await panel("State").waitFor();
  expect(await banner.count()).toBe(0);
  await page.route("**/readyz", (route) => route.fulfill(unready));
  await page.route("**/api/gateway/backup", (route) =>
    route.request().method() === "PUT" ? route.fulfill({ status: 503 }) : route.continue(),
  );
  expect(await save()).toBe(503);
  await banner.getByText(/The disk is almost full\. .* Something new is wrong\./).waitFor();
  for (const appearance of appearances) {
    await appear(page, appearance);
    await page.goto(`${app.url}/settings/system`);
    await banner.waitFor();
    await banner
      .getByText(appearance.language === "en" ? "The disk is almost full." : "Der Datenträger ist fast voll.")
      .waitFor();
    await expectTidy(page, `unready-${appearance.language}`, appearance);
  }
  await page.unroute("**/readyz");
  await banner.waitFor({ state: "detached" });
  await page.route("**/readyz", (route) => route.fulfill(unready));
  await page.reload();
  await banner.waitFor();
  await app.halt();
  await page.getByText("Verbindung unterbrochen").waitFor();
  expect(await banner.count()).toBe(0);
  await app.resume();
  await banner.waitFor();
  expectNoComplaintsBut(/status of 503|ERR_CONNECTION|WebSocket|Failed to load resource/);
});
