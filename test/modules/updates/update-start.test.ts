// What a start makes of each phase of an update, wherever the start before was killed.

import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  beginProbation,
  noteHang,
  noteStop,
  proveUpdate,
  type StartContext,
  settleUpdate,
} from "../../../src/modules/updates/update-start.ts";
import {
  copiesFolder,
  readResult,
  readState,
  rolledBackFolder,
  type UpdatePhase,
  type UpdateState,
  updateFolder,
  writeReason,
  writeState,
} from "../../../src/modules/updates/update-state.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { storedSchema } from "../../../src/platform/database/data-schemas.ts";
import { takeFileLock } from "../../../src/platform/files/file-lock.ts";

let root: string;
let data: string;
let program: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "lineside-update-start-"));
  data = join(root, "data");
  program = join(root, "lineside");
  mkdirSync(data);
  writeFileSync(program, "old");
  writeFileSync(`${program}.next`, "new");
  setSchema(1);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function setSchema(version: number): void {
  const database = new Database(join(data, "telemetry.db"), { create: true });
  database.run(`PRAGMA user_version=${version}`);
  database.close();
}

function fillRestored(): void {
  const database = new Database(join(data, "telemetry.db"));
  database.run("CREATE TABLE restored (text TEXT)");
  database.run("INSERT INTO restored VALUES ('x')");
  database.close();
}

const context = (path: string): StartContext => ({
  dataPath: data,
  program: path,
  now: () => 0,
  log: createLogger("update"),
});
const startOld = () => settleUpdate(context(program));
const startNew = () => settleUpdate(context(`${program}.next`));

const write = (phase: UpdatePhase): UpdateState => {
  const state: UpdateState = {
    phase,
    from: "0.1.0",
    to: "0.2.0",
    program,
    next: `${program}.next`,
    schemas: { "telemetry.db": 2 },
    readyWithinMs: 60_000,
    probationMs: 300_000,
    actor: { type: "COMMAND_LINE", id: null, name: "root" },
  };
  writeState(data, state);
  return state;
};
const phase = () => readState(data)?.phase;
const text = (path: string) => readFileSync(path, "utf8");

test("a start without an update does nothing", () => {
  expect(startOld()).toEqual({ kind: "serve" });
});

test.each(["{", '{"phase":"TRIAL","version":"9.9.9"}', '{"phase":"ENDED"}', "[]"])(
  "a state that cannot be read is ignored, with a warning: %s",
  (text) => {
    mkdirSync(updateFolder(data), { recursive: true });
    writeFileSync(join(updateFolder(data), "state.json"), text);
    const warnings: string[] = [];
    const log = { ...createLogger("update"), warn: (message: string) => void warnings.push(message) };
    expect(settleUpdate({ ...context(program), log })).toEqual({ kind: "serve" });
    expect(warnings).toEqual(["state of an update cannot be read and is ignored"]);
  },
);

describe("STAGED", () => {
  test("copies the databases that the new version migrates, and becomes it", () => {
    const state = write("STAGED");
    expect(startOld()).toEqual({ kind: "exec", program: state.next, watched: { ...state, phase: "TRIAL" } });
    expect(storedSchema(copiesFolder(data), "telemetry.db")).toBe(1);
  });

  test("is given up where the new executable is missing, or another program runs", () => {
    write("STAGED");
    expect(settleUpdate(context(join(root, "other")))).toEqual({ kind: "serve" });
    expect(readResult(data)).toMatchObject({ outcome: "FAILED", reason: { code: "update.other_program" } });
    write("STAGED");
    rmSync(`${program}.next`, { force: true });
    expect(startOld()).toEqual({ kind: "serve" });
    expect(readResult(data)).toMatchObject({ outcome: "FAILED", reason: { code: "update.file_missing" } });
    expect(phase()).toBeUndefined();
  });

  test("waits while another gateway has the data", () => {
    write("STAGED");
    const lock = takeFileLock(join(data, "lineside.lock"));
    expect(startOld()).toEqual({ kind: "serve" });
    lock?.release();
    expect(phase()).toBe("STAGED");
  });
});

