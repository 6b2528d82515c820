// Settings whose sealed value is damaged count as never saved: backups, for example, end. That must not go unnoticed.
import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSettingsRepository } from "../../../src/modules/settings/settings.repository.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { openMainDatabase } from "../../../src/platform/database/database.ts";

test("damaged settings are a problem until they are saved again or deleted", async () => {
  const directory = await mkdtemp(join(tmpdir(), "lineside-settings-"));
  const database = openMainDatabase(join(directory, "lineside.db"), "lineside", createLogger("test"));
  const saved = createSettingsRepository(database);
  for (const name of ["backup", "mail", "other"]) saved.save(name, { value: name }, 1);
  expect(createSettingsRepository(database).problem()).toBeUndefined();
  database.sqlite.run(
    `UPDATE gateway_settings SET value_sealed = substr(value_sealed, 1, 20) || '!' || substr(value_sealed, 22)
     WHERE name <> 'other'`,
  );
  const settings = createSettingsRepository(database);
  expect(settings.read<unknown>("other")).toEqual({ value: "other" });
  expect(settings.problem()).toMatchObject({
    severity: "WARNING",
    code: "settings.unreadable",
    params: { names: "backup, mail" },
  });
  settings.save("backup", { value: "again" }, 2);
  expect(settings.problem()?.params).toEqual({ names: "mail" });
  settings.delete("mail");
  expect(settings.problem()).toBeUndefined();
  database.close();
  await rm(directory, { recursive: true });
});
