import { expect, test } from "bun:test";
import { createLogger } from "../../../src/platform/core/log.ts";
import { DiskWait } from "../../../src/platform/files/disk-wait.ts";

test("a write that does not end within 8 s is a problem until it and all earlier ones have ended", async () => {
  let now = 0;
  const disk = new DiskWait(createLogger("test"), () => now);
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  disk.follow(first.promise);
  now = 5_000;
  disk.follow(second.promise);
  now = 8_000;
  expect(disk.problem()).toBeUndefined();
  now = 8_001;
  expect(disk.problem()).toMatchObject({ severity: "UNREADY", code: "storage.stalled" });
  first.resolve();
  await first.promise;
  expect(disk.problem()).toBeUndefined();
  now = 13_001;
  expect(disk.problem()?.severity).toBe("UNREADY");
  second.reject(new Error("the disk failed")); // which others report
  await second.promise.catch(() => undefined);
  expect(disk.problem()).toBeUndefined();
});
