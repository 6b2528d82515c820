import { expect, test } from "bun:test";
import { join } from "node:path";
import { StoreFixture } from "./store-fixture.ts";

const child = join(import.meta.dir, "kill-child.ts");

/** Lets a child append for a while, kills it, and returns the sequence numbers up to which it saw acknowledgements. */
async function runAndKill(file: string, first: number, afterLines: number): Promise<number> {
  const process_ = Bun.spawn([process.execPath, child, file, String(first)], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const decoder = new TextDecoder();
  let text = "";
  let killed = false;
  for await (const chunk of process_.stdout) {
    text += decoder.decode(chunk, { stream: true });
    if (!killed && text.split("\n").length > afterLines) {
      process_.kill("SIGKILL");
      killed = true;
    }
  }
  await process_.exited;
  const lines = text.split("\n").slice(0, -1);
  const last: [number, number] | undefined = lines.length === 0 ? undefined : JSON.parse(lines.at(-1) ?? "");
  return last?.[1] ?? first;
}

test("every point acknowledged before a SIGKILL is there once, with its value", async () => {
  const fixture = new StoreFixture();
  let acknowledged = 0;
  try {
    for (const afterLines of [1, 60, 250, 400]) {
      acknowledged = await runAndKill(fixture.file, acknowledged, afterLines);
      await fixture.store.start();
      const seen = new Set<number>();
      for (const device of ["k0", "k1", "k2"]) {
        for (const [ts, value] of await fixture.points(device, "n")) {
          expect(value).toBe(ts);
          expect(seen.has(ts)).toBe(false);
          seen.add(ts);
        }
        for (const [ts, value] of await fixture.points(device, "text")) expect(value).toBe(`s${ts}`);
      }
      for (let sequence = 0; sequence < acknowledged; sequence++) expect(seen.has(sequence)).toBe(true);
      await fixture.restart();
      await fixture.store.stop();
    }
    expect(acknowledged).toBeGreaterThan(1_000);
  } finally {
    await fixture.dispose();
  }
}, 60_000);
