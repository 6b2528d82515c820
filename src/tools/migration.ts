import { join } from "node:path";

/*
 * `npm run migration -- <name in words>`: generates the migrations that bring the databases to the tables of `*.tables.ts`. A database
 * whose tables have not changed gets none.
 */

const name = process.argv.slice(2).join("-");
if (!/^[a-z0-9]+(-[a-z0-9]+)+$/.test(name)) {
  console.error("Say in words what changes: npm run migration -- add-device-notes");
  process.exit(2);
}
const drizzleKit = join(import.meta.dir, "..", "..", "node_modules", ".bin", "drizzle-kit");
for (const database of ["lineside", "identity"]) {
  const command = [drizzleKit, "generate", "--config", `drizzle.${database}.config.ts`];
  const { exitCode } = Bun.spawnSync([...command, "--name", name.replaceAll("-", "_")], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (exitCode !== 0) process.exit(exitCode);
}
