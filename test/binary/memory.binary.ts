import { expect, test } from "bun:test";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../support/until.ts";
import { OWNER, send, signIn, start } from "./running-binary.ts";

/** The compiled program gives pages of its own file back and works on with what it reads again. */

const executable = join(import.meta.dir, "..", "..", "dist", `lineside-linux-${process.arch}`);

async function filePagesKb(pid: number): Promise<number> {
  return Number(/RssFile:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1]);
}

test("gives pages of the program back and goes on", async () => {
  const directory = await mkdtemp(join(tmpdir(), "lineside-memory-"));
  const running = await start([executable], directory, OWNER);
  try {
    const afterStartKb = await filePagesKb(running.pid);
    await until(async () => (await filePagesKb(running.pid)) < afterStartKb * 0.75, "fewer pages in memory");
    const token = await signIn(running.url);
    expect(await send(running.url, "/api/devices", { token })).toMatchObject({ status: 200 });
    expect((await fetch(`${running.url}/`)).status).toBe(200);
  } finally {
    expect(await running.stop()).toBe(0);
    await rm(directory, { recursive: true, force: true });
  }
});
