/*
 * `bun test/migrations/write-fixture.ts`: writes the databases of a small gateway of the present version as SQL and its logs in base64, in a folder named after the version. Run it once for
 * every release; `migrations.test.ts` opens each of them with the present program. It replaces nothing: what a release wrote does not change.
 */
import { Database } from "bun:sqlite";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listHotLogs } from "../../src/platform/database/hot-log-names.ts";
import { KEY_NAMES } from "../../src/platform/secrets/secret-keys.ts";
import { version } from "../../src/version.ts";
import { createTestApp } from "../support/test-app.ts";
import { FIXTURE_FILE, FIXTURE_TIME, type Fixture } from "./fixture.ts";

const DATABASES = ["lineside.db", "identity.db", "telemetry.db", "mqtt.db"];

type Value = string | number | bigint | Uint8Array | null;

function literalOf(value: Value): string {
  if (value === null) return "NULL";
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  if (typeof value === "object") return `x'${Buffer.from(value).toString("hex")}'`;
  return String(value);
}

function dump(path: string): string {
  const database = new Database(path, { readonly: true, safeIntegers: true });
  const { user_version } = database.query("PRAGMA user_version").get() as { user_version: bigint };
  const schema = database
    .query(
      "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' AND sql IS NOT NULL ORDER BY rowid",
    )
    .all() as { type: string; name: string; sql: string }[];
  const rows = schema
    .filter(({ type }) => type === "table")
    .flatMap(({ name }) =>
      database
        .query(`SELECT * FROM "${name}"`)
        .values()
        .map((row) => `INSERT INTO "${name}" VALUES (${(row as Value[]).map(literalOf).join(", ")});`),
    );
  database.close();
  return `${[...schema.map(({ sql }) => `${sql};`), ...rows, `PRAGMA user_version=${user_version};`].join("\n")}\n`;
}

const folder = join(import.meta.dir, version);
if (existsSync(folder)) throw new Error(`${folder} exists`);

const app = await createTestApp({ host: "one" });
const owner = await app.signIn("TENANT_OWNER");
const device = await app.createDevice(owner.token, { name: "press 1", deviceType: "sensor" });
for (const [index, values] of [{ force: 1.5, state: "idle" }, { force: 2.25 }].entries())
  await app.call("POST", `/api/v1/${device.token}/telemetry`, {
    body: { ts: FIXTURE_TIME + index, values },
  });
await app.call("POST", `/api/devices/${device.deviceId}/attributes`, {
  token: owner.token,
  body: { scope: "SERVER", attributes: { line: "A" } },
});
await app.app.stop();

mkdirSync(folder);
for (const name of DATABASES) writeFileSync(join(folder, `${name}.sql`), dump(join(app.directory, name)));
for (const name of listHotLogs(app.directory)) {
  const log = readFileSync(join(app.directory, name));
  // Without the zeros that it has grown by.
  const end = log.findLastIndex((byte) => byte !== 0) + 1;
  writeFileSync(join(folder, `${name}.base64`), `${log.toString("base64", 0, end)}\n`);
}
const keys = KEY_NAMES.map((name) => {
  const key = readFileSync(join(app.directory, "secrets", name));
  return [name, key.toString("base64")] as const;
});
const fixture: Fixture = {
  keys: Object.fromEntries(keys),
  userId: owner.user.userId,
  email: owner.user.email,
  deviceId: device.deviceId,
  deviceToken: device.token,
};
writeFileSync(join(folder, FIXTURE_FILE), `${JSON.stringify(fixture, null, 2)}\n`);
rmSync(app.directory, { recursive: true, force: true });
console.log(`The databases of ${version} are in ${folder}.`);
process.exit(0);
