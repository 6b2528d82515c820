// The present program on databases that released versions have written.
import { Database } from "bun:sqlite";
import { afterEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ownSchemas, storedSchema } from "../../src/platform/database/data-schemas.ts";
import { createTestApp, PASSWORD, type TestApp } from "../support/test-app.ts";
import { FIXTURE_FILE, FIXTURE_TIME, type Fixture } from "./fixture.ts";

const versions = readdirSync(import.meta.dir, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
let app: TestApp | undefined;
let data: string;

afterEach(async () => {
  await app?.app.stop();
  app = undefined;
  rmSync(data, { recursive: true, force: true });
});

/** Makes the data directory that a version has left behind. */
function restore(version: string): Fixture {
  const folder = join(import.meta.dir, version);
  const fixture: Fixture = JSON.parse(readFileSync(join(folder, FIXTURE_FILE), "utf8"));
  data = mkdtempSync(join(tmpdir(), "lineside-migration-"));
  mkdirSync(join(data, "secrets"));
  for (const [name, key] of Object.entries(fixture.keys))
    writeFileSync(join(data, "secrets", name), Buffer.from(key, "base64"));
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".sql"))) {
    const database = new Database(join(data, file.replace(/\.sql$/, "")), { create: true });
    database.run("PRAGMA foreign_keys=OFF");
    database.run(`BEGIN; ${readFileSync(join(folder, file), "utf8")} COMMIT;`);
    database.close();
  }
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".base64")))
    writeFileSync(
      join(data, file.replace(/\.base64$/, "")),
      Buffer.from(readFileSync(join(folder, file), "utf8"), "base64"),
    );
  return fixture;
}

test("there are databases of every released version", () => {
  data = mkdtempSync(join(tmpdir(), "lineside-migration-"));
  expect(versions).toContain("0.1.0");
});

for (const version of versions)
  describe(`databases of ${version}`, () => {
    test("are migrated, with their users, devices, attributes and readings", async () => {
      const { email, deviceId, deviceToken } = restore(version);
      app = await createTestApp({ host: "one", directory: data });
      const { call } = app;
      const signedIn = await call("POST", "/idp/authorize", { body: { email, password: PASSWORD } });
      const { body: session } = await call("POST", "/api/auth/exchange", {
        body: { code: signedIn.body.code },
      });
      const token: string = session.accessToken;
      expect((await call("GET", `/api/devices/${deviceId}`, { token })).body).toMatchObject({
        name: "press 1",
      });
      const latest = await call("GET", `/api/devices/${deviceId}/telemetry/latest`, { token });
      expect(latest.body.values).toEqual({ force: 2.25, state: "idle" });
      const sent = await call("POST", `/api/v1/${deviceToken}/telemetry`, {
        body: { ts: FIXTURE_TIME + 10, values: { force: 3 } },
      });
      expect(sent.status).toBe(200);
      for (const [file, schema] of Object.entries(ownSchemas()))
        expect(storedSchema(data, file)).toBe(schema);
      for (const file of Object.keys(ownSchemas())) {
        const database = new Database(join(data, file), { readonly: true });
        expect(database.query("PRAGMA integrity_check").values()).toEqual([["ok"]]);
        database.close();
      }
    });
  });
