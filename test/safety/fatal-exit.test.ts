// A gateway that can never store anything again ends, so that its supervisor starts it anew.
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildPreload } from "../bench/processes.ts";
import { freePort } from "../support/free-port.ts";
import { mountLoopDisk } from "../support/loop-disk.ts";
import { PROGRAM } from "../support/program.ts";
import { until } from "../support/until.ts";

const EX_IOERR = 74;

test("after a failed fsync it says so and exits; the next start serves again", async () => {
  const directory = mkdtempSync(join(tmpdir(), "lineside-fatal-"));
  const library = buildPreload(directory, "failing-fsync");
  if (library === undefined) {
    if (process.env.CI) throw new Error("there is no C compiler to make a failing fsync with");
    console.warn("not run: there is no C compiler to make a failing fsync with");
    return;
  }
  const trigger = join(directory, "fails");
  const port = await freePort();
  const start = () =>
    Bun.spawn([...PROGRAM, "serve", "--data", directory, "--http-port", String(port), "--mqtt-port", "0"], {
      env: { PATH: process.env.PATH ?? "", LD_PRELOAD: library, FSYNC_FAILS: trigger },
      stdio: ["ignore", "ignore", "pipe"],
    });
  const readiness = () =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ status }) => status,
      () => 0,
    );
  try {
    const failing = start();
    await until(async () => (await readiness()) === 200);
    writeFileSync(trigger, "");
    // Any write that waits for the disk: the answer is 503, whatever it says of the request.
    const response = await fetch(`http://127.0.0.1:${port}/api/auth/exchange`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code: "none" }),
    });
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect([await failing.exited, await new Response(failing.stderr).text()]).toEqual([
      EX_IOERR,
      expect.stringContaining("gateway cannot continue, stopping"),
    ]);
    rmSync(trigger);
    const next = start();
    await until(async () => (await readiness()) === 200);
    next.kill("SIGTERM");
    expect(await next.exited).toBe(0);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

test("on a file system that has become read-only it exits, although nothing can be stopped in an orderly way", async () => {
  const home = mkdtempSync(join(tmpdir(), "lineside-fatal-"));
  const disk = mountLoopDisk(home, 64);
  try {
    if (disk === undefined) {
      console.warn("not run: this process may not mount a file system");
      return;
    }
    const port = await freePort();
    const options = ["--data", disk.path, "--http-port", String(port), "--mqtt-port", "0"];
    const child = Bun.spawn([...PROGRAM, "serve", ...options], {
      env: { PATH: process.env.PATH ?? "" },
      stdio: ["ignore", "ignore", "ignore"],
    });
    await until(() =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      ),
    );
    disk.abort();
    expect(await child.exited).toBe(EX_IOERR);
  } finally {
    disk?.unmount();
    rmSync(home, { recursive: true, force: true });
  }
});
