import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { drizzle } from "drizzle-orm/bun-sqlite";
import type { TenantId } from "../../../src/lib/core/ids.ts";
import { EMPTY_CONTENT } from "../../../src/modules/dashboards/dashboards.types.ts";
import { createVersionsRepository } from "../../../src/modules/dashboards/versions.repository.ts";

let sqlite: Database;
beforeEach(() => {
  sqlite = new Database(":memory:");
  sqlite.run(
    "CREATE TABLE dashboard_versions (dashboard_id TEXT, version INTEGER, tenant_id TEXT, saved_by TEXT, saved_at INTEGER, name TEXT, widgets INTEGER, bytes INTEGER, content TEXT)",
  );
});
afterEach(() => sqlite.close());

const ANY = { count: 1_000, bytes: 1_000_000 };
const versions = (limits: Parameters<typeof createVersionsRepository>[1]) => {
  const repository = createVersionsRepository({ orm: drizzle(sqlite) }, limits);
  let savedAt = 0;
  return {
    ...repository,
    save(dashboardId: string, { tenant = "one", characters = 0 } = {}): void {
      const version = (repository.list(dashboardId)[0]?.version ?? 0) + 1;
      const content = { ...EMPTY_CONTENT, name: "x".repeat(characters) };
      const entry = { version, name: "", widgets: 0, savedBy: "", savedAt: ++savedAt };
      repository.add({ ...entry, dashboardId, tenantId: tenant as TenantId, content });
    },
    kept: (dashboardId: string) => repository.list(dashboardId).map(({ version }) => version),
  };
};

test("a dashboard keeps its newest versions, by number and by size", () => {
  const few = versions({ dashboard: { ...ANY, count: 3 }, tenant: ANY });
  for (let n = 0; n < 5; n++) few.save("a");
  few.save("b");
  expect([few.kept("a"), few.kept("b")]).toEqual([[5, 4, 3], [1]]);
  const small = versions({ dashboard: { ...ANY, bytes: 2_500 }, tenant: ANY });
  for (let n = 0; n < 4; n++) small.save("c", { characters: 1_000 });
  expect(small.kept("c")).toEqual([4, 3]);
});

test("the limit of a tenant deletes its oldest versions, of whichever dashboard, and never the newest", () => {
  const small = versions({ dashboard: ANY, tenant: { ...ANY, bytes: 3_500 } });
  small.save("other", { tenant: "two", characters: 1_000 });
  for (const dashboard of ["old", "old", "new", "new"]) small.save(dashboard, { characters: 1_000 });
  expect([small.kept("old"), small.kept("new")]).toEqual([[2], [2, 1]]);
  small.save("new", { characters: 10_000 });
  expect(["old", "new", "other"].map(small.kept)).toEqual([[], [3], [1]]);
  const few = versions({ dashboard: ANY, tenant: { ...ANY, count: 2 } });
  for (const dashboard of ["d", "e", "f"]) few.save(dashboard, { tenant: "three" });
  expect(["d", "e", "f"].map(few.kept)).toEqual([[], [1], [1]]);
});

test("content stored before a field existed has its default", () => {
  const { save, find } = versions({ dashboard: ANY, tenant: ANY });
  save("a");
  sqlite.run(`UPDATE dashboard_versions SET content = '{"name":"old","widgets":["w"]}'`);
  expect(find("a", 1)?.content).toEqual({ ...EMPTY_CONTENT, name: "old", widgets: ["w"] });
});
