// The check of the data files and the support bundle.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { withLocalAccess } from "../../src/platform/network/local-access.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { untilAnswer } from "../support/until.ts";

const CHECK = "/api/gateway/check";
const BUNDLE = "/api/gateway/support-bundle";
const MAIL_PASSWORD = "correct horse";
let fixture: TestApp;
let owner: string;

beforeAll(async () => {
  fixture = await createTestApp({
    host: "one",
    config: {
      metrics_token: "scrape me",
      smtp_url: `smtp://user:${encodeURIComponent(MAIL_PASSWORD)}@127.0.0.1:9`,
    },
  });
  owner = (await fixture.signIn("TENANT_OWNER")).token;
});
afterAll(() => fixture.stop());

const finished = async () => {
  await fixture.call("POST", CHECK, { token: owner });
  return untilAnswer(
    () => fixture.call("GET", CHECK, { token: owner }),
    ({ body }) => body.finishedAt !== undefined,
  );
};

/** Unpacks a bundle into texts by name. */
async function filesOf(response: Response): Promise<Record<string, string>> {
  const files = await new Bun.Archive(await response.bytes()).files();
  return Object.fromEntries(
    await Promise.all([...files].map(async ([name, file]) => [name, await file.text()] as const)),
  );
}
const download = (path: string, token: string) =>
  fetch(`${fixture.app.url}${path}`, { headers: { authorization: `Bearer ${token}` } });

describe("the check of the files", () => {
  test("finds nothing in files that are whole", async () => {
    expect((await fixture.call("GET", CHECK, { token: owner })).body).toEqual({
      damage: [],
      losses: [],
      unknownDevices: 0,
    });
    const { body } = await finished();
    expect(body).toMatchObject({ damage: [] });
    expect(body.databases.map(({ name }: { name: string }) => name).sort()).toEqual([
      "identity.db",
      "inventory.json",
      "lineside.db",
      "mqtt.db",
      "telemetry.db",
    ]);
  });

  test("names damage, which is then a warning of the gateway", async () => {
    // A foreign key without its row is damage that no page check sees, and that disturbs nothing else.
    const database = new Database(join(fixture.directory, "mqtt.db"));
    database.run("PRAGMA busy_timeout=5000");
    database.run("CREATE TABLE parent (id INTEGER PRIMARY KEY)");
    database.run("CREATE TABLE child (id INTEGER REFERENCES parent(id))");
    database.run("PRAGMA foreign_keys=OFF");
    database.run("INSERT INTO child VALUES (7)");
    const { body } = await finished();
    const line = "mqtt.db: a row of child refers to a row of parent that does not exist";
    expect(body.damage).toEqual([line]);
    const ready = await fixture.call("GET", "/readyz");
    expect(ready.body.warnings).toMatchObject([
      { code: "storage.lost", params: { count: 1 } },
      { code: "storage.damaged", params: { count: 1 } },
    ]);
    // It is remembered until somebody has taken note of it, even if the file is mended.
    database.run("DROP TABLE child");
    database.run("DROP TABLE parent");
    expect((await finished()).body).toMatchObject({
      damage: [],
      losses: [{ code: "loss.damage", message: line }],
    });
    const acknowledge = { token: owner };
    const { status, body: after } = await fixture.call(
      "POST",
      "/api/gateway/losses/acknowledge",
      acknowledge,
    );
    expect([status, after.losses]).toEqual([200, []]);
    expect((await fixture.call("GET", "/readyz")).body.warnings).toEqual([]);
    expect(Date.parse(after.lastCompletedAt)).toBeGreaterThan(0);
  });
});

describe("the support bundle", () => {
  test("holds versions, settings, metrics, the log and the files, and no secret", async () => {
    const response = await download(BUNDLE, owner);
    expect(response.headers.get("content-disposition")).toContain("lineside-support-bundle-");
    const files = await filesOf(response);
    expect(Object.keys(files).sort()).toEqual([
      "files.json",
      "gateway.json",
      "health.json",
      "log.txt",
      "metrics.txt",
      "settings.json",
      "slow-operations.json",
    ]);
    expect(JSON.parse(files["settings.json"] ?? "")).toMatchObject({
      metrics_token: "(hidden)",
      smtp_url: "(hidden)",
    });
    expect(files["metrics.txt"]).toContain("lineside_build_info");
    const all = Object.values(files).join("\n");
    for (const secret of ["scrape me", MAIL_PASSWORD, encodeURIComponent(MAIL_PASSWORD), owner])
      expect(all).not.toContain(secret);
  });

  test("is given to a command that can write into the data directory", async () => {
    const path = `${BUNDLE}/local`;
    const files = await withLocalAccess(fixture.directory, async (token) =>
      filesOf(await download(path, token)),
    );
    expect(files["gateway.json"]).toContain('"lineside"');
  });

  test("is refused without the proof, with an old one, and with an empty one", async () => {
    const path = `${BUNDLE}/local`;
    const token = "x".repeat(43);
    expect((await download(path, token)).status).toBe(401);
    await withLocalAccess(fixture.directory, async (fresh) => {
      expect((await download(path, `${fresh}x`)).status).toBe(401);
      writeFileSync(join(fixture.directory, "secrets", "local-access"), "");
      expect((await download(path, "")).status).toBe(401);
      expect((await download(path, fresh)).status).toBe(401);
    });
  });
});
