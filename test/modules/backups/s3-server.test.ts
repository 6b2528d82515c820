// Backups in a bucket of s3rver, a real S3-compatible server, where it is installed.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runBackup } from "../../../src/modules/backups/backup-job.ts";
import { restore } from "../../../src/modules/backups/restore-job.ts";
import { BackupRepository } from "../../../src/modules/backups/snapshot-repository.ts";
import { S3Target } from "../../../src/modules/backups/targets/s3-target.ts";
import { KEY_BYTES, KEY_NAMES } from "../../../src/platform/secrets/secret-keys.ts";
import { createOtherDatabases } from "../../support/other-databases.ts";
import { PROGRAM } from "../../support/program.ts";
import { createS3Server, hasS3Server, type S3Server } from "../../support/s3-server.ts";

if (!hasS3Server) console.warn("not run: backups to S3, without the package s3rver");

const ROWS = 2_000;
let root: string;
let data: string;
let server: S3Server | undefined;

const targetWith = (accessKeyId: string, bucket = "plant") =>
  new S3Target({
    kind: "s3",
    endpoint: `http://127.0.0.1:${server?.port}`,
    region: "us-east-1",
    bucket,
    prefix: "gateway-07/",
    accessKeyId,
    secretAccessKey: "S3RVER",
  });

const backUp = () =>
  runBackup(targetWith("S3RVER"), {
    dataPath: data,
    lineside: "test",
    now: () => Date.parse("2026-03-02T03:30:00Z"),
    bytesPerSecond: 1e12,
    opensAll: true,
    passphrase: "of the test",
    retention: { daily: 7, weekly: 4 },
    machine: undefined,
    verifyDays: 14,
  });

function withDatabase<Result>(folder: string, work: (db: Database) => Result): Result {
  const db = new Database(join(folder, "lineside.db"), { create: true });
  try {
    return work(db);
  } finally {
    db.close();
  }
}
const rowsIn = (folder: string) => withDatabase(folder, (db) => db.query("SELECT * FROM item").all());

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "lineside-s3-"));
  data = join(root, "data");
  mkdirSync(join(data, "secrets"), { recursive: true });
  for (const key of KEY_NAMES) writeFileSync(join(data, "secrets", key), "k".repeat(KEY_BYTES));
  withDatabase(data, (db) => {
    db.run("CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT)");
    const insert = db.prepare("INSERT INTO item VALUES (?, ?)");
    for (let id = 0; id < ROWS; id++) insert.run(id, crypto.randomUUID().repeat(8));
    insert.finalize();
  });
  createOtherDatabases(data);
  if (hasS3Server) server = await createS3Server("plant");
});
afterAll(async () => {
  await server?.stop();
  rmSync(root, { recursive: true, force: true });
});

test.if(hasS3Server)("a bucket keeps backups that add what is new, and restores the newest", async () => {
  const first = await backUp();
  withDatabase(data, (db) => db.run("UPDATE item SET text = 'changed' WHERE id = 5"));
  const second = await backUp();
  expect(second.addedBytes).toBeLessThan(first.addedBytes / 10);
  const repository = await BackupRepository.open(targetWith("S3RVER"), "of the test");
  expect((await repository.snapshots()).map(({ id }) => id)).toEqual([first.id, second.id]);
  const restored = join(root, "restored");
  await restore(targetWith("S3RVER"), { dataPath: restored, passphrase: "of the test", snapshot: undefined });
  expect(rowsIn(restored)).toEqual(rowsIn(data));
});

test.if(hasS3Server)("a key or a bucket that does not exist is named by the server", async () => {
  const failures = [targetWith("nobody").list(""), targetWith("S3RVER", "nowhere").list("")];
  const codes = await Promise.all(failures.map((failure) => failure.catch((error) => error.params.reason)));
  expect(codes).toEqual([
    "The AWS Access Key Id you provided does not exist in our records.",
    "The specified bucket does not exist",
  ]);
});

test.if(hasS3Server)(
  "the command backs up to a bucket, lists it, and ends although the server keeps connections open",
  async () => {
    const command = async (...args: string[]) => {
      const bucket = ["--to", "s3://plant/by-command", "--endpoint", `http://127.0.0.1:${server?.port}`];
      const child = Bun.spawn([...PROGRAM, "backup", ...args, ...bucket], {
        env: { ...process.env, AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "S3RVER" },
        stdio: ["ignore", "pipe", "pipe"],
      });
      const text = await new Response(child.stdout).text();
      return [await child.exited, text] as const;
    };
    const [madeCode, made] = await command("--data", data);
    expect([madeCode, made]).toEqual([0, expect.stringMatching(/^Backup \d{6}-/)]);
    const [listedCode, listed] = await command("list");
    expect([listedCode, listed]).toEqual([0, expect.stringMatching(/\d{6}-\d{8}T\d{6}Z/)]);
  },
  25_000,
);
