import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { startProblem } from "../../../../../src/modules/telemetry/store/upkeep/start-problem.ts";
import { cannotOpen } from "../../../../../src/platform/files/inventory-check.ts";

const messageOf = (error: unknown) => cannotOpen("/data/telemetry.db", startProblem(error)).message;

function errorOf(work: () => void): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error("nothing failed");
}

test("a full disk is named as such, and nothing is to be set aside", () => {
  const database = new Database(":memory:");
  database.run("PRAGMA max_page_count=2");
  const full = errorOf(() => database.run("CREATE TABLE a AS SELECT randomblob(100000)"));
  expect(messageOf(full)).toBe("The disk is full. Free some space, then try again.");
  const noSpace = Object.assign(new Error("ENOSPC"), { code: "ENOSPC", path: "/data/telemetry.db-hot1" });
  expect(messageOf(noSpace)).toBe(
    "The disk is full (/data/telemetry.db-hot1). Free some space, then try again.",
  );
});

test("a file that is not a database is named with what to do", () => {
  const error = Object.assign(new Error("telemetry.db has a damaged header"), {});
  expect(messageOf(error)).toContain("lineside set-aside telemetry.db");
});
