// The log of the gateway in the console: follows, filters, downloads, and changes the level.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until, untilAnswer } from "../support/until.ts";
import { useConsole } from "./support/console-page.ts";
import { appear, expectTidy } from "./support/screenshots.ts";

/** Long enough for several requests of a page that follows. */
const WHILE_MS = 10_000;
const LIST = "**/api/gateway/logs?*";
const ui = useConsole({ isStill: true });
let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "lineside-log-browser-"));
  await back(root);
  await back(join(root, "unplugged"));
});

afterAll(() => rm(root, { recursive: true, force: true }));

beforeEach(() => {
  ui.complaints.length = 0;
});

/** Makes a backup into a folder, which writes a line: a good one of `info`, a failed one of `error`. */
async function back(path: string): Promise<void> {
  const settings = { place: { kind: "folder", path }, schedule: null, daily: 7, weekly: 4, maxAgeHours: 36 };
  await ui.call("PUT", "/api/gateway/backup", settings);
  await ui.call("POST", "/api/gateway/backup/runs");
  await untilAnswer(
    async () => (await ui.call("GET", "/api/gateway/backup")) as { running?: object },
    ({ running }) => running === undefined,
  );
}

const lines = () => ui.page.getByRole("list", { name: "Lines" }).getByRole("listitem");
const line = (text: string) => lines().filter({ hasText: text });

interface Line {
  readonly sequence: number;
  readonly time: string;
  readonly level: "debug" | "info" | "warning" | "error";
  readonly logger: string;
  readonly text: string;
}

/** Answers with sample lines, the newest first, as the gateway does. */
async function fakeLines(count: number): Promise<{ asked: number; limit: number }> {
  const samples = Array.from({ length: count }, (_, index) => sampleLine(count - index));
  const state = { asked: 0, limit: 0 };
  await ui.page.unroute(LIST);
  await ui.page.route(LIST, (route) => {
    state.asked++;
    const limit = Number(new URL(route.request().url()).searchParams.get("limit"));
    state.limit = Math.max(state.limit, limit);
    return route.fulfill({ json: samples.slice(0, limit), headers: { "x-total-count": String(count) } });
  });
  return state;
}

const LEVELS = ["debug", "info", "warning", "error"] as const;
const STACK =
  'error="Error: the broker refused the connection\n    at connect (src/mqtt/front.ts:10:5)\n    at retry (src/mqtt/front.ts:42:9)"';

function sampleLine(sequence: number): Line {
  const level = LEVELS[sequence % LEVELS.length] ?? "info";
  const time = new Date(Date.UTC(2026, 0, 1) + sequence * 61_000).toISOString();
  const fields = level === "error" ? STACK : `deviceId=${"0123456789abcdef".repeat(6)} attempts=${sequence}`;
  const text = `${time} ${level.toUpperCase().padEnd(7)} mqtt.front: sample line ${String(sequence).padStart(4, "0")} ${fields}`;
  return { sequence, time, level, logger: "mqtt.front", text };
}

test("shows new lines while the page is open, each with its level as a word", async () => {
  await ui.open("/settings/system");
  await ui.page.getByRole("link", { name: "Open the log" }).click();
  await ui.page.waitForURL("**/settings/log");
  await line("backup made").getByText("Info", { exact: true }).waitFor();
  expect(await line("backup made").locator("code").textContent()).toStartWith("backup: backup made");
  await line("backup failed").getByText("Error", { exact: true }).waitFor();
  await back(join(root, "unplugged"));
  await line("backup failed").nth(1).waitFor();
  expect(ui.complaints.filter((text) => !text.includes("status of 503"))).toEqual([]);
});

test("filters by level and by text, and keeps the filter in the address", async () => {
  await ui.open("/settings/log");
  await line("backup made").waitFor();
  await ui.page.getByLabel("Levels that are shown").selectOption("error");
  await line("backup made").waitFor({ state: "detached" });
  await line("backup failed").first().waitFor();
  await ui.page.getByLabel("Search in the log").fill("no such text");
  await ui.page.getByText("No line matches").waitFor();
  await ui.page.getByLabel("Search in the log").fill("BACKUP");
  await line("backup failed").first().waitFor();
  expect(new URL(ui.page.url()).search).toBe("?level=error&search=BACKUP");
  await ui.page.reload();
  await line("backup failed").first().waitFor();
  expect(await line("backup made").count()).toBe(0);
  expect(ui.complaints).toEqual([]);
});

