// Files that others put beside the records of snapshots: copies, conflicts of file synchronization, side files of macOS.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { BackupFixture, DAY_MS } from "./backup-fixture.ts";

let fixture: BackupFixture;
beforeAll(async () => {
  fixture = new BackupFixture();
  await fixture.fill(10);
});
afterAll(() => fixture.dispose());

const records = () => readdirSync(join(fixture.stick, "snapshots")).sort();

for (const [kind, nameOf] of [
  ["a side file of macOS", (name: string) => `._${name}`],
  ["a copy of Windows", (name: string) => name.replace(".json", " - Copy.json")],
  ["a conflict", (name: string) => name.replace(".json", ".sync-conflict-20260302-033000-ABCDEFG.json")],
] as const)
  test(`no snapshot is lost for ${kind}`, async () => {
    rmSync(fixture.stick, { recursive: true });
    mkdirSync(fixture.stick);
    fixture.now = Date.parse("2026-03-02T03:30:00.123Z");
    for (let day = 0; day < 3; day++) {
      await fixture.backUp();
      fixture.now += DAY_MS;
    }
    const before = records();
    for (const name of before)
      copyFileSync(join(fixture.stick, "snapshots", name), join(fixture.stick, "snapshots", nameOf(name)));
    await fixture.backUp({ retention: { daily: 7, weekly: 4 } });
    expect(records()).toEqual(expect.arrayContaining(before));
    const folder = join(fixture.root, `restored-${kind}`);
    await fixture.restore(folder);
    expect(await fixture.values(folder)).toEqual({ right: fixture.valuesWritten, wrong: 0 });
  });
