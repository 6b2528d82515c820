import { Database } from "bun:sqlite";
import { expect, spyOn, test } from "bun:test";
import { openSync } from "node:fs";
import { explain } from "../../src/cli/explain.ts";

function printed(error: unknown): string {
  const spy = spyOn(console, "error").mockImplementation(() => undefined);
  try {
    expect(explain(error)).toBe(1);
    return spy.mock.calls.flat().map(String).join(" ");
  } finally {
    spy.mockRestore();
  }
}

const systemError = (code: string) => Object.assign(new Error(`${code}: failed`), { code, path: "/data/x" });

test.each(["ENOSPC", "EROFS", "EACCES", "EMFILE", "ENFILE", "EDQUOT", "EPERM"])(
  "an error %s of the system is one sentence with what to do, and without a stack",
  (code) => {
    const text = printed(systemError(code));
    expect(text).toMatch(/^Lineside cannot start: [A-Z].+\. \S.+\(\/data\/x\)$/);
    expect(text).not.toContain("    at ");
  },
);

test("a file that does not exist is named", () => {
  let failure: unknown;
  try {
    openSync("/nowhere/passphrase", "r");
  } catch (error) {
    failure = error;
  }
  expect(printed(failure)).toBe(
    "Lineside cannot start: A file or folder does not exist. (/nowhere/passphrase)",
  );
});

test.each([
  ["SQLITE_CORRUPT", "lineside check"],
  ["SQLITE_NOTADB", "lineside check"],
  ["SQLITE_FULL", "The disk is full"],
  ["SQLITE_READONLY_DIRECTORY", "read-only"],
  ["SQLITE_IOERR_WRITE", "The disk failed"],
])("an error %s of the database is explained", (code, advice) => {
  let error: unknown;
  try {
    new Database(":memory:").run("no SQL");
  } catch (cause) {
    error = Object.assign(cause as Error, { code });
  }
  expect(printed(error)).toContain(advice);
});

test("a mistake of ours keeps its stack", () => {
  const spy = spyOn(console, "error").mockImplementation(() => undefined);
  const error = new TypeError("x is undefined");
  explain(error);
  expect(spy.mock.calls.at(-1)).toEqual(["Lineside cannot start:", error]);
  spy.mockRestore();
});
