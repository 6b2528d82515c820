// Updates of the compiled program: two versions of it, and programs that crash, hang or change the databases in its place.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../support/until.ts";
import {
  buildVersion,
  createKeys,
  createUpdate,
  endProcess,
  fakeProgram,
  isRunning,
  MIGRATE,
  newerSchemas,
  readProgram,
  runningPid,
  tableNames,
  type UpdateFields,
} from "../support/update-files.ts";
import { OWNER, type Running, send, signIn, start } from "./running-binary.ts";

const keys = createKeys();
let builds: string;
let [oldProgram, newProgram] = ["", ""];
let directory: string;
let program: string;
let data: string;
let running: Running | undefined;

beforeAll(() => {
  builds = mkdtempSync(join(tmpdir(), "lineside-builds-"));
  oldProgram = buildVersion(builds, "0.1.0", keys.publicKey);
  newProgram = buildVersion(builds, "0.2.0", keys.publicKey);
});
afterAll(() => rmSync(builds, { recursive: true, force: true }));

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "lineside-update-"));
  program = join(directory, "lineside");
  data = join(directory, "data");
  copyFileSync(oldProgram, program);
});
afterEach(async () => {
  for (const pid of [running?.pid, gatewayPid()])
    if (pid !== undefined && isRunning(pid)) await endProcess(pid);
  running = undefined;
  // A program that has just ended may still remove a file of its own meanwhile.
  rmSync(directory, { recursive: true, force: true });
});

const startOld = async () => {
  running = await start([program], directory, OWNER);
  return running;
};

const gatewayPid = () => runningPid(data);

const output = () => running?.output() ?? "";
const versionsReady = () => [...output().matchAll(/ready .*version=(\S+)/g)].map(([, version]) => version);
const result = () => JSON.parse(readFileSync(join(data, "update", "result.json"), "utf8"));

function writeUpdate(executable: Uint8Array, fields: UpdateFields, key = keys.privateKey): string {
  const file = join(directory, `${fields.version}.update`);
  writeFileSync(file, createUpdate(executable, fields, key));
  return file;
}

