import { Database } from "bun:sqlite";
import { createHash, generateKeyPairSync } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeUpdateHead, type UpdateManifest } from "../../src/modules/updates/update-file.ts";
import { ownSchemas } from "../../src/platform/database/data-schemas.ts";
import { until } from "./until.ts";

const root = join(import.meta.dir, "..", "..");
export const TARGET = `linux-${process.arch}`;

/** Key pair of a test's own builds. */
export const createKeys = () => {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  return { publicKey: publicKey.export({ type: "spki", format: "pem" }).toString(), privateKey };
};

/** Builds the executable of a version that checks updates with the key. Returns its path. */
export function buildVersion(directory: string, version: string, publicKey: string): string {
  const folder = join(directory, version);
  mkdirSync(folder, { recursive: true });
  const keyFile = join(folder, "key.pem");
  writeFileSync(keyFile, publicKey);
  const { exitCode, stderr } = Bun.spawnSync(
    [process.execPath, join(root, "src", "tools", "build", "build.ts"), TARGET],
    {
      cwd: root,
      env: {
        ...process.env,
        SOURCE_VERSION: version,
        UPDATE_PUBLIC_KEY_FILE: keyFile,
        BUILD_DIRECTORY: folder,
      },
      stdout: "ignore",
      stderr: "pipe",
    },
  );
  if (exitCode !== 0) throw new Error(`the build failed: ${stderr}`);
  const program = join(folder, `lineside-${TARGET}`);
  chmodSync(program, 0o755);
  return program;
}

export type UpdateFields = Partial<UpdateManifest> & { readonly version: string };

/** Returns a signed update file with the given executable. */
export function createUpdate(
  executable: Uint8Array,
  fields: UpdateFields,
  privateKey: ReturnType<typeof createKeys>["privateKey"],
): Buffer {
  const sha256 = createHash("sha256").update(executable).digest("hex");
  const about = {
    commit: "0000000",
    target: TARGET,
    schemas: ownSchemas(),
    sha256,
    bytes: executable.length,
  };
  return Buffer.concat([encodeUpdateHead({ ...about, ...fields }, privateKey), executable]);
}

/** Returns an executable that says it is the version, and runs the shell commands in place of a gateway. */
export const fakeProgram = (version: string, commands: string): Buffer =>
  Buffer.from(
    `#!/bin/sh\nif [ "$1" = --version ]; then echo "lineside ${version} (0000000)"; exit; fi\n${commands}\n`,
  );

export const readProgram = (path: string): Buffer => readFileSync(path);

/** Whether a process runs; one that has ended and was not collected does not. */
export const isRunning = (pid: number) => {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
};

/** Ends a process as a crash does. */
export async function endProcess(pid: number): Promise<void> {
  process.kill(pid, "SIGKILL");
  await until(() => !isRunning(pid));
}

/** Schemas of a version that migrates lineside.db. */
export const newerSchemas = () => {
  const own = ownSchemas();
  return { ...own, "lineside.db": (own["lineside.db"] ?? 0) + 1 };
};

/** Commands that change lineside.db as a migration would. */
export const MIGRATE = `python3 - <<'END'
import os, sqlite3
db = sqlite3.connect(os.environ["UPDATE_TRIAL_DATA"] + "/lineside.db")
db.execute("CREATE TABLE newer (id INTEGER)")
db.execute("INSERT INTO __drizzle_migrations (hash, created_at) SELECT 'x', max(created_at) + 1 FROM __drizzle_migrations")
db.commit()
END
`;

/** Returns the process of the gateway on a data directory, or undefined if none runs. */
export function runningPid(data: string): number | undefined {
  try {
    const { pid } = JSON.parse(readFileSync(join(data, "gateway.json"), "utf8"));
    return isRunning(pid) ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the names of the tables, indexes and triggers of a database file. */
export function tableNames(file: string): string[] {
  const database = new Database(file);
  const rows = database.query<{ name: string }, []>("SELECT name FROM sqlite_schema").all();
  database.close();
  return rows.map(({ name }) => name);
}
