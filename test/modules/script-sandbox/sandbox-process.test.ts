import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock } from "../../support/fake-clock.ts";
import { until } from "../../support/until.ts";
import { failureOf, good, openSandbox, returnOf, sandbox, useSandbox } from "./sandbox-fixture.ts";

useSandbox();

describe("the process", () => {
  test("has no environment, no descriptors of the gateway's, and can open nothing", async () => {
    await sandbox.run({ ...good, key: "p" });
    expect(readFileSync(`/proc/${sandbox.pid}/environ`, "utf8")).toBe("TZ=UTC\0");
    expect(readdirSync(`/proc/${sandbox.pid}/fd`).length).toBeLessThanOrEqual(6);
    expect(readFileSync(`/proc/${sandbox.pid}/limits`, "utf8")).toMatch(/Max open files +0 +0/);
  });

  test("runs on UTC, wherever the gateway is", async () => {
    const source =
      "function transform() { return [new Date(0).getHours(), new Date(2026, 6, 1).getTimezoneOffset()]; }";
    expect(await returnOf(source)).toEqual([0, 0]);
  });

  test("takes messages of any size that a script may have, and gives back what it may", async () => {
    const message = Array.from({ length: 250 }, (_, row) => `${row} ${"ü".repeat(1_900)}`);
    const source = "function transform(list) { return list.slice(0, 100); }";
    const { value } = await sandbox.run({ tenantId: "t", source, key: "large", message, metadata: {} });
    expect(value).toEqual(message.slice(0, 100));
  });

  test("starts with the first script, ends when idle, and starts again", async () => {
    const clock = new FakeClock();
    const own = openSandbox({ clock });
    expect(own.pid).toBeUndefined();
    await own.run({ ...good, key: "k" });
    const first = own.pid;
    expect(first).toBeNumber();
    clock.advance(59_000);
    expect(own.pid).toBe(first);
    clock.advance(1_001);
    expect(own.pid).toBeUndefined();
    expect((await own.run({ ...good, key: "k" })).value).toEqual(good.value);
    expect(own.pid).not.toBe(first);
    await own.stop();
  });

  test("is replaced when something else ends it, unnoticed by the script", async () => {
    const own = openSandbox();
    await own.run({ ...good, key: "k" });
    process.kill(own.pid as number, "SIGKILL");
    expect((await own.run({ ...good, key: "k" })).value).toEqual(good.value);
    await own.stop();
  });

  test("that does not start is reported as unavailable, and so is one that answers nonsense", async () => {
    for (const command of [
      ["/bin/false"],
      ["/bin/sh", "-c", "head -c 100 /dev/urandom; cat >/dev/null"],
      ["/no/such/program"],
    ]) {
      const own = openSandbox({ command });
      expect(await failureOf(own.run({ ...good, key: "k" }))).toMatchObject({
        code: "script.unavailable",
        kind: "unavailable",
      });
      await own.stop();
    }
  });

  test("that does not start is not tried again for each message, but after a while", async () => {
    const directory = await mkdtemp(join(tmpdir(), "lineside-scripts-"));
    const clock = new FakeClock();
    clock.advance(10_000);
    const own = openSandbox({ clock, command: ["/bin/sh", "-c", `echo tried >> ${directory}/tries`] });
    const tries = () => readFileSync(`${directory}/tries`, "utf8").split("\n").length - 1;
    const ask = () => Promise.allSettled(Array.from({ length: 20 }, () => own.run({ ...good, key: "k" })));
    await ask();
    await ask();
    expect(tries()).toBe(1);
    clock.advance(2_000);
    await ask();
    expect(tries()).toBe(2);
    await own.stop();
    await rm(directory, { recursive: true });
  });

  test("ends with the gateway, also under a script that the interpreter cannot stop", async () => {
    const child = Bun.spawn([process.execPath, `${import.meta.dir}/endless-script-child.ts`], {
      stdout: "pipe",
      stderr: "inherit",
    });
    const reader = child.stdout.getReader();
    const pid = Number(new TextDecoder().decode((await reader.read()).value));
    child.kill("SIGKILL");
    await child.exited;
    await until(() => !isAlive(pid));
  });

  test("is not there after stop, and nothing is run any more", async () => {
    const own = openSandbox();
    await own.run({ ...good, key: "k" });
    const pid = own.pid as number;
    const left = own.run({ ...good, key: "k", source: "while (true);" });
    const queued = own.run({ ...good, key: "k" });
    await own.stop();
    for (const promise of [left, queued, own.run({ ...good, key: "k" })])
      expect((await failureOf(promise)).code).toBe("script.unavailable");
    await until(() => !isAlive(pid));
  });
});

/** A killed process that nobody has asked about stays in the table as a zombie. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
