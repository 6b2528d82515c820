import { join } from "node:path";
import { findDrift } from "./drift.ts";

/*
 * `npm run migration -- <name in words>`: generates the migrations that bring the databases to the tables of `*.tables.ts`. A database
 * whose tables have not changed gets none.
 */

const name = process.argv.slice(2).join("-");
if (!/^[a-z0-9]+(-[a-z0-9]+)+$/.test(name)) {
  console.error("Say in words what changes: npm run migration -- add-device-notes");
  process.exit(2);
}
const drizzleKit = join(import.meta.dir, "..", "..", "..", "node_modules", ".bin", "drizzle-kit");
for (const database of ["lineside", "identity"]) {
  const config = `drizzle/${database}.config.ts`;
  // It asks at the terminal whether a column is new or renamed.
  Bun.spawnSync([drizzleKit, "generate", "--config", config, "--name", name.replaceAll("-", "_")], {
    stdio: ["inherit", "inherit", "inherit"],
  });
  const drift = await findDrift(database, { config, migrations: `drizzle/${database}` });
  if (drift !== undefined) {
    console.error(`There is no migration for all changes: ${drift}`);
    process.exit(1);
  }
}
