// A database that a part cannot read is a problem at once, and what the check that begins then finds decides whether it stays one.
import { Database, type SQLiteError } from "bun:sqlite";
import { afterAll, afterEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toErrorResponse } from "../../../src/http/errors.ts";
import { DataCheck } from "../../../src/modules/system/data-check.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { until } from "../../support/until.ts";

const folder = mkdtempSync(join(tmpdir(), "lineside-unreadable-"));
const runs = join(folder, "runs");
const answer = join(folder, "answer");
let check: DataCheck;
afterEach(() => {
  check.stop();
  rmSync(runs, { force: true });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What SQLite throws for a file that it cannot read. */
function readError(): SQLiteError {
  const file = join(folder, "damaged.db");
  writeFileSync(file, "no database, but long enough to be taken for one ".repeat(40));
  const database = new Database(file);
  try {
    database.query("SELECT * FROM sqlite_master").all();
  } catch (error) {
    return error as SQLiteError;
  } finally {
    database.close();
  }
  throw new Error("the damaged file can be read");
}

const countRuns = () => (existsSync(runs) ? readFileSync(runs, "utf8").length : 0);
const code = () => check.problem()?.code;

/** A check that ends with the text in the file `answer`, once that is there. */
function startCheck(clock: FakeClock): void {
  rmSync(answer, { force: true });
  check = new DataCheck({
    store: { stats: () => Promise.reject(new Error("no store")), onDamaged: () => undefined },
    inventory: { note: () => undefined, noteCheck: () => undefined, isCheckDue: false } as never,
    dataPath: folder,
    clock,
    log: createLogger("check"),
    command: [
      "sh",
      "-c",
      `printf x >> ${runs}; while [ ! -e ${answer} ]; do sleep 0.02; done; cat ${answer}`,
    ],
  });
  check.start();
}

test("an error of reading, itself or as a cause, is a problem until a check finds nothing", async () => {
  const clock = new FakeClock();
  startCheck(clock);
  const log = createLogger("part");
  log.warn("something else failed", { error: new Error("else") });
  expect(code()).toBeUndefined();
  log.error("a query failed", { error: new Error("query", { cause: readError() }) });
  expect(code()).toBe("storage.unreadable");
  writeFileSync(answer, "[]");
  await until(() => code() === undefined, "the end of the check");
  // It comes again: a problem at once, but no second check within ten minutes.
  log.warn("could not be read", { error: readError() });
  expect(code()).toBe("storage.unreadable");
  expect(countRuns()).toBe(1);
  clock.advance(11 * 60_000);
  log.warn("could not be read", { error: readError() });
  await until(() => countRuns() === 2, "a further check");
  await until(() => code() === undefined, "its end");
});

test("a check that cannot finish is a problem of its own", async () => {
  startCheck(new FakeClock());
  check.begin();
  writeFileSync(answer, "EIO");
  await until(() => code() === "storage.check_failed", "the failed check");
});

test("a request that meets it answers 503 with the reason, and the log tells it", async () => {
  startCheck(new FakeClock());
  const response = toErrorResponse(readError(), { log: createLogger("http") });
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({ code: "storage.unreadable" });
  expect(response.headers.get("retry-after")).toBe("5");
  expect(code()).toBe("storage.unreadable");
  writeFileSync(answer, "[]");
});
