import { Database } from "bun:sqlite";
import { afterAll, expect, spyOn, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseFreezer } from "../../../src/modules/backups/frozen-databases.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { openMainDatabase } from "../../../src/platform/database/database.ts";
import { hasWalPosition, walLossOf } from "../../../src/platform/database/wal-position.ts";

const data = mkdtempSync(join(tmpdir(), "lineside-frozen-"));
afterAll(() => rmSync(data, { recursive: true, force: true }));

test("a backup without a gateway that is killed while it closes the databases leaves no false loss", async () => {
  const file = join(data, "identity.db");
  const database = openMainDatabase(file, "identity", createLogger("test"));
  database.sqlite.run("CREATE TABLE notes (text TEXT)");
  await database.durable();
  database.abandon(); // as if the gateway had been killed
  const freezer = new DatabaseFreezer([file]);
  await freezer.freeze();
  const losses: unknown[] = [];
  const close = Database.prototype.close;
  const spy = spyOn(Database.prototype, "close").mockImplementation(function (this: Database, ...args) {
    close.apply(this, args);
    losses.push(walLossOf(file));
  });
  freezer.release();
  spy.mockRestore();
  expect([hasWalPosition(file), existsSync(`${file}-wal`), losses.length > 2]).toEqual([true, false, true]);
  expect(losses.filter((loss) => loss !== undefined)).toEqual([]);
});
