import { expect, test } from "bun:test";
import fc from "fast-check";
import type { SnapshotRecord } from "../../../src/modules/backups/snapshot.types.ts";
import { ensureDatabases, ensureFiles } from "../../../src/modules/backups/snapshot-contents.ts";
import { DATABASE_FILES } from "../../../src/platform/files/inventory.ts";

const recordOf = (databases: readonly string[], paths: readonly string[]) =>
  ({
    databases: databases.map((name) => ({ name })),
    files: paths.map((path) => ({ path, base64: "" })),
  }) as unknown as SnapshotRecord; // what is looked at of it

const codeOf = (databases: readonly string[], paths: readonly string[] = []) => {
  try {
    ensureFiles(recordOf(databases, paths));
    ensureDatabases(recordOf(databases, paths));
    return undefined;
  } catch (error) {
    return (error as { code: string }).code;
  }
};

test("keys and certificates are restored", () => {
  expect(
    codeOf(DATABASE_FILES, ["secrets/storage.key", "secrets/tls-ca.pem", "secrets/jwt.key"]),
  ).toBeUndefined();
});

test.each([
  "secrets",
  "lineside.lock",
  "clock",
  "secrets/",
  "secrets/..",
  "secrets/../lineside.lock",
  "secrets/storage.key.next",
  "secrets/storage.key.new",
  "secrets/.hidden",
  "secrets/tls/../../x",
  "/secrets/storage.key",
  "lineside.db",
  "restoring/complete",
  "",
])("an archive with the file %p is refused", (path) => {
  expect(codeOf(DATABASE_FILES, ["secrets/storage.key", path])).toBe("backup.file_unknown");
});

test("no path leads outside the folder of the keys", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."secrets/..\\ab\0k") }), (path) => {
      if (codeOf(DATABASE_FILES, [path]) === undefined) expect(path).toMatch(/^secrets\/[^/\\.\0][^/\\\0]*$/);
    }),
  );
});

test("an archive without one of the databases is not the whole backup of a gateway", () => {
  for (const missing of DATABASE_FILES)
    expect(codeOf(DATABASE_FILES.filter((name) => name !== missing))).toBe("backup.database_absent");
});