/** Runs `lineside update`, without a probation unless an option asks for one; resolves to its exit code and what it printed. */
async function update(file: string, ...options: string[]) {
  const command = [program, "update", file, "--data", data, "--probation", "0", ...options];
  const child = Bun.spawn(command, {
    cwd: directory,
    env: { PATH: process.env.PATH ?? "" },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [printed, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { code: await child.exited, text: printed + errors };
}

const tablesOf = (file: string) => tableNames(join(data, file));

describe("a running gateway", () => {
  test("becomes the new version in the same process, and keeps the old executable", async () => {
    const { url } = await startOld();
    const pid = gatewayPid();
    const { code, text } = await update(writeUpdate(readProgram(newProgram), { version: "0.2.0" }));
    expect([code, text]).toEqual([0, expect.stringContaining("The gateway runs 0.2.0.")]);
    expect(gatewayPid()).toBe(pid as number);
    expect(versionsReady()).toEqual(["0.1.0", "0.2.0"]);
    expect(result()).toMatchObject({ outcome: "UPDATED", from: "0.1.0", to: "0.2.0" });
    expect(readProgram(program).equals(readProgram(newProgram))).toBe(true);
    expect(readProgram(`${program}.previous`).equals(readProgram(oldProgram))).toBe(true);
    expect(statSync(program).mode & 0o777).toBe(0o755);
    expect(url).not.toBe("");
    expect(readdirSync(join(data, "update", "backup"))).toContain("repository.json");

    await running?.stop();
    running = await start([program], directory, {});
    expect(versionsReady()).toEqual(["0.2.0"]);
    expect(existsSync(`${program}.next`)).toBe(false);
    expect(existsSync(join(data, "update", "state.json"))).toBe(false);
  });

  test("rolls back a version that crashes, with the database that it has migrated", async () => {
    await startOld();
    const crashing = fakeProgram("0.3.0", `${MIGRATE}kill -9 $$`);
    const { code, text } = await update(writeUpdate(crashing, { version: "0.3.0", schemas: newerSchemas() }));
    expect([code, text]).toEqual([1, expect.stringContaining("ended before it was ready")]);
    await until(() => versionsReady().length === 2);
    expect(versionsReady()).toEqual(["0.1.0", "0.1.0"]);
    expect(tablesOf("lineside.db")).not.toContain("newer");
    expect(readProgram(program).equals(readProgram(oldProgram))).toBe(true);
    expect(existsSync(`${program}.next`)).toBe(false);
    expect(existsSync(join(data, "update", "copies"))).toBe(false);
  });

  test("rolls back a version that hangs", async () => {
    await startOld();
    const hanging = fakeProgram("0.3.0", `${MIGRATE}while :; do sleep 1; done`);
    const file = writeUpdate(hanging, { version: "0.3.0", schemas: newerSchemas() });
    const { code, text } = await update(file, "--ready-within", "1");
    expect([code, text]).toEqual([1, expect.stringContaining("not ready within 1 s")]);
    await until(() => versionsReady().length === 2);
    expect(tablesOf("lineside.db")).not.toContain("newer");
  });
});

/** See `readyAs`: a first failure is printed, a second one fails. */
const TRIED_TWICE = { retry: 1 };

describe("a version on probation", () => {
  /** Once in some hundred runs on a busy machine, the first start of the new version does not come. What is known then is printed. */
  const readyAs = (version: string, count: number) =>
    until(() => versionsReady().filter((ready) => ready === version).length === count).catch((error) => {
      const [pid, folder] = [gatewayPid(), join(data, "update")];
      const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
      const states = files.map((name) => readFileSync(join(folder, name), "utf8"));
      console.log("the update is stuck:", { pid, states, output: output() });
      throw error;
    });

  /** Ends the gateway as a crash does. */
  async function crash(): Promise<void> {
    const pid = gatewayPid();
    if (pid === undefined) throw new Error("the gateway does not run");
    await endProcess(pid);
  }

  test("that dies after it was ready, and at each start, gives way to the version before it", async () => {
    await startOld();
    const file = writeUpdate(readProgram(newProgram), { version: "0.2.0" });
    const updating = update(file, "--no-backup", "--probation", "120");
    await readyAs("0.2.0", 1);
    for (const expected of ["0.2.0", "0.2.0", "0.1.0"]) {
      await crash();
      running = await start([program], directory, {}); // as a supervisor does
      expect(versionsReady()).toEqual([expected]);
    }
    const { code, text } = await updating;
    expect([code, text]).toEqual([1, expect.stringContaining("crashed 3 times on probation")]);
    expect(result()).toMatchObject({ outcome: "ROLLED_BACK", reason: { code: "update.crashed" } });
    expect(readProgram(program).equals(readProgram(oldProgram))).toBe(true);
    expect(existsSync(`${program}.next`)).toBe(false);
  });

  test(
    "that dies once is started again without a supervisor, and stays when it has run for long enough",
    async () => {
      await startOld();
      const file = writeUpdate(readProgram(newProgram), { version: "0.2.0" });
      const updating = update(file, "--no-backup", "--probation", "5");
      await readyAs("0.2.0", 1);
      await crash();
      await readyAs("0.2.0", 2);
      const { code, text } = await updating;
      expect([code, text]).toEqual([0, expect.stringContaining("The gateway runs 0.2.0.")]);
      expect(readProgram(program).equals(readProgram(newProgram))).toBe(true);
    },
    TRIED_TWICE,
  );

  test("that is stopped in order is started again as often as anybody likes", async () => {
    await startOld();
    await running?.stop();
    await update(
      writeUpdate(readProgram(newProgram), { version: "0.2.0" }),
      "--no-backup",
      "--probation",
      "120",
    );
    for (let starts = 0; starts < 4; starts++) {
      running = await start([program], directory, {});
      expect(versionsReady()).toEqual(["0.2.0"]);
      await running.stop();
    }
    expect(JSON.parse(readFileSync(join(data, "update", "state.json"), "utf8"))).toMatchObject({
      phase: "PROBATION",
      crashes: 0,
    });
  });
});

describe("the console's API", () => {
  const PART_BYTES = 512 * 1024;
  const UPDATE = "/api/gateway/update";

  async function uploadPart(url: string, token: string, { file, offset }: { file: Buffer; offset: number }) {
    const response = await fetch(`${url}${UPDATE}/upload?offset=${offset}`, {
      method: "PUT",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/octet-stream" },
      body: new Uint8Array(file.subarray(offset, offset + PART_BYTES)),
    });
    // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
    return { status: response.status, body: (await response.json()) as any };
  }

  test("takes an update in parts, installs it, and says what became of it", async () => {
    const { url } = await startOld();
    const token = await signIn(url);
    const file = createUpdate(readProgram(newProgram), { version: "0.2.0" }, keys.privateKey);
    const forged = createUpdate(readProgram(newProgram), { version: "0.2.0" }, createKeys().privateKey);
    const refused = await uploadPart(url, token, { file: forged, offset: 0 });
    expect([refused.status, refused.body.code]).toEqual([400, "update.signature_wrong"]);
    await uploadPart(url, token, { file, offset: 0 });
    const again = await uploadPart(url, token, { file, offset: 5 });
    expect([again.status, again.body]).toMatchObject([409, { params: { offset: PART_BYTES } }]);
    const early = await send(url, `${UPDATE}/install`, { token, body: {} });
    expect([early.status, early.body.code]).toEqual([409, "update.not_uploaded"]);
    for (let offset = PART_BYTES; offset < file.length; offset += PART_BYTES)
      expect((await uploadPart(url, token, { file, offset })).status).toBe(200);
    const ready = await send(url, UPDATE, { token });
    expect(ready.body.upload).toMatchObject({
      version: "0.2.0",
      bytes: file.length,
      totalBytes: file.length,
    });
    expect((await send(url, `${UPDATE}/install`, { token, body: {} })).status).toBe(202);

    await until(() => versionsReady().length === 2);
    expect(versionsReady()).toEqual(["0.1.0", "0.2.0"]);
    const newUrl = /version=0\.2\.0 url=(\S+)/.exec(output())?.[1] ?? "";
    const { body } = await send(newUrl, UPDATE, { token });
    expect(body).toMatchObject({ version: "0.2.0", isInstalling: false, isOnProbation: true });
    expect(body.upload).toBeUndefined();
    const actions = async () =>
      (await send(newUrl, "/api/audit", { token })).body.map(({ action }: { action: string }) => action);
    await until(async () => (await actions()).includes("gateway.update"));
  });

  test("names the command to run where the gateway may not replace its executable", async () => {
    const { url } = await startOld();
    const token = await signIn(url);
    chmodSync(directory, 0o555);
    const { body } = await send(url, UPDATE, { token });
    chmodSync(directory, 0o755);
    // Root may write everywhere.
    if (process.getuid?.() === 0) expect(body.problem).toBeUndefined();
    else expect(body.problem.message).toContain(`sudo ${program} update FILE --data ${data}`);
  });
});

describe("a gateway that does not run", () => {
  test("begins the update with its next start", async () => {
    await startOld();
    await running?.stop();
    const { code, text } = await update(writeUpdate(readProgram(newProgram), { version: "0.2.0" }));
    expect([code, text]).toEqual([0, expect.stringContaining("next start")]);
    expect(readProgram(program).equals(readProgram(oldProgram))).toBe(true);
    running = await start([program], directory, {});
    expect(versionsReady()).toEqual(["0.2.0"]);
    expect(readProgram(program).equals(readProgram(newProgram))).toBe(true);
  });

  test("goes back in the same process when the start of the new version fails", async () => {
    await startOld();
    await running?.stop();
    await update(writeUpdate(readProgram(newProgram), { version: "0.2.0" }), "--no-backup");
    const taken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    const settings = ["--http-host", "127.0.0.1", "--http-port", String(taken.port), "--mqtt-port", "0"];
    const { exitCode } = Bun.spawnSync([program, ...settings], {
      cwd: directory,
      stdio: ["ignore", "ignore", "ignore"],
    });
    taken.stop(true);
    expect(exitCode).toBe(1);
    expect(result()).toMatchObject({ outcome: "ROLLED_BACK", reason: { code: "update.start_failed" } });
    running = await start([program], directory, {});
    expect(versionsReady()).toEqual(["0.1.0"]);
  });
});

describe("a kill", () => {
  const ROUNDS = 12;
  /** How far the moments reach, in times that the executable takes to be replaced: a busy machine takes longer. */
  const REACH = 2;

  test("at any moment of an update leaves a gateway that starts, as one version or the other", async () => {
    const file = writeUpdate(readProgram(newProgram), { version: "0.2.0", schemas: newerSchemas() });
    const outcomes = new Set<string | undefined>();
    let replacedMs = 0;
    for (let round = 0; round < ROUNDS; round++) {
      rmSync(data, { recursive: true, force: true });
      for (const file of [program, `${program}.next`]) rmSync(file, { force: true });
      copyFileSync(oldProgram, program);
      const { pid } = await startOld();
      const command = [program, "update", file, "--data", data, "--no-backup", "--probation", "0"];
      const [began, { ino }] = [performance.now(), statSync(program)];
      const updating = Bun.spawn(command, { cwd: directory, stdio: ["ignore", "ignore", "ignore"] });
      const isReplaced = () => statSync(program, { throwIfNoEntry: false })?.ino !== ino;
      if (round === 0) {
        await until(isReplaced);
        replacedMs = performance.now() - began;
      } else await Bun.sleep((REACH * replacedMs * (round - 1)) / (ROUNDS - 1)); // the moment of the kill
      updating.kill("SIGKILL");
      if (!isRunning(pid)) throw new Error(`the gateway ended by itself: ${output()}`);
      await endProcess(pid);
      for (let starts = 0; starts < 2; starts++) {
        running = await start([program], directory, {});
        await running.stop();
      }
      running = await start([program], directory, {});
      expect(existsSync(join(data, "update", "state.json"))).toBe(false);
      const isNew = readProgram(program).equals(readProgram(newProgram));
      expect(versionsReady()).toEqual([isNew ? "0.2.0" : "0.1.0"]);
      outcomes.add(versionsReady()[0]);
      await running.stop();
    }
    expect(outcomes).toEqual(new Set(["0.1.0", "0.2.0"]));
  });
});

describe("an update file", () => {
  beforeEach(async () => {
    await startOld();
    await running?.stop();
  });

  const refused: [string, () => [Uint8Array, UpdateFields], string][] = [
    [
      "for another machine",
      () => [fakeProgram("0.3.0", ""), { version: "0.3.0", target: "linux-riscv" }],
      "linux-riscv",
    ],
    ["of the same version", () => [fakeProgram("0.1.0", ""), { version: "0.1.0" }], "already"],
    ["of an older version", () => [fakeProgram("0.0.9", ""), { version: "0.0.9" }], "--allow-older"],
    ["that does not run", () => [fakeProgram("0.4.0", ""), { version: "0.3.0" }], "does not run"],
    [
      "with another checksum",
      () => [fakeProgram("0.3.0", ""), { version: "0.3.0", sha256: "00" }],
      "damaged",
    ],
    ["that is cut off", () => [fakeProgram("0.3.0", ""), { version: "0.3.0", bytes: 9_999 }], "not complete"],
    [
      "that cannot read the data",
      () => [fakeProgram("0.3.0", ""), { version: "0.3.0", schemas: { "lineside.db": 1 } }],
      "newer",
    ],
  ];
  for (const [name, update_, message] of refused)
    test(`${name} is refused, and changes nothing`, async () => {
      const { code, text } = await update(writeUpdate(...update_()));
      expect([code, text]).toEqual([1, expect.stringContaining(message)]);
      expect(readdirSync(directory).filter((file) => file.startsWith("lineside"))).toEqual(["lineside"]);
      expect(existsSync(join(data, "update", "state.json"))).toBe(false);
    });

  test("with another signature is refused", async () => {
    const { privateKey } = createKeys();
    const file = writeUpdate(fakeProgram("0.3.0", ""), { version: "0.3.0" }, privateKey);
    expect(await update(file)).toEqual({ code: 1, text: expect.stringContaining("signature") });
  });

  test("that is cut off does not pass --check", async () => {
    const file = writeUpdate(fakeProgram("0.3.0", ""), { version: "0.3.0" });
    expect(await update(file, "--check")).toEqual({ code: 0, text: expect.stringContaining(" complete,") });
    writeFileSync(file, readFileSync(file).subarray(0, -1));
    expect(await update(file, "--check")).toEqual({ code: 1, text: expect.stringContaining("not complete") });
  });
});
