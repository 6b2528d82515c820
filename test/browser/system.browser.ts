// The System page: the check of the data files, known damage, and the support bundle.
import { beforeEach, expect, test } from "bun:test";
import { useConsole } from "./support/console-page.ts";
import { type Appearance, appear, expectTidy } from "./support/screenshots.ts";

const STEP_MS = 30_000;
const CHECK = "**/api/gateway/check";
const APPEARANCES: readonly Appearance[] = [
  { theme: "light", language: "en", width: 390 },
  { theme: "dark", language: "de", width: 1440 },
];
const ui = useConsole({ isStill: true });

beforeEach(() => {
  ui.complaints.length = 0;
});

test(
  "checks the files while the gateway works",
  async () => {
    await ui.open("/settings/system");
    await ui.page.getByText("The files were not checked since the gateway started.").waitFor();
    await ui.page.getByRole("button", { name: "Check the files" }).click();
    await ui.page.getByText("All files are whole").waitFor();
    await ui.page.getByText("telemetry.db").waitFor();
    expect(ui.complaints).toEqual([]);
  },
  STEP_MS,
);

test(
  "saves a support bundle",
  async () => {
    await ui.open("/settings/system");
    const [download] = await Promise.all([
      ui.page.waitForEvent("download"),
      ui.page.getByRole("button", { name: "Download a support bundle" }).click(),
    ]);
    const files = await new Bun.Archive(await Bun.file(await download.path()).bytes()).files();
    expect([...files.keys()]).toContain("log.txt");
    expect(ui.complaints).toEqual([]);
  },
  STEP_MS,
);

test(
  "names damage, each place in a line that wraps",
  async () => {
    const damage = [
      "telemetry.db: device no. 17, 2026-01-01T00:00:00.000Z – 2026-01-02T00:00:00.000Z: a checksum is wrong",
      `telemetry.db: hot row 4711: ${"unreadable ".repeat(20)}`,
    ];
    await ui.page.route(CHECK, (route) => route.fulfill({ json: { damage } }));
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
  },
  STEP_MS,
);
