import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AnnouncementStore } from "../../../../src/modules/integrations/announcements/announcement-registry.ts";
import {
  type AnnouncementsRepository,
  createAnnouncementsRepository,
} from "../../../../src/modules/integrations/announcements/announcements.repository.ts";
import { createLogger } from "../../../../src/platform/core/log.ts";
import { type MainDatabase, openMainDatabase } from "../../../../src/platform/database/database.ts";

let directory: string;
let database: MainDatabase;
let repository: AnnouncementsRepository;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "lineside-announcements-"));
  database = openMainDatabase(join(directory, "lineside.db"), "lineside", createLogger("test"));
  repository = createAnnouncementsRepository(database);
  database.sqlite.run("PRAGMA foreign_keys=OFF"); // no integrations are needed here
});
afterEach(() => {
  database.close();
  rmSync(directory, { recursive: true, force: true });
});

const store = (source = "a") => new AnnouncementStore(repository, "one", source);
const loaded = (source = "a") =>
  store(source)
    .load()
    .map(({ topic, body }) => `${topic} ${Buffer.from(body)}`);
const body = (text: string) => new Uint8Array(Buffer.from(text));

test("keeps the newest announcement of each topic", () => {
  const first = store();
  first.save("x", body("1"));
  first.save("y", body("2"));
  first.save("x", body("3"));
  first.delete("y");
  first.delete("unknown");
  expect(loaded()).toEqual(["x 3"]);
});

test("forgets announcements of another broker", () => {
  store().save("x", body("1"));
  expect(loaded("b")).toEqual([]);
  expect(loaded("a")).toEqual([]);
});

test("refuses what does not fit, and counts a topic once", () => {
  const first = store();
  const large = new Uint8Array(10 * 1024 * 1024);
  first.ensureRoom("x", large);
  first.save("x", large);
  expect(() => first.ensureRoom("y", large)).toThrow("16 MiB");
  first.ensureRoom("x", large);
  const again = store();
  again.load();
  expect(() => again.ensureRoom("y", large)).toThrow("16 MiB");
  again.delete("x");
  again.ensureRoom("y", large);
});

test("writes what is announced again only once", () => {
  const first = store();
  first.save("x", body("1"));
  database.sqlite.run("DELETE FROM integration_announcements");
  first.save("x", body("1"));
  expect(loaded()).toEqual([]);
});