test("downloads the lines that match the filter", async () => {
  await ui.open("/settings/log?search=backup+made");
  await line("backup made").waitFor();
  const [download] = await Promise.all([
    ui.page.waitForEvent("download"),
    ui.page.getByRole("button", { name: "Download" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("lineside.log");
  const text = await Bun.file(await download.path()).text();
  expect(text).toMatch(/^\S+Z INFO +backup: backup made .*\n$/);
  expect(ui.complaints).toEqual([]);
});

test("changes the level of the running log and says that a restart resets it", async () => {
  await ui.open("/settings/log");
  const level = ui.page.getByLabel("Lowest level that is written");
  await ui.page.getByText("A restart of the gateway resets the level").waitFor();
  expect(await level.inputValue()).toBe("info");
  await level.selectOption("debug");
  await ui.page.getByText("Log level changed").waitFor();
  expect(await ui.call("GET", "/api/gateway/logs/level")).toEqual({ level: "debug" });
  await ui.page.route("**/api/gateway/logs/level", (route) =>
    route.request().method() === "PUT" ? route.fulfill({ status: 503 }) : route.continue(),
  );
  await level.selectOption("error");
  await ui.page.getByRole("region", { name: "Log level" }).getByRole("alert").waitFor();
  expect(await level.inputValue()).toBe("debug");
  await ui.page.unroute("**/api/gateway/logs/level");
  expect(ui.complaints.filter((text) => !text.includes("status of 503"))).toEqual([]);
});

test("says why no lines appear, and shows them once the gateway answers again", async () => {
  await ui.page.route(LIST, (route) => route.fulfill({ status: 503 }));
  await ui.open("/settings/log");
  await ui.page.getByRole("main").getByRole("alert").waitFor();
  await ui.page.unroute(LIST);
  await ui.page.getByRole("button", { name: "Retry" }).click();
  await line("backup made").waitFor();
  expect(await ui.page.getByRole("main").getByRole("alert").count()).toBe(0);
});

test("has no layout or accessibility problem in both languages and themes, on a phone and on a desktop", async () => {
  await fakeLines(450);
  for (const language of ["en", "de"] as const)
    for (const theme of ["light", "dark"] as const)
      for (const width of [360, 1440]) {
        await appear(ui.page, { language, theme, width });
        await ui.open("/settings/log");
        await ui.page.getByText("sample line 0450").waitFor();
        await expectTidy(ui.page, `log-${language}`, { language, theme, width });
        await ui.page.getByText("sample line 0400").scrollIntoViewIfNeeded();
        await ui.page.getByRole("button", { name: /^(Show the newest|Neueste anzeigen)$/ }).waitFor();
        await expectTidy(ui.page, `log-scrolled-${language}`, { language, theme, width });
      }
  await ui.page.unroute(LIST);
  expect(ui.complaints).toEqual([]);
});

test("pauses when the reader scrolls down or presses Pause, and resumes with the newest lines", async () => {
  const { page } = ui;
  const status = (text: string) => page.getByRole("status").getByText(text).waitFor();
  await appear(page, { language: "en", theme: "light", width: 1440 });
  await page.clock.install();
  await fakeLines(450);
  await ui.open("/settings/log");
  await status("New lines appear every few seconds.");
  await line("sample line 0251 ").waitFor();
  expect(await lines().count()).toBe(200);
  const older = await fakeLines(451);
  await page.clock.runFor(WHILE_MS);
  await line("sample line 0451 ").waitFor();

  // A line that appears above moves the button away from the pointer.
  await until(async () => {
    if (older.limit <= 200) await page.getByRole("button", { name: "Show older lines" }).click();
    return older.limit > 200;
  });
  await line("sample line 0052 ").waitFor();
  await status("Paused while you read older lines.");
  const newer = await fakeLines(452);
  await page.clock.runFor(WHILE_MS);
  expect(newer.asked).toBe(0);
  await page.getByRole("button", { name: "Show older lines" }).click();
  await line("sample line 0001 ").waitFor();
  expect(await line("sample line 0452 ").count()).toBe(0);
  await page.getByRole("button", { name: "Show the newest" }).click();
  await line("sample line 0452 ").waitFor();
  expect(await lines().count()).toBe(452);

  await page.getByRole("button", { name: "Pause" }).click();
  await status("Paused: new lines do not appear.");
  const newest = await fakeLines(453);
  await page.clock.runFor(WHILE_MS);
  expect(newest.asked).toBe(0);
  await page.getByRole("button", { name: "Resume" }).click();
  await line("sample line 0453 ").waitFor();
  expect(ui.complaints).toEqual([]);
});
