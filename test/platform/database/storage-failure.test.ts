import { Database, SQLiteError } from "bun:sqlite";
import { expect, test } from "bun:test";
import { toErrorResponse } from "../../../src/http/errors.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { toStorageFailure } from "../../../src/platform/database/storage-failure.ts";

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
  const answer = toErrorResponse(full, { log: createLogger("test") });
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(await answer.text()).not.toContain("database");
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
