import { afterAll, expect, test } from "bun:test";
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { takeFileLock } from "../../../src/platform/files/file-lock.ts";
import { lockIdOf, runsCopyOf, takeGatewayLock } from "../../../src/platform/files/gateway-lock.ts";
import { createRecord, writeRecord } from "../../../src/platform/files/inventory-record.ts";

const root = mkdtempSync(join(tmpdir(), "lineside-lock-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A process that has a file open, as far as it is ready. */
async function processWith(file: string): Promise<Bun.Subprocess> {
  const script = `require("node:fs").openSync(${JSON.stringify(file)}, "r"); console.log("ready"); setInterval(() => {}, 1e6)`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" });
  await child.stdout.getReader().read();
  return child;
}

test.skipIf(!existsSync("/proc/self/fd"))(
  "a gateway that runs keeps its directory, even if its lock file was deleted",
  async () => {
    const data = mkdtempSync(join(root, "data-"));
    writeFileSync(join(data, "telemetry.db"), "");
    const gateway = await processWith(join(data, "telemetry.db"));
    writeFileSync(join(data, "gateway.json"), JSON.stringify({ url: "http://127.0.0.1", pid: gateway.pid }));
    expect(takeGatewayLock(data)).toBeUndefined();
    gateway.kill();
    await gateway.exited;
    takeGatewayLock(data)?.release();
    expect(takeGatewayLock(data)).toBeDefined();
  },
);

test.skipIf(!existsSync("/proc/self/fd"))(
  "a process that has the deleted lock file open keeps the directory, without its number",
  async () => {
    const data = mkdtempSync(join(root, "data-"));
    writeFileSync(join(data, "lineside.lock"), "");
    const gateway = await processWith(join(data, "lineside.lock"));
    rmSync(join(data, "lineside.lock"));
    expect(takeGatewayLock(data)).toBeUndefined();
    gateway.kill();
    await gateway.exited;
    takeGatewayLock(data)?.release();
    expect(takeGatewayLock(data)).toBeDefined();
  },
);

test.skipIf(!existsSync("/proc/self/fd"))(
  "a deleted lock file that the last gateway began with keeps the directory",
  async () => {
    const data = mkdtempSync(join(root, "data-"));
    takeGatewayLock(data)?.release();
    const lock = lockIdOf(data);
    writeRecord(data, { ...createRecord({ gateway: "a", generation: 1, keys: {} }), lock });
    const gateway = await processWith(join(data, "lineside.lock"));
    rmSync(join(data, "lineside.lock"));
    expect(takeGatewayLock(data)).toBeUndefined();
    expect(lockIdOf(data)).not.toBe(lock);
    expect(takeGatewayLock(data)).toBeUndefined(); // nor with the file that the refused start has left
    gateway.kill();
    await gateway.exited;
    expect(takeGatewayLock(data)).toBeDefined();
  },
);

// Other names of the same files, as in the other place of a mount.
test.skipIf(!existsSync("/proc/self/fd"))(
  "a gateway that knows its directory by another path keeps it, even if its lock file was deleted",
  async () => {
    const [data, place] = [mkdtempSync(join(root, "data-")), mkdtempSync(join(root, "place-"))];
    writeFileSync(join(data, "telemetry.db"), "");
    linkSync(join(data, "telemetry.db"), join(place, "telemetry.db"));
    const gateway = await processWith(join(place, "telemetry.db"));
    writeFileSync(join(data, "gateway.json"), JSON.stringify({ url: "http://127.0.0.1", pid: gateway.pid }));
    expect(takeGatewayLock(data)).toBeUndefined();
    gateway.kill();
    await gateway.exited;

    rmSync(join(data, "gateway.json"));
    const lock = lockIdOf(data);
    writeRecord(data, { ...createRecord({ gateway: "a", generation: 1, keys: {} }), lock });
    linkSync(join(data, "lineside.lock"), join(place, "lineside.lock"));
    const other = await processWith(join(place, "lineside.lock"));
    rmSync(join(data, "lineside.lock"));
    rmSync(join(place, "lineside.lock"));
    expect(takeGatewayLock(data)).toBeUndefined();
    other.kill();
    await other.exited;
    expect(takeGatewayLock(data)).toBeDefined();
  },
);

test("a damaged lock file is emptied, unless the lock is held", () => {
  const file = join(mkdtempSync(join(root, "lock-")), "a.lock");
  writeFileSync(file, "x".repeat(4_096));
  const lock = takeFileLock(file);
  expect(lock).toBeDefined();
  writeFileSync(file, "y".repeat(4_096));
  expect(takeFileLock(file)).toBeUndefined();
  expect(readFileSync(file, "utf8")).toStartWith("y");
  lock?.release();
});

test.each<[string, (path: string) => void, string]>([
  ["a folder", (path) => mkdirSync(path), "is a folder"],
  ["a pipe", (path) => void Bun.spawnSync(["mkfifo", path]), "is a pipe or device"],
  ["a link to nothing", (path) => symlinkSync("/nonexistent/lock", path), "is a link"],
  ["a link to a database", (path) => symlinkSync("lineside.db", path), "is a link"],
])("%s in place of a lock file is named", (_, place, problem) => {
  const folder = mkdtempSync(join(root, "lock-"));
  writeFileSync(join(folder, "lineside.db"), "");
  place(join(folder, "a.lock"));
  expect(() => takeFileLock(join(folder, "a.lock"))).toThrow(`a.lock ${problem}`);
});

test("another process with the number of a gateway that died does not keep the directory", async () => {
  const data = mkdtempSync(join(root, "data-"));
  writeFileSync(join(root, "other"), "");
  const other = await processWith(join(root, "other"));
  writeFileSync(join(data, "gateway.json"), JSON.stringify({ url: "http://127.0.0.1", pid: other.pid }));
  const lock = takeGatewayLock(data);
  expect(lock).toBeDefined();
  expect(takeGatewayLock(data)).toBeUndefined();
  lock?.release();
  other.kill();
});

test.skipIf(!existsSync("/proc/self/fd"))(
  "neither the same directory under another path nor the number of another program counts as a copy that runs",
  async () => {
    const [data, other] = [mkdtempSync(join(root, "data-")), mkdtempSync(join(root, "data-"))];
    const record = createRecord({ gateway: "0123456789abcdef", generation: 1, keys: {} });
    for (const path of [data, other]) writeRecord(path, record);
    for (const name of ["telemetry.db", "lineside.lock"]) writeFileSync(join(other, name), "");
    const gateway = await processWith(join(other, "telemetry.db"));
    const note = (pid: number) =>
      writeFileSync(join(other, "gateway.json"), JSON.stringify({ url: "http://127.0.0.1", pid }));
    const found: boolean[] = [];
    for (const pid of [gateway.pid, process.pid]) {
      note(pid);
      found.push(runsCopyOf(data, other));
    }
    note(gateway.pid);
    linkSync(join(other, "lineside.lock"), join(data, "lineside.lock")); // as a mount shows it
    found.push(runsCopyOf(data, other));
    gateway.kill();
    await gateway.exited;
    expect(found).toEqual([true, false, false]);
  },
);
