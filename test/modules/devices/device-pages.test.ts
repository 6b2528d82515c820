import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DeviceId, TenantId } from "../../../src/lib/core/ids.ts";
import { createBulkService } from "../../../src/modules/devices/bulk/bulk.service.ts";
import { createDevicesRepository } from "../../../src/modules/devices/devices.repository.ts";
import type { DevicesService } from "../../../src/modules/devices/devices.service.ts";
import type { DeviceFilter } from "../../../src/modules/devices/devices.types.ts";
import type { Principal } from "../../../src/modules/users/users.types.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { openMainDatabase } from "../../../src/platform/database/database.ts";
import { createTestApp } from "../../support/test-app.ts";

const DEVICES = 250;

test("an export has each device that stays, when others are deleted meanwhile", async () => {
  const directory = await mkdtemp(join(tmpdir(), "lineside-pages-"));
  const app = await createTestApp({ directory });
  const { token, user } = await app.signIn("TENANT_OWNER");
  const rows = Array.from({ length: DEVICES }, (_, index) => ({ name: `d${index}`, deviceType: "sensor" }));
  const { body } = await app.call("POST", "/api/devices/bulk/import", { token, body: { rows } });
  await app.stop();
  const database = openMainDatabase(join(directory, "lineside.db"), "lineside", createLogger("test"));
  const repository = createDevicesRepository(database);
  const tenantId = user.tenantId as TenantId;
  const { export: exported } = createBulkService({
    devices: {
      list: (_: Principal, filter: DeviceFilter) => repository.list(tenantId, "all", filter),
      pages: (_: Principal, limit: number) => repository.pages(tenantId, "all", limit),
    } as unknown as DevicesService, // what an export asks
    events: { emit: () => undefined },
    imports: { create: async () => [] },
    saveAttributes: () => undefined,
  });
  const names: string[] = [];
  for (const part of exported({} as Principal, false)) {
    names.push(...[...part.matchAll(/^d\d+/gm)].map(([name]) => name));
    // The first ten are deleted once they have been exported.
    if (names.length === 100)
      for (const { deviceId } of body.rows.slice(0, 10)) repository.delete(deviceId as DeviceId);
  }
  expect(names).toEqual(rows.map(({ name }) => name));
  database.close();
  await rm(directory, { recursive: true, force: true });
});
