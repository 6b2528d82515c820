import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TenantId } from "../../../src/lib/core/ids.ts";
import {
  outboundCounts,
  outboundRequests,
  outboundTargets,
} from "../../../src/modules/outbound/outbound.tables.ts";
import { tenants } from "../../../src/modules/tenants/tenants.tables.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { openMainDatabase } from "../../../src/platform/database/database.ts";

test("with a tenant go its targets, what waits for them, and what was counted", () => {
  const directory = mkdtempSync(join(tmpdir(), "lineside-outbound-"));
  const { orm, close } = openMainDatabase(join(directory, "a.db"), "lineside", createLogger("test"));
  const tenantId = "t" as TenantId;
  const source = { tenantId, sourceKind: "test", sourceId: "s" };
  orm.insert(tenants).values({ tenantId, name: "T", planName: "onprem", createdAt: 1, updatedAt: 1 }).run();
  const target = {
    ...source,
    targetId: "g",
    url: "http://a",
    method: "POST",
    headers: {},
    timeoutMs: 1,
    fingerprint: "f",
  };
  orm.insert(outboundTargets).values(target).run();
  const request = {
    tenantId: source.tenantId,
    targetId: "g",
    orderKey: "d",
    contentType: "a/b",
    body: "{}",
    bytes: 2,
    state: "WAITING" as const,
  };
  const times = { attempts: 0, queuedAt: 0, dueAt: 0, createdAt: 1 };
  orm
    .insert(outboundRequests)
    .values({ ...request, ...times })
    .run();
  orm
    .insert(outboundCounts)
    .values({ ...source, sent: 1, died: 0 })
    .run();
  orm.delete(tenants).run();
  for (const table of [outboundTargets, outboundRequests, outboundCounts])
    expect(orm.select().from(table).all()).toEqual([]);
  close();
  rmSync(directory, { recursive: true, force: true });
});
