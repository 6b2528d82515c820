import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { takeGatewayLock } from "../../src/platform/gateway-lock.ts";

const root = mkdtempSync(join(tmpdir(), "lineside-lock-"));
afterAll(() => rmSync(root, { recursive: true }));

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
