// The System page: the check of the data files, known damage, and the support bundle.
import { beforeEach, expect, test } from "bun:test";
import type { Route } from "playwright-core";
import { useConsole } from "./support/console-page.ts";
import { type Appearance, appear, expectTidy } from "./support/screenshots.ts";

const CHECK = "**/api/gateway/check";
/** Answer of a gateway whose files are whole. */
const whole = { damage: [], losses: [], unknownDevices: 0 };
const APPEARANCES: readonly Appearance[] = [
  { theme: "light", language: "en", width: 390 },
  { theme: "dark", language: "de", width: 1440 },
];
const ui = useConsole({ isStill: true });

beforeEach(() => {
  ui.complaints.length = 0;
});

test("checks the files while the gateway works", async () => {
  await ui.open("/settings/system");
  await ui.page.getByText("The files have not been checked yet.").waitFor();
  await ui.page.getByRole("button", { name: "Check the files" }).click();
  await ui.page.getByText("All files are intact").waitFor();
  await ui.page.getByText("telemetry.db").waitFor();
  expect(ui.complaints).toEqual([]);
});

test("saves a support bundle", async () => {
  await ui.open("/settings/system");
  const [download] = await Promise.all([
    ui.page.waitForEvent("download"),
    ui.page.getByRole("button", { name: "Download a support bundle" }).click(),
  ]);
  const files = await new Bun.Archive(await Bun.file(await download.path()).bytes()).files();
  expect([...files.keys()]).toContain("log.txt");
  expect(ui.complaints).toEqual([]);
});

test("confirms the system's clock while the gateway does not trust it", async () => {
  const warning = { code: "system.clock_unset", params: {}, message: "The clock is not set." };
  for (const appearance of APPEARANCES) {
    await ui.page.route("**/readyz", (route) =>
      route.fulfill({ json: { status: "ready", reasons: [], warnings: [warning] } }),
    );
    await appear(ui.page, appearance);
    await ui.open("/settings/system");
    const name = appearance.language === "en" ? "Use this time" : "Diese Zeit verwenden";
    const button = ui.page.getByRole("button", { name });
    await button.waitFor();
    await expectTidy(ui.page, `system-clock-${appearance.language}`, appearance);
    await ui.page.unroute("**/readyz");
    await button.click();
    await button.waitFor({ state: "detached" });
  }
  await appear(ui.page, { theme: "light", language: "en", width: 1440 });
  expect(ui.complaints).toEqual([]);
});

test("lists the busiest devices in a table that can be read", async () => {
  const device = (await ui.call("POST", "/api/devices", { name: "Busy", deviceType: "press" })) as {
    credentials: { token: string };
  };
  await fetch(`${ui.app.url}/api/v1/${device.credentials.token}/telemetry`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"t":1}',
  });
  for (const appearance of APPEARANCES) {
    await appear(ui.page, appearance);
    await ui.open("/settings/system");
    await ui.page.getByRole("link", { name: "Busy" }).waitFor();
    await expectTidy(ui.page, `system-busiest-${appearance.language}`, appearance);
  }
  await appear(ui.page, { theme: "light", language: "en", width: 1440 });
});

test("names damage, each place in a line that wraps", async () => {
  const damage = [
    "telemetry.db: device no. 17, 2026-01-01T00:00:00.000Z – 2026-01-02T00:00:00.000Z: a checksum is wrong",
    `telemetry.db: hot row 4711: ${"unreadable ".repeat(20)}`,
  ];
  await ui.page.route(CHECK, (route) => route.fulfill({ json: { ...whole, damage } }));
  await ui.open("/settings/system");
  for (const appearance of APPEARANCES) {
    await appear(ui.page, appearance);
    await ui.open("/settings/system");
    const place = ui.page.getByRole("listitem").filter({ hasText: "telemetry.db" });
    await place.first().waitFor();
    expect(await place.count()).toBe(2);
    await expectTidy(ui.page, `system-damage-${appearance.language}`, appearance);
  }
  await ui.page.unroute(CHECK);
  await appear(ui.page, { theme: "light", language: "en", width: 1440 });
});

