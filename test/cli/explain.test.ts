import { Database } from "bun:sqlite";
import { expect, spyOn, test } from "bun:test";
import { openSync } from "node:fs";
import { explain } from "../../src/cli/commands/explain.ts";

function printed(error: unknown): string {
  const spy = spyOn(console, "error").mockImplementation(() => undefined);
  try {
    expect(explain(error)).toBe(1);
    return spy.mock.calls.flat().map(String).join(" ");
  } finally {
    spy.mockRestore();
  }
}

const thrown = (work: () => void): unknown => {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
};

const systemError = (code: string) => Object.assign(new Error(`${code}: failed`), { code, path: "/data/x" });

test.each(["ENOSPC", "EROFS", "EACCES", "EMFILE", "ENFILE", "EDQUOT", "EPERM", "EEXIST", "EIO"])(
  "an error %s of the system is one sentence with what to do, and without a stack",
  (code) => {
    const text = printed(systemError(code));
    expect(text).toMatch(/^Lineside cannot start: [A-Z].+ \(\/data\/x\)\. \S.+\.?$/);
    expect(text).not.toContain("    at ");
  },
);

test("a file that does not exist is named", () => {
  expect(printed(thrown(() => openSync("/nowhere/passphrase", "r")))).toBe(
    "Lineside cannot start: A file or folder does not exist (/nowhere/passphrase). Check the path.",
  );
});

test.each<[string, () => void, string]>([
  [
    "a damaged database",
    () => Database.deserialize(new Uint8Array(4_096).fill(7)).query("SELECT * FROM x").all(),
    "lineside check",
  ],
  [
    "a full disk",
    () => {
      const database = new Database(":memory:");
      database.run("PRAGMA max_page_count=2");
      database.run("CREATE TABLE x (y)");
      database.run("INSERT INTO x VALUES (zeroblob(100000))");
    },
    "The disk is full",
  ],
  [
    "a read-only disk",
    () => {
      const database = new Database(":memory:");
      database.run("PRAGMA query_only=ON");
      database.run("CREATE TABLE x (y)");
    },
    "read-only",
  ],
  ["a file that cannot be opened", () => void new Database("/nowhere/x.db"), "cannot be opened. Check owner"],
])("an error of the database about %s is explained", (_, fail, advice) => {
  expect(printed(thrown(fail))).toContain(advice);
});

test("a mistake of ours keeps its stack", () => {
  const spy = spyOn(console, "error").mockImplementation(() => undefined);
  const error = new TypeError("x is undefined");
  explain(error);
  expect(spy.mock.calls.at(-1)).toEqual(["Lineside cannot start:", error]);
  spy.mockRestore();
});