describe("TRIAL", () => {
  beforeEach(() => {
    write("STAGED");
    startOld();
  });

  test("is proved by the new version, which takes the place of the old one", () => {
    const step = startNew();
    expect(step.kind).toBe("prove");
    if (step.kind === "prove") proveUpdate(context(step.state.next), step.state);
    expect([text(program), text(`${program}.previous`), phase()]).toEqual(["new", "old", "REPLACED"]);
    expect(readResult(data)).toMatchObject({ outcome: "UPDATED" });
    expect(startOld()).toEqual({ kind: "serve" });
    expect([existsSync(`${program}.next`), phase()]).toEqual([false, undefined]);
  });

  test("is rolled back by the old version, with the databases that were migrated", () => {
    setSchema(2);
    writeReason(data, { code: "update.not_ready", params: { seconds: 60 } });
    expect(startOld()).toEqual({ kind: "serve" });
    expect(storedSchema(data, "telemetry.db")).toBe(1);
    expect(readResult(data)).toMatchObject({ outcome: "ROLLED_BACK", reason: { code: "update.not_ready" } });
    expect([text(program), existsSync(`${program}.next`), phase()]).toEqual(["old", false, undefined]);
    expect(existsSync(copiesFolder(data))).toBe(false);
  });

  test("is rolled back where the new version has left a database unreadable, or an old restoration was killed", () => {
    writeFileSync(
      join(data, "telemetry.db"),
      "no database at all, but some text that is long enough".repeat(100),
    );
    writeFileSync(join(data, "telemetry.db.copy"), "part of a copy");
    expect(startOld()).toEqual({ kind: "serve" });
    expect(storedSchema(data, "telemetry.db")).toBe(1);
  });

  test("keeps databases that were not migrated, with what is newer in them", () => {
    const database = new Database(join(data, "telemetry.db"));
    database.run("CREATE TABLE newer (id INTEGER)");
    database.close();
    startOld();
    const reopened = new Database(join(data, "telemetry.db"));
    expect(reopened.query("SELECT name FROM sqlite_schema").values()).toEqual([["newer"]]);
    reopened.close();
  });
});

describe("PROVED", () => {
  test("is finished by any start, which becomes the new version", () => {
    write("PROVED");
    expect(startOld()).toEqual({ kind: "exec", program, watched: undefined });
    expect([text(program), text(`${program}.previous`), phase()]).toEqual(["new", "old", "REPLACED"]);
  });

  test("does not lose the old executable when it was killed after the replacement", () => {
    copyFileSync(program, `${program}.previous`);
    copyFileSync(`${program}.next`, program);
    write("REPLACING");
    expect(startOld()).toEqual({ kind: "exec", program, watched: undefined });
    expect([text(program), text(`${program}.previous`), phase()]).toEqual(["new", "old", "REPLACED"]);
  });
});