test("names what was lost until somebody acknowledges it, and asks before it deletes unknown telemetry", async () => {
  const text =
    "hot rows 7 to 9 cannot be read: 12 values received between 2026-01-01T00:00:00.000Z and 2026-01-01T00:00:09.000Z";
  const loss = { code: "loss.damage", params: { file: "telemetry.db", problem: text }, message: text };
  const losses = [{ foundAt: "2026-01-02T00:00:00.000Z", ...loss }];
  let response: object = { ...whole, losses, unknownDevices: 3 };
  const requests: string[] = [];
  const fulfill = (change: object) => (route: Route) => {
    requests.push(`${route.request().method()} ${new URL(route.request().url()).pathname}`);
    response = { ...response, ...change };
    return route.fulfill({ json: response });
  };
  await ui.page.route(CHECK, fulfill({}));
  await ui.page.route("**/api/gateway/losses/acknowledge", fulfill({ losses: [] }));
  await ui.page.route("**/api/gateway/unknown-telemetry", fulfill({ unknownDevices: 0 }));
  for (const appearance of APPEARANCES) {
    await appear(ui.page, appearance);
    await ui.open("/settings/system");
    await ui.page.getByRole("listitem").filter({ hasText: "hot rows 7 to 9" }).waitFor();
    await expectTidy(ui.page, `system-losses-${appearance.language}`, appearance);
  }
  await appear(ui.page, { theme: "light", language: "en", width: 1440 });
  await ui.open("/settings/system");
  const acknowledge = ui.page.getByRole("button", { name: "Acknowledge" });
  await acknowledge.click();
  await acknowledge.waitFor({ state: "detached" });
  const remove = ui.page.getByRole("button", { name: "Delete this telemetry" });
  await remove.click();
  await ui.page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  expect(requests).not.toContain("DELETE /api/gateway/unknown-telemetry");
  await remove.click();
  await ui.page.getByRole("dialog").getByRole("button", { name: "Delete this telemetry" }).click();
  await ui.page.getByRole("dialog").waitFor({ state: "detached" });
  await remove.waitFor({ state: "detached" });
  expect(requests).toContain("DELETE /api/gateway/unknown-telemetry");
  await ui.page.unroute(CHECK);
  expect(ui.complaints).toEqual([]);
});

test("uploads an update, asks, and says that it was rolled back", async () => {
  const states = {
    before: { version: "0.1.0", target: "linux-x64", isInstalling: false, isOnProbation: false },
    uploaded: {
      version: "0.1.0",
      isInstalling: false,
      isOnProbation: false,
      upload: { version: "0.2.0", commit: "0000000", bytes: 4, totalBytes: 4 },
    },
    after: {
      version: "0.1.0",
      isInstalling: false,
      isOnProbation: false,
      result: {
        outcome: "ROLLED_BACK",
        from: "0.1.0",
        to: "0.2.0",
        at: "2026-01-01T00:00:00.000Z",
        reason: { code: "update.not_ready", params: { seconds: 60 }, message: "" },
      },
    },
  };
  let state: keyof typeof states = "before";
  const next: Record<string, keyof typeof states> = { PUT: "uploaded", POST: "after" };
  await ui.page.route("**/api/gateway/update**", (route) => {
    state = next[route.request().method()] ?? state;
    return route.fulfill({ json: states[state] });
  });
  await ui.page.route("**/api/gateway/update/**", (route) => {
    state = next[route.request().method()] ?? state;
    return route.fulfill({ json: states[state] });
  });
  await ui.open("/settings/system");
  const file = {
    name: "lineside.update",
    mimeType: "application/octet-stream",
    buffer: Buffer.from("file"),
  };
  await ui.page.getByLabel("Update file").setInputFiles(file);
  await ui.page.getByRole("button", { name: "Upload", exact: true }).click();
  await ui.page.getByText("Version 0.2.0 is uploaded. Its signature is valid.").waitFor();
  await ui.page.getByRole("button", { name: "Install and restart" }).click();
  await ui.page.getByRole("dialog").getByRole("button", { name: "Install and restart" }).click();
  await ui.page.getByText("The new version was not ready within 60 s.").waitFor();
  expect(ui.complaints).toEqual([]);
  for (const appearance of APPEARANCES) {
    await appear(ui.page, appearance);
    await ui.open("/settings/system");
    await ui.page.getByText("0.2.0").first().waitFor();
    await expectTidy(ui.page, `system-update-${appearance.language}`, appearance);
  }
  for (const path of ["**/api/gateway/update**", "**/api/gateway/update/**"]) await ui.page.unroute(path);
});
