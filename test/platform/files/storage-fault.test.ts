import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { storageFaultOf } from "../../../src/platform/files/storage-fault.ts";
import { writeFaultOf } from "../../../src/platform/files/write-fault.ts";

const ofCode = (code: string, cause?: unknown) =>
  Object.assign(new Error("it failed"), { code, ...(cause !== undefined && { cause }) });

const faults: ReadonlyArray<readonly [code: string, fault: ReturnType<typeof storageFaultOf>]> = [
  ["ENOSPC", "full"],
  ["EDQUOT", "full"],
  ["SQLITE_FULL", "full"],
  ["SQLITE_IOERR_SHMSIZE", "full"],
  ["EROFS", "readOnly"],
  ["SQLITE_READONLY", "readOnly"],
  ["SQLITE_READONLY_DBMOVED", "readOnly"],
  ["EACCES", "denied"],
  ["EPERM", "denied"],
  ["SQLITE_CANTOPEN", "denied"],
  ["EMFILE", "busy"],
  ["ENFILE", "busy"],
  ["ENOMEM", "busy"],
  ["SQLITE_BUSY_SNAPSHOT", "busy"],
  ["SQLITE_LOCKED", "busy"],
  ["SQLITE_NOMEM", "busy"],
  ["SQLITE_IOERR_NOMEM", "busy"],
  ["EIO", "unreadable"],
  ["EBADMSG", "unreadable"],
  ["EUCLEAN", "unreadable"],
  ["SQLITE_CORRUPT_INDEX", "unreadable"],
  ["SQLITE_NOTADB", "unreadable"],
  ["SQLITE_IOERR_READ", "unreadable"],
  ["SQLITE_IOERR_SHORT_READ", "unreadable"],
  ["SQLITE_IOERR_WRITE", "failed"],
  ["SQLITE_IOERR_FSYNC", "failed"],
  ["SQLITE_CONSTRAINT_UNIQUE", undefined],
  ["ENOENT", undefined],
];
test.each(faults)("%s means %p", (code, fault) => {
  expect(storageFaultOf(ofCode(code))).toBe(fault);
  expect(storageFaultOf(new Error("query failed", { cause: ofCode(code) }))).toBe(fault);
  expect(storageFaultOf(ofCode("storage.failed", ofCode(code)))).toBe(fault);
});

test("a failed write whose reason SQLite hides is a failure of the disk if others succeed", () => {
  const folder = mkdtempSync(join(tmpdir(), "lineside-test-"));
  const tried = (name: string) => writeFaultOf(ofCode("SQLITE_IOERR_WRITE"), join(folder, name));
  expect(tried("tried")).toBe("failed");
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});
