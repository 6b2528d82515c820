// Random damage at the place of the backups, and restorations after it: nothing wrong is ever restored, what is lost is named, and the next
// backup is whole. `BACKUP_DAMAGE_ROUNDS` asks for more rounds, `BACKUP_DAMAGE_SEED` for others.
import { expect, test } from "bun:test";
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DomainError } from "../../src/lib/core/domain-error.ts";
import { createRandom } from "../../src/lib/data/random.ts";
import { BackupFixture, DAY_MS } from "../modules/backups/backup-fixture.ts";

const ROUNDS = Number(process.env.BACKUP_DAMAGE_ROUNDS ?? 3);
const SEED = Number(process.env.BACKUP_DAMAGE_SEED ?? 1);
const ROUND_MS_MAX = 10_000;
const DAMAGES_MAX = 4;

type Random = () => number;
type Damage = (path: string, random: Random, other: string) => void;

const damages: Record<string, Damage> = {
  deleted: (path) => rmSync(path, { force: true }),
  empty: (path) => truncateSync(path, 0),
  cut: (path, random) => truncateSync(path, Math.floor(random() * statSync(path).size)),
  flipped: (path, random) =>
    change(path, (bytes) => {
      if (bytes.length === 0) return;
      const index = Math.floor(random() * bytes.length);
      bytes[index] = (bytes[index] ?? 0) ^ (1 << Math.floor(random() * 8));
    }),
  zeroed: (path, random) =>
    change(path, (bytes) => {
      const index = Math.floor(random() * bytes.length);
      bytes.fill(0, index, Math.min(bytes.length, index + 4_096));
    }),
  replaced: (path, _, other) => writeFileSync(path, readFileSync(other)),
  swapped(path, _, other) {
    renameSync(path, `${path}.swap`);
    if (other !== path) renameSync(other, path);
    renameSync(`${path}.swap`, other);
  },
};

function change(path: string, work: (bytes: Buffer) => void): void {
  const bytes = readFileSync(path);
  work(bytes);
  writeFileSync(path, bytes);
}

/** What a snapshot has to give back. */
interface Expected {
  readonly id: string;
  readonly rows: unknown[];
  readonly values: number;
}

const totals = { whole: 0, refused: 0, inPart: 0, repaired: 0 };

const pick = <Item>(items: readonly Item[], random: Random): Item =>
  items[Math.floor(random() * items.length)] as Item;

const objects = (fixture: BackupFixture) =>
  readdirSync(fixture.stick, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();

/** Restores a snapshot strictly. Returns whether it was restored; then it is what was backed up, to the last value. */
async function isRestored(fixture: BackupFixture, { id, rows, values }: Expected): Promise<boolean> {
  const folder = join(fixture.root, "strict");
  rmSync(folder, { recursive: true, force: true });
  try {
    await fixture.restore(folder, { snapshot: id });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    expect(existsSync(join(folder, "restoring"))).toBe(false);
    return false;
  }
  expect(fixture.rows(folder)).toEqual(rows);
  expect(await fixture.values(folder)).toEqual({ right: values, wrong: 0 });
  return true;
}

/** Restores what can be read. What is missing then is named, and nothing is wrong. */
async function restoreInPart(fixture: BackupFixture, { id, values }: Expected): Promise<void> {
  const folder = join(fixture.root, "part");
  rmSync(folder, { recursive: true, force: true });
  try {
    const report = await fixture.restore(folder, { snapshot: id, skipsDamaged: true });
    const isNamed = report.damaged.length + report.skipped.length > 0;
    if (report.skipped.includes("telemetry.db")) return;
    const found = await fixture.values(folder);
    expect(found.wrong).toBe(0);
    if (found.right < values) expect(isNamed).toBe(true);
    totals.inPart++;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
  }
}

async function playRound(seed: number): Promise<void> {
  const random = createRandom(seed);
  const fixture = new BackupFixture();
  try {
    if (seed % 3 === 0) fixture.passphrase = "correct horse";
    const expected: Expected[] = [];
    for (let day = 0; day < 3; day++) {
      await fixture.fill(60);
      const { id } = await fixture.backUp();
      expected.push({ id, rows: fixture.rows(fixture.data), values: fixture.valuesWritten });
      fixture.now += DAY_MS;
    }
    for (let count = 1 + Math.floor(random() * DAMAGES_MAX); count > 0; count--) {
      const [path, other] = [pick(objects(fixture), random), pick(objects(fixture), random)];
      pick(Object.values(damages), random)(path, random, other);
    }
    for (const snapshot of expected)
      if (await isRestored(fixture, snapshot)) totals.whole++;
      else {
        totals.refused++;
        await restoreInPart(fixture, snapshot);
      }
    await backUpAgain(fixture, expected);
  } finally {
    fixture.dispose();
  }
}

/** The next backup is good whatever has happened, and tells the truth about those before. */
async function backUpAgain(fixture: BackupFixture, expected: readonly Expected[]): Promise<void> {
  let result: Awaited<ReturnType<typeof fixture.backUp>>;
  try {
    result = await fixture.backUp({ verifyDays: 1 });
  } catch (error) {
    // Only the record of the place, and its copy, cannot be written anew: they have the salt.
    if (!(error instanceof DomainError)) throw error;
    expect(String(error.params.name)).toStartWith("repository");
    return;
  }
  totals.repaired += result.place.repairedSnapshots.length;
  const newest = { id: result.id, rows: fixture.rows(fixture.data), values: fixture.valuesWritten };
  expect(await isRestored(fixture, newest)).toBe(true);
  const kept = new Set((await (await fixture.repository()).snapshots()).map(({ id }) => id));
  for (const snapshot of expected)
    expect([snapshot.id, await isRestored(fixture, snapshot)]).toEqual([
      snapshot.id,
      kept.has(snapshot.id) && !result.place.damagedSnapshots.includes(snapshot.id),
    ]);
}

test(
  "after random damage a restoration is exact or refused, and the next backup is whole",
  async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const seed = SEED + round;
      try {
        await playRound(seed);
      } catch (error) {
        throw new Error(`round with seed ${seed}`, { cause: error });
      }
    }
    console.log(`${ROUNDS} rounds:`, totals);
    // Otherwise the damage does nothing, or the restorations do.
    expect(totals.whole).toBeGreaterThan(0);
    expect(totals.refused).toBeGreaterThan(0);
  },
  60_000 + ROUNDS * ROUND_MS_MAX,
);
