import { Database, SQLiteError } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { toErrorResponse } from "../../../src/http/errors.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import {
  FailedWrites,
  refusedWrite,
  toStorageFailure,
} from "../../../src/platform/database/storage-failure.ts";
import { describeSystemError } from "../../../src/platform/process/system-errors.ts";

/** What SQLite throws at a statement. */
function thrownBy(...statements: string[]): SQLiteError {
  const database = new Database(":memory:");
  try {
    for (const statement of statements) database.run(statement);
  } catch (error) {
    if (error instanceof SQLiteError) return error;
  } finally {
    database.close();
  }
  throw new Error("nothing was thrown");
}

const full = thrownBy(
  "CREATE TABLE texts (text TEXT)",
  "PRAGMA max_page_count=3",
  "INSERT INTO texts VALUES (zeroblob(1000000))",
);

test("a full disk is no failure of ours: 503 with a time to come back", async () => {
  expect(toStorageFailure(full)).toMatchObject({ kind: "unavailable", code: "storage.full" });
  expect(toStorageFailure(new Error("query failed", { cause: full }))).toMatchObject({ kind: "unavailable" });
  const response = toErrorResponse(full, { log: createLogger("test") });
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(await response.text()).not.toContain("database");
});

const ofCode = (code: string): SQLiteError =>
  Object.assign(new Error("disk I/O error"), { name: "SQLiteError", code }) as SQLiteError;

describe("an input or output error", () => {
  test("of the index of a log is a full disk", () => {
    const error = ofCode("SQLITE_IOERR_SHMSIZE");
    expect(toStorageFailure(error)?.code).toBe("storage.full");
    expect(describeSystemError(error)).toStartWith("The disk is full.");
  });

  test("of a write is fatal, whether somebody was told or a part logs it", () => {
    for (const report of [
      refusedWrite,
      (error: SQLiteError) => createLogger("test").error("not written", { error }),
    ]) {
      const writes = new FailedWrites();
      writes.start();
      report(ofCode("SQLITE_FULL"));
      report(ofCode("SQLITE_IOERR_READ"));
      expect(toStorageFailure(ofCode("SQLITE_IOERR_WRITE"))?.code).toBe("storage.failed"); // tells only the caller
      expect(writes.problem()).toBeUndefined();
      report(ofCode("SQLITE_IOERR_WRITE"));
      expect(writes.problem()).toMatchObject({ severity: "FATAL", code: "storage.failed" });
      writes.stop();
    }
  });

  test("of a write is a full disk where the guard of the disk finds its quota used up", () => {
    const writes = new FailedWrites(() => "full");
    writes.start();
    expect(refusedWrite(ofCode("SQLITE_IOERR_WRITE"))).toMatchObject({ code: "storage.full" });
    expect(writes.problem()).toBeUndefined();
    writes.stop();
  });

  test("of reading one page leaves the rest, and is no failed write", async () => {
    const response = toErrorResponse(ofCode("SQLITE_IOERR_READ"), { log: createLogger("test") });
    expect([response.status, (await response.json()).code]).toEqual([503, "storage.unreadable"]);
  });
});

test("a broken rule of the tables is a failure of ours", () => {
  const constraint = thrownBy(
    "CREATE TABLE a (b UNIQUE)",
    "INSERT INTO a VALUES (1)",
    "INSERT INTO a VALUES (1)",
  );
  expect(toStorageFailure(constraint)).toBeUndefined();
  expect(toErrorResponse(constraint, { log: createLogger("test") }).status).toBe(500);
});
