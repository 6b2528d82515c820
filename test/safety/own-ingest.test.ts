// A small disk that the gateway's own ingest fills as fast as it can. Needs root, to mount one.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestApp, PASSWORD, type TestApp } from "../support/test-app.ts";
import { untilAnswer } from "../support/until.ts";

const MEGABYTES = 40;
const SENDERS = 8;
const VALUES = 200;
const folder = mkdtempSync(join(tmpdir(), "lineside-full-"));
const disk = join(folder, "disk");
mkdirSync(disk);
const isMounted =
  process.getuid?.() === 0 &&
  Bun.spawnSync(["mount", "-t", "tmpfs", "-o", `size=${MEGABYTES}m`, "tmpfs", disk]).exitCode === 0;
const data = join(disk, "data");
let fixture: TestApp;
let owner: string;
let email: string;
let device: { deviceId: string; token: string };
/** Values that were acknowledged. */
let acknowledged = 0;

async function open(): Promise<void> {
  fixture = await createTestApp({
    directory: data,
    host: "nobody", // whose gateway has no device of its own, with values that would count
    config: { messages_per_second: 0 } as never,
  });
}

beforeAll(async () => {
  if (!isMounted) return;
  await open();
  const signedIn = await fixture.signIn("TENANT_OWNER");
  owner = signedIn.token;
  email = signedIn.user.email;
  device = await fixture.createDevice(owner);
});
afterAll(async () => {
  if (isMounted) {
    await fixture.stop();
    Bun.spawnSync(["umount", "-l", disk]);
  }
  rmSync(folder, { recursive: true, force: true });
});

const noise = () => Array.from(crypto.getRandomValues(new Uint32Array(8)), String).join("");

/** Sends until the gateway takes no more, and returns the refusal. */
async function fill(): Promise<{ status: number; body: { code: string } }> {
  let refusal: { status: number; body: { code: string } } | undefined;
  const start = Date.now() - 3_600_000;
  const sender = async (index: number) => {
    for (let round = 0; refusal === undefined; round++) {
      const body = Array.from({ length: VALUES }, (_, position) => ({
        ts: start + round * VALUES + position,
        values: { [`k${index}`]: noise() },
      }));
      const response = await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body });
      if (response.status === 200) acknowledged += VALUES;
      else if (response.status !== 429) refusal = response;
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, (_, index) => sender(index)));
  return refusal as never;
}

const stored = async () => (await fixture.app.services.store.stats()).points;

describe.if(isMounted)("a disk that ingest fills (skipped without the right to mount one)", () => {
  test("is closed to data while there is room for everything else, and loses nothing", async () => {
    const { status, body } = await fill();
    expect([status, body.code]).toEqual([503, "storage.disk_full"]);
    const { bavail, bsize } = statfsSync(disk);
    expect(bavail * bsize).toBeGreaterThan(2 * 1024 * 1024);
    expect(acknowledged).toBeGreaterThan(10_000);
    expect(await stored()).toBe(acknowledged);
  });

  test("people sign in, read, and a start finds everything", async () => {
    await fixture.stop();
    await open();
    expect(await stored()).toBe(acknowledged);
    const { status } = await fixture.call("POST", "/idp/authorize", { body: { email, password: PASSWORD } });
    expect(status).toBe(200);
    const path = `/api/devices/${device.deviceId}/telemetry/latest`;
    expect(Object.keys((await fixture.call("GET", path, { token: owner })).body.values)).toHaveLength(
      SENDERS,
    );
  });

  test("people delete, and data is taken again", async () => {
    const { status } = await fixture.call("DELETE", `/api/devices/${device.deviceId}`, { token: owner });
    expect(status).toBe(200);
    await fixture.app.services.store.compact();
    await untilAnswer(
      () => fixture.call("GET", "/readyz"),
      ({ status: ready }) => ready === 200,
    );
    device = await fixture.createDevice(owner);
    const response = await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: { a: 1 } });
    expect(response.status).toBe(200);
  });

  test("with no byte left, each message names the full disk", async () => {
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(join(disk, "foreign"), Buffer.alloc(bavail * bsize));
    await untilAnswer(
      () => fixture.call("GET", "/readyz"),
      ({ status }) => status === 503,
    );
    const responses = [
      await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: { a: 1 } }),
      ...(await Promise.all(
        Array.from({ length: 60 }, (_, index) =>
          fixture.call("POST", "/api/devices", {
            token: owner,
            body: { name: `x${index} ${"y".repeat(200)}`, deviceType: "sensor" },
          }),
        ),
      )),
    ];
    const refused = responses.filter(({ status }) => status >= 400);
    expect(refused.length).toBeGreaterThan(0);
    for (const { status, body } of refused)
      expect([status, body.code]).toEqual([503, expect.stringMatching(/^storage\.(disk_)?full$/)]);
  });
});
