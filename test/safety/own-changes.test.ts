// A small disk that a user fills with dashboards. Needs root, to mount one.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestApp, PASSWORD, type TestApp } from "../support/test-app.ts";

const MEGABYTES = 40;
/** Changes that fill the disk several times. */
const CHANGES = 400;
const TEXT = "x".repeat(200_000);
const folder = mkdtempSync(join(tmpdir(), "lineside-changes-"));
const disk = join(folder, "disk");
mkdirSync(disk);
const isMounted =
  process.getuid?.() === 0 &&
  Bun.spawnSync(["mount", "-t", "tmpfs", "-o", `size=${MEGABYTES}m`, "tmpfs", disk]).exitCode === 0;
const data = join(disk, "data");
let fixture: TestApp;
let writer: string;
let email: string;
const created: string[] = [];

const open = async () => {
  fixture = await createTestApp({ directory: data, host: "nobody" });
};

beforeAll(async () => {
  if (!isMounted) return;
  await open();
  email = (await fixture.signIn("TENANT_OWNER")).user.email;
  writer = (await fixture.signIn("TENANT_RW")).token;
});
afterAll(async () => {
  if (isMounted) {
    await fixture.stop();
    Bun.spawnSync(["umount", "-l", disk]);
  }
  rmSync(folder, { recursive: true, force: true });
});

const signIn = () => fixture.call("POST", "/idp/authorize", { body: { email, password: PASSWORD } });

describe.if(isMounted)("a disk that changes fill (skipped without the right to mount one)", () => {
  test("is closed to changes while there is room for everything else", async () => {
    const refusals = new Set<string>();
    for (let index = 0; index < CHANGES; index++) {
      const { status, body } = await fixture.call("POST", "/api/dashboards", {
        token: writer,
        body: { name: `Line ${index}`, configuration: { text: TEXT } },
      });
      if (status === 201) created.push(body.id);
      else refusals.add(`${status} ${body.code}`);
    }
    expect([...refusals]).toEqual(["503 storage.full"]);
    expect(created.length).toBeGreaterThan(20);
    const { bavail, bsize } = statfsSync(disk);
    expect(bavail * bsize).toBeGreaterThan(4 * 1024 * 1024);
    expect((await signIn()).status).toBe(200);
  });

  test("people sign in, and a start finds everything", async () => {
    await fixture.stop();
    await open();
    expect((await signIn()).status).toBe(200);
    const { headers } = await fixture.call("GET", "/api/dashboards?limit=1", { token: writer });
    expect(headers.get("x-total-count")).toBe(String(created.length));
  });

  test("what people delete makes room for changes", async () => {
    for (const id of created) {
      const { status } = await fixture.call("DELETE", `/api/dashboards/${id}`, { token: writer });
      expect(status).toBe(200);
    }
    const { status } = await fixture.call("POST", "/api/dashboards", {
      token: writer,
      body: { name: "Line 1", configuration: { text: TEXT } },
    });
    expect(status).toBe(201);
  });
});
