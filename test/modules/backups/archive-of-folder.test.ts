import { expect, test } from "bun:test";
import { type BackupsDeps, BackupsService } from "../../../src/modules/backups/backups.service.ts";
import { systemClock } from "../../../src/platform/time/clock.ts";

test("an archive of a folder is read away from the main thread, which a slow disk would hold up", async () => {
  const asked: string[] = [];
  const place = { kind: "folder", path: "/nonexistent/stick" } as const;
  const backups = new BackupsService({
    settings: { read: () => ({ place, schedule: null }) },
    config: {},
    clock: systemClock,
    places: {
      objects: async () => ["repository.json", "packs/one"],
      object: async ({ name }: { name: string }) => {
        asked.push(name);
        return Buffer.from(name);
      },
    },
  } as unknown as BackupsDeps);
  let bytes = "";
  for await (const part of await backups.archive("any")) bytes += Buffer.from(part).toString("latin1");
  expect(asked).toEqual(["repository.json", "packs/one"]);
  expect(bytes).toEndWith("packs/onepacks/one");
});
