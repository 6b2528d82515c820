import { expect, test } from "bun:test";
import fc from "fast-check";
import type { SnapshotRecord } from "../../../src/modules/backups/backup.types.ts";
import { ensureContents } from "../../../src/modules/backups/snapshot-contents.ts";

const recordOf = (databases: readonly string[], paths: readonly string[]) =>
  ({
    databases: databases.map((name) => ({ name })),
    files: paths.map((path) => ({ path, base64: "" })),
  }) as unknown as SnapshotRecord; // what is looked at of it

const DATABASES = ["lineside.db", "identity.db", "telemetry.db"];
const codeOf = (databases: readonly string[], paths: readonly string[] = []) => {
  try {
    ensureContents(recordOf(databases, paths), true);
    return undefined;
  } catch (error) {
    return (error as { code: string }).code;
  }
};

test("keys and certificates are restored", () => {
  expect(codeOf(DATABASES, ["secrets/storage.key", "secrets/tls-ca.pem", "secrets/jwt.key"])).toBeUndefined();
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
  expect(codeOf(DATABASES, ["secrets/storage.key", path])).toBe("backup.file_unknown");
});

test("no path leads outside the folder of the keys", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."secrets/..\\ab\0k") }), (path) => {
      if (codeOf(DATABASES, [path]) === undefined) expect(path).toMatch(/^secrets\/[^/\\.\0][^/\\\0]*$/);
    }),
  );
});

test("an archive without a main database is not the backup of a gateway", () => {
  for (const missing of ["lineside.db", "identity.db"])
    expect(codeOf(DATABASES.filter((name) => name !== missing))).toBe("backup.database_absent");
});
