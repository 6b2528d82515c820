import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stageUpdate } from "../../../src/modules/updates/update-stage.ts";
import { readState, writeState } from "../../../src/modules/updates/update-state.ts";
import { type UpdatesDeps, UpdatesService } from "../../../src/modules/updates/updates.service.ts";
import { createKeys, createUpdate, fakeProgram, TARGET } from "../../support/update-files.ts";

const keys = createKeys();
let root: string;
let data: string;
let program: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "lineside-update-stage-"));
  data = join(root, "data");
  program = join(root, "lineside");
  mkdirSync(data);
  writeFileSync(program, "old");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function stage(version: string, backUp: () => Promise<void> = async () => undefined) {
  const file = join(root, `${version}.update`);
  writeFileSync(file, createUpdate(fakeProgram(version, ""), { version }, keys.privateKey));
  return stageUpdate({
    file,
    dataPath: data,
    running: { version: "0.1.0", path: program, target: TARGET, key: keys.publicKey },
    allowsOlder: false,
    readyWithinMs: 1_000,
    probationMs: 0,
    actor: { type: "COMMAND_LINE", id: null, name: "test" },
    backUp,
  });
}

const gateway = () => new UpdatesService({ dataPath: data } as UpdatesDeps);
const staged = () => [readState(data)?.phase, readState(data)?.to];

test("an update that waits for a restart is named, and another one replaces it", async () => {
  expect(gateway().problem()).toBeUndefined();
  await stage("0.2.0");
  expect(gateway().problem()).toEqual({
    severity: "WARNING",
    code: "update.staged",
    params: { version: "0.2.0" },
  });
  await stage("0.2.0");
  await stage("0.3.0");
  expect(staged()).toEqual(["STAGED", "0.3.0"]);
  expect(readFileSync(`${program}.next`, "utf8")).toContain("lineside 0.3.0");
});

test("an update that waits for a restart is discarded", async () => {
  await stage("0.2.0");
  gateway().discard();
  expect([...staged(), existsSync(`${program}.next`)]).toEqual([undefined, undefined, false]);
  expect(gateway().problem()).toBeUndefined();
});

test("an update that has begun is neither replaced nor discarded, even if it began during the backup", async () => {
  await stage("0.2.0");
  const state = readState(data);
  if (state === undefined) throw new Error("nothing is staged");
  const begin = async () => writeState(data, { ...state, phase: "TRIAL" });
  for (const backUp of [begin, undefined]) {
    const code = await stage("0.3.0", backUp).catch((error: { code?: string }) => error.code);
    expect(code).toBe("update.in_progress");
    gateway().discard();
    expect(staged()).toEqual(["TRIAL", "0.2.0"]);
    expect(readFileSync(`${program}.next`, "utf8")).toContain("lineside 0.2.0");
  }
});
