import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BackupsDeps, BackupsService } from "../../../src/modules/backups/backups.service.ts";
import { FolderTarget } from "../../../src/modules/backups/targets/folder-target.ts";
import { LimitedFolder } from "../../../src/modules/backups/targets/limited-folder.ts";
import { FolderCheck } from "../../../src/platform/files/folder-check.ts";
import { FolderThreads, folderSilent } from "../../../src/platform/files/folder-threads.ts";
import { endThread } from "../../../src/platform/load/end-thread.ts";
import { systemClock } from "../../../src/platform/time/clock.ts";

const WORKER = "src/modules/backups/folder.worker.ts";

/** Lets a thread access a new folder. `port` is its end of the channel, `path` the folder. */
async function accessed(threads: FolderThreads) {
  const path = mkdtempSync(join(tmpdir(), "folder-"));
  const worker = await threads.start(path);
  const { port1: port, port2 } = new MessageChannel();
  worker.postMessage({ path, dataPath: "/nonexistent/data", port: port2 }, [port2]);
  return { path, port, worker };
}

test("another thread writes, lists, reads and removes the objects of a folder", async () => {
  const { worker, ...access } = await accessed(new FolderThreads(WORKER));
  const folder = new LimitedFolder(access);
  try {
    await folder.ensureOutside();
    await folder.write("packs/one", Buffer.from("first"));
    expect(Buffer.from(await new FolderTarget(access.path).read("packs/one")).toString()).toBe("first");
    expect(await folder.list("packs/")).toEqual(["packs/one"]);
    expect(await folder.sizes("packs/")).toEqual(new Map([["packs/one", 5]]));
    expect(Buffer.from(await folder.read("packs/one")).toString()).toBe("first");
    // `rejects` would not receive messages of a port while it waits.
    const error: unknown = await folder.read("packs/two").catch((reason: unknown) => reason);
    expect(error).toMatchObject({ kind: "not_found", code: "backup.object_missing" });
    await folder.remove("packs/one");
    await folder.removeUnfinished();
    expect(readdirSync(join(access.path, "packs"))).toEqual([]);
  } finally {
    endThread(worker);
  }
});

test("a folder that does not respond in time fails, and is not asked again", async () => {
  const { port1, port2 } = new MessageChannel();
  const folder = new LimitedFolder({ path: "/mnt/share", port: port1 }, 1);
  let asked = 0;
  port2.onmessage = () => asked++;
  const silent = { kind: "unavailable", code: "backup.folder_silent", params: { path: "/mnt/share" } };
  await expect(folder.list("packs/")).rejects.toMatchObject(silent);
  await expect(folder.write("packs/one", Buffer.from("first"))).rejects.toMatchObject(silent);
  expect(asked).toBeLessThanOrEqual(1);
  for (const port of [port1, port2]) port.close();
});

test("a folder has one thread, and the next one starts when it is gone", async () => {
  const threads = new FolderThreads(WORKER);
  const first = await threads.start("/mnt/share");
  let isGone = false;
  first.addEventListener("close", () => {
    isGone = true;
  });
  const next = threads.start("/mnt/share");
  const other = await threads.start("/mnt/other");
  expect(isGone).toBe(false);
  endThread(first);
  endThread(await next);
  endThread(other);
  expect(isGone).toBe(true);
});

test("a chosen folder is resolved by another thread", async () => {
  const [data, stick] = ["data-", "stick-"].map((name) => mkdtempSync(join(tmpdir(), name)));
  if (data === undefined || stick === undefined) throw new Error("no folders");
  const folders = new FolderCheck(data);
  expect(await folders.find(stick)).toEqual({ isOutside: true, folder: stick });
  expect(await folders.find(join(stick, "new"))).toEqual({ isOutside: true, folder: undefined });
  expect(await folders.find(data)).toEqual({ isOutside: false, folder: data });
  expect(await folders.ensureOutside(data).catch((error: unknown) => error)).toMatchObject({
    kind: "invalid",
    code: "backup.folder_invalid",
  });
});

test("a silent folder is not saved as the place of backups", async () => {
  const saved: unknown[] = [];
  const backups = new BackupsService({
    settings: { read: () => ({}), save: (...values: unknown[]) => saved.push(values) },
    config: {},
    clock: systemClock,
    folders: { ensureOutside: (path: string) => Promise.reject(folderSilent(path, 30_000)) },
  } as unknown as BackupsDeps);
  const settings = { ...backups.settings, place: { kind: "folder", path: "/mnt/share" } } as const;
  await expect(backups.save(settings)).rejects.toMatchObject({ code: "backup.folder_silent" });
  expect([saved, backups.settings.place]).toEqual([[], null]);
});