describe("PROBATION", () => {
  test("a database that was restored on probation is put back, not the one before the update", () => {
    // A backup of the old version is restored; the next start migrates it.
    rmSync(join(data, "telemetry.db"));
    setSchema(1);
    fillRestored();
    expect(startOld()).toMatchObject({ kind: "exec", program: `${program}.next` });
    setSchema(2);
    for (let crash = 0; crash < 3; crash++) startOld();
    expect(phase()).toBeUndefined();
    expect(storedSchema(data, "telemetry.db")).toBe(1);
    const database = new Database(join(data, "telemetry.db"));
    expect(database.query("SELECT text FROM restored").all()).toEqual([{ text: "x" }]);
    database.close();
  });

  beforeEach(() => {
    write("STAGED");
    startOld();
    const step = startNew();
    if (step.kind === "prove") expect(beginProbation(context(step.state.next), step.state)).toBe(300_000);
  });

  test("is given two more starts, and goes back after the third crash", () => {
    setSchema(2);
    for (const crashes of [1, 2]) {
      const step = startOld();
      expect(step).toMatchObject({ kind: "exec", program: `${program}.next`, watched: { crashes } });
      expect(startNew()).toMatchObject({ kind: "prove", state: { crashes } });
    }
    expect(startOld()).toEqual({ kind: "serve" });
    expect(readResult(data)).toMatchObject({
      outcome: "ROLLED_BACK",
      reason: { code: "update.crashed", params: { count: 3 } },
    });
    expect([text(program), existsSync(`${program}.next`), phase()]).toEqual(["old", false, undefined]);
    // What the new version had stored is not deleted.
    expect(storedSchema(data, "telemetry.db")).toBe(1);
    expect(storedSchema(rolledBackFolder(data), "telemetry.db")).toBe(2);
  });

  test("goes back at the first hang", () => {
    noteHang(data);
    expect(startOld()).toEqual({ kind: "serve" });
    expect(readResult(data)).toMatchObject({ outcome: "ROLLED_BACK", reason: { code: "update.hung" } });
    expect([text(program), existsSync(`${program}.next`), phase()]).toEqual(["old", false, undefined]);
  });

  test("goes back without a copy that is damaged, which is named and kept", () => {
    writeFileSync(join(copiesFolder(data), "telemetry.db"), "damaged");
    noteHang(data);
    const errors: unknown[] = [];
    const log = {
      ...createLogger("update"),
      error: (_: string, fields?: object) => void errors.push(fields),
    };
    expect(settleUpdate({ ...context(program), log })).toEqual({ kind: "serve" });
    expect(errors[0]).toMatchObject({ path: "set-aside/telemetry.db.1" });
    expect(text(join(data, "set-aside", "telemetry.db.1"))).toBe("damaged");
    expect([storedSchema(data, "telemetry.db"), phase()]).toEqual([1, undefined]);
  });

  test("goes back after an interruption without replacing what the new version stored by copies", () => {
    const kept = rolledBackFolder(data);
    setSchema(2);
    mkdirSync(kept);
    renameSync(join(data, "telemetry.db"), join(kept, "telemetry.db"));
    writeFileSync(join(kept, "telemetry.db-hot1"), "new values");
    writeFileSync(join(copiesFolder(data), "telemetry.db-hot1"), "copied values");
    copyFileSync(join(copiesFolder(data), "telemetry.db-hot1"), join(data, "telemetry.db-hot1"));
    noteHang(data);
    expect(startOld()).toEqual({ kind: "serve" });
    expect(text(join(kept, "telemetry.db-hot1"))).toBe("new values");
    expect(text(join(data, "telemetry.db-hot1"))).toBe("copied values");
    expect([storedSchema(data, "telemetry.db"), storedSchema(kept, "telemetry.db")]).toEqual([1, 2]);
  });

  test("does not hold a stop in order against the new version", () => {
    for (let stops = 0; stops < 5; stops++) {
      noteStop(data, `${program}.next`);
      expect(startOld()).toMatchObject({ kind: "exec", watched: { crashes: 0, isStopped: false } });
    }
    expect(phase()).toBe("PROBATION");
  });

  test("ends with the new version in the place of the old one", () => {
    const step = startNew();
    if (step.kind === "prove") proveUpdate(context(step.state.next), step.state);
    expect([text(program), text(`${program}.previous`), phase()]).toEqual(["new", "old", "REPLACED"]);
  });
});

test("a start removes what an interrupted update has left beside the program, and nothing else", () => {
  const left = [`${program}.4194305.new`, `${program}.previous.4194305.new`, `${program}.next.part`];
  const kept = [`${program}.${process.pid}.new`, `${program}.previous`, join(root, "other.4194305.new")];
  for (const path of [...left, ...kept]) writeFileSync(path, "");
  utimesSync(`${program}.next.part`, 0, 0);
  settleUpdate({ ...context(program), now: () => Date.now() });
  expect(left.filter((path) => existsSync(path))).toEqual([]);
  expect(kept.filter((path) => existsSync(path))).toEqual(kept);
});
