import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { findDrift } from "../../../src/tools/check/drift.ts";

/** Tables that differ from their migrations. They lie in the checkout, where drizzle-kit finds its packages. */

const root = join(import.meta.dir, "..", "..", "..");
let directory: string;
const tables = (columns: string) =>
  `import { sqliteTable, text } from "drizzle-orm/sqlite-core";\nexport const notes = sqliteTable("notes", { ${columns} });\n`;
const column = (name: string) => `${name}: text("${name}").notNull()`;

async function driftOf(columns: string): Promise<string | undefined> {
  await Bun.write(join(directory, "notes.tables.ts"), tables(columns));
  const relative = `dist/${basename(directory)}`;
  return findDrift(basename(directory), {
    config: `${relative}/config.ts`,
    migrations: `${relative}/migrations`,
  });
}

beforeAll(async () => {
  await Bun.write(join(root, "dist", ".keep"), "");
  directory = await mkdtemp(join(root, "dist", ".notes-"));
  const relative = `./dist/${basename(directory)}`;
  const config = { dialect: "sqlite", schema: [`${relative}/*.tables.ts`], out: `${relative}/migrations` };
  await Bun.write(join(directory, "config.ts"), `export default ${JSON.stringify(config)};\n`);
  await Bun.write(join(directory, "notes.tables.ts"), tables(column("note")));
  const drizzleKit = join(root, "node_modules", ".bin", "drizzle-kit");
  Bun.spawnSync([drizzleKit, "generate", "--config", `${relative}/config.ts`], { cwd: root });
});
afterAll(() => rm(directory, { recursive: true, force: true }));

test("tables that equal their migrations have no drift", async () => {
  expect(await driftOf(column("note"))).toBeUndefined();
});

test("a new column is drift", async () => {
  expect(await driftOf(`${column("note")}, ${column("author")}`)).toContain("0001_");
});

test("a column that may have been renamed is drift, although drizzle-kit cannot ask", async () => {
  expect(await driftOf(column("text"))).toContain("Interactive prompts");
});
