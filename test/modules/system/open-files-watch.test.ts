import { expect, test } from "bun:test";
import { readOpenFiles, readOpenFilesMax } from "../../../src/modules/system/host-readings.ts";
import { OpenFilesWatch } from "../../../src/modules/system/open-files-watch.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { FakeClock } from "../../support/fake-clock.ts";

test("a process that has nearly all of its files open says so, and stops saying so", () => {
  const clock = new FakeClock();
  const reading: { open: number | undefined; max: number | undefined } = { open: 900, max: 1_000 };
  const watch = new OpenFilesWatch({ clock, log: createLogger("test"), read: () => reading });
  watch.start();
  const after = (open: number | undefined) => {
    reading.open = open;
    clock.advance(5_000);
    return watch.problem();
  };
  expect(after(900)).toBeUndefined();
  expect(after(901)).toMatchObject({ code: "system.open_files", params: { open: 901, max: 1_000 } });
  expect(after(100)).toBeUndefined();
  expect(after(undefined)).toBeUndefined();
  watch.stop();
});

test("the system tells both numbers", () => {
  expect(readOpenFiles()).toBeGreaterThan(2);
  expect(readOpenFilesMax()).toBeGreaterThan(100);
});
