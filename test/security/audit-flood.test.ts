import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

/** The smallest limit that the setting takes. */
const ENTRIES_MAX = 1_000;
const FLOOD = 1_200;
const PARALLEL = 8;

interface Entry {
  readonly actorId: string;
  readonly action: string;
  readonly targetName?: string;
}

let fixture: TestApp;
let owner: { token: string; userId: string };
let admin: { token: string; userId: string };

const list = async (token: string, query: string): Promise<Entry[]> =>
  (await fixture.call("GET", `/api/audit?limit=1000${query}`, { token })).body;
const total = async (token: string): Promise<number> =>
  Number((await fixture.call("GET", "/api/audit?limit=1", { token })).headers.get("x-total-count"));

/** Renames one device over and over, as an attacker does who wants to hide something older. */
async function flood(token: string, count: number): Promise<void> {
  const { deviceId } = await fixture.createDevice(token);
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const name = `name ${next++}`;
      const { status } = await fixture.call("PATCH", `/api/devices/${deviceId}`, { token, body: { name } });
      expect(status).toBe(200);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
}

beforeAll(async () => {
  fixture = await createTestApp({ config: { audit_entries_max: ENTRIES_MAX } });
  const first = await fixture.signIn("TENANT_OWNER");
  owner = { token: first.token, userId: first.user.userId };
  const second = await fixture.signIn("TENANT_ADMIN");
  admin = { token: second.token, userId: second.user.userId };
});
afterAll(() => fixture.stop());

test("an administrator who renames a device all day pushes out none of the owner's entries", async () => {
  for (let index = 0; index < 20; index++)
    await fixture.createDevice(owner.token, { name: `made by the owner ${index}` });
  const neighbour = await fixture.signIn("TENANT_OWNER", { tenant: "two" });
  await fixture.createDevice(neighbour.token, { name: "the neighbour's" });
  const neighbourBefore = await total(neighbour.token);

  await flood(admin.token, FLOOD);

  const kept = await list(owner.token, `&actorId=${owner.userId}&action=device.create`);
  expect(kept.filter(({ targetName }) => targetName?.startsWith("made by the owner"))).toHaveLength(20);
  expect(await total(owner.token)).toBe(ENTRIES_MAX);
  expect(await total(neighbour.token)).toBe(neighbourBefore);
  const newest = await list(owner.token, `&actorId=${admin.userId}&action=device.update`);
  expect(newest[0]?.targetName).toStartWith("name ");
});

test("entries of an API key count as those of the user who created it", async () => {
  const helper = await fixture.signIn("TENANT_ADMIN");
  await fixture.createDevice(helper.token, { name: "made by a colleague" });
  for (const name of ["key 1", "key 2", "key 3"]) {
    const { body } = await fixture.call("POST", "/api/api-keys", {
      token: admin.token,
      body: { name, role: "TENANT_ADMIN" },
    });
    await flood(body.secret ?? body.key, 20);
  }
  const kept = await list(owner.token, `&actorId=${helper.user.userId}&action=device.create`);
  expect(kept).toHaveLength(1);
  expect(await total(owner.token)).toBe(ENTRIES_MAX);
});
