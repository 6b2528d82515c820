// Backups beside a writer, killed at random moments: every backup that counts is whole and holds all that was committed before it began.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BackupRepository } from "../../../src/modules/backups/snapshot-repository.ts";
import { FolderTarget } from "../../../src/modules/backups/targets/folder-target.ts";
import { KEY_BYTES, KEY_NAMES } from "../../../src/platform/secrets/secret-keys.ts";
import { createOtherDatabases } from "../../support/other-databases.ts";
import { PROGRAM } from "../../support/program.ts";
import { until } from "../../support/until.ts";

/** `BACKUP_KILL_ROUNDS` asks for more. */
const ROUNDS = Number(process.env.BACKUP_KILL_ROUNDS ?? 4);
let root: string;
let data: string;
let stick: string;
let committed = 0;
let writer: Bun.Subprocess<"ignore", "pipe", "inherit">;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "lineside-backup-kill-"));
  [data, stick] = [join(root, "data"), join(root, "stick")];
  mkdirSync(join(data, "secrets"), { recursive: true });
  for (const key of KEY_NAMES) writeFileSync(join(data, "secrets", key), "k".repeat(KEY_BYTES));
  mkdirSync(stick);
  writer = Bun.spawn([process.execPath, join(import.meta.dir, "backup-child.ts"), data], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  void (async () => {
    for await (const chunk of writer.stdout)
      committed = Number(Buffer.from(chunk).toString().trim().split("\n").at(-1));
  })();
  await until(() => committed > 1_000);
  createOtherDatabases(data);
});
afterAll(async () => {
  writer.kill("SIGKILL");
  await writer.exited;
  rmSync(root, { recursive: true, force: true });
});

const run = (...args: string[]) => Bun.spawn([...PROGRAM, ...args], { stdio: ["ignore", "ignore", "pipe"] });
const backUp = () => run("backup", "--data", data, "--to", stick, "--keep-all");
const snapshots = async () => (await BackupRepository.open(new FolderTarget(stick), undefined)).snapshots();

function countOf(folder: string, name: string): number {
  const db = new Database(join(folder, name), { readonly: true });
  try {
    return db.query<{ count: number }, []>("SELECT count(*) AS count FROM item").get()?.count ?? 0;
  } finally {
    db.close();
  }
}

test(
  "a backup or a restoration that is killed spoils neither what is kept nor what is there",
  async () => {
    expect(await backUp().exited).toBe(0);
    const started = performance.now();
    expect(await backUp().exited).toBe(0);
    const durationMs = performance.now() - started;
    for (let round = 0; round < ROUNDS; round++) {
      const killed = backUp();
      await Bun.sleep(Math.random() * durationMs); // the random moment is the subject
      killed.kill("SIGKILL");
      await killed.exited;

      const acknowledged = committed;
      const child = backUp();
      expect([await child.exited, await new Response(child.stderr).text()]).toEqual([0, ""]);
      const target = join(root, "restored");
      const interrupted = run("restore", "--from", stick, "--data", target, "--replace");
      await Bun.sleep(Math.random() * durationMs);
      interrupted.kill("SIGKILL");
      await interrupted.exited;
      expect(await run("restore", "--from", stick, "--data", target, "--replace").exited).toBe(0);
      const counts = [countOf(target, "lineside.db"), countOf(target, "telemetry.db")] as const;
      expect(counts[0]).toBeGreaterThanOrEqual(acknowledged);
      // Frozen at one moment: the writer commits to one after the other.
      expect(counts[0] - counts[1]).toBeOneOf([0, 20]);
    }
    const kept = await snapshots();
    expect(kept.length).toBeGreaterThanOrEqual(ROUNDS + 2);
    for (const { id } of kept)
      expect(await run("backup", "verify", id, "--to", stick, "--data", data).exited).toBe(0);
  },
  60_000 + ROUNDS * 10_000,
);
