import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DeviceImports } from "../../../src/modules/devices/device-imports.ts";
import { tokenTaken } from "../../../src/modules/devices/devices.errors.ts";
import { createDevicesRepository } from "../../../src/modules/devices/devices.repository.ts";
import type { Device } from "../../../src/modules/devices/devices.types.ts";
import {
  createUnfinishedImportsRepository,
  type ImportPiece,
} from "../../../src/modules/devices/unfinished-imports.repository.ts";
import type { DomainEvents } from "../../../src/modules/events.types.ts";
import type { Principal } from "../../../src/modules/users/users.types.ts";
import { createEventBus } from "../../../src/platform/core/event-bus.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { openMainDatabase } from "../../../src/platform/database/database.ts";
import { createTestApp } from "../../support/test-app.ts";

const rowsOf = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => ({ name: `${prefix} ${index}`, deviceType: "sensor" }));

test("an import that fails in the midst of it leaves nothing, and tells of what is gone", async () => {
  const stored = new Map<string, Device>();
  const pieces = new Map<number, ImportPiece>();
  const deleted: string[] = [];
  const events = createEventBus<DomainEvents>(createLogger("test"));
  events.on("device.deleted", ({ deviceId }) => deleted.push(deviceId));
  let calls = 0;
  const imports = new DeviceImports({
    devices: {
      ensureRoom: () => undefined,
      createMany(_, givens, each) {
        if (++calls === 3) throw tokenTaken();
        return givens.map(({ name }, index) => {
          const device = { deviceId: name, tenantId: "t" } as unknown as Device; // what an import looks at
          stored.set(name, device);
          each(device, index);
          return device;
        });
      },
    },
    repository: {
      find: (deviceId) => stored.get(deviceId),
      delete: (deviceId) => stored.delete(deviceId),
    },
    unfinished: {
      list: () => [...pieces.values()],
      add: (piece) => void pieces.set(piece.piece, piece),
      deletePiece: ({ piece }) => void pieces.delete(piece),
      finish: () => pieces.clear(),
    },
    transact: (work) => work(),
    events,
    log: createLogger("test"),
  });
  const importing = imports.create({ tenantId: "t" } as Principal, rowsOf(100, "d"), () => undefined);
  expect(await importing.catch(({ code }) => code)).toBe("device.token_taken");
  expect([stored.size, pieces.size, deleted.length]).toEqual([0, 0, 50]);
});

test("an import that a crash has interrupted is taken back at the next start", async () => {
  const directory = await mkdtemp(join(tmpdir(), "lineside-import-"));
  const first = await createTestApp({ directory });
  const { token } = await first.signIn("TENANT_OWNER");
  const kept = await first.createDevice(token, { name: "kept" });
  const imported = await first.call("POST", "/api/devices/bulk/import", {
    token,
    body: { rows: rowsOf(60, "lost") },
  });
  expect(imported.status).toBe(201);
  const deviceIds = imported.body.rows.map(({ deviceId }: { deviceId: string }) => deviceId);
  await first.stop();
  // As the database is before the import has ended.
  const open = () => openMainDatabase(join(directory, "lineside.db"), "lineside", createLogger("test"));
  const database = open();
  createUnfinishedImportsRepository(database).add({ importId: "i", piece: 0, deviceIds });
  await database.durable();
  database.close();
  const second = await createTestApp({ directory });
  await second.stop();
  const reopened = open();
  const left = createDevicesRepository(reopened).listAllIds();
  expect(left.has(kept.deviceId as never)).toBe(true);
  expect(deviceIds.filter((deviceId: string) => left.has(deviceId as never))).toEqual([]);
  expect(createUnfinishedImportsRepository(reopened).list()).toEqual([]);
  reopened.close();
  await rm(directory, { recursive: true, force: true });
});
