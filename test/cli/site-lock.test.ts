// Site files that are applied at the same time, each of which would create what the other one creates.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { PROGRAM } from "../support/program.ts";
import { PASSWORD } from "../support/test-app.ts";
import { createFolder, type Gateway, OWNER, startGateway } from "./site-fixture.ts";

let plant: Gateway;
let folder: Awaited<ReturnType<typeof createFolder>>;
let file: string;
const names = Array.from({ length: 30 }, (_, index) => `Device ${index}`);

beforeAll(async () => {
  [folder, plant] = await Promise.all([createFolder(), startGateway()]);
  file = join(folder.path, "site.yaml");
  const devices = names.map((name) => `  - name: ${name}\n    deviceType: pump\n`).join("");
  await Bun.write(file, `format: lineside.site\nversion: 1\ndevices:\n${devices}`);
});
afterAll(async () => {
  await plant.fixture.stop();
  await folder.remove();
});

const apply = () => plant.run(["apply", "site", file, "--yes"]);
const lock = (lockId?: string) => plant.call("PUT", "/api/tenant/site-lock", { lockId });

test("while somebody else applies a site file, another one is refused, and a plan is shown", async () => {
  const { lockId } = (await lock()).body;
  const { code, error } = await apply();
  expect([code, error]).toEqual([1, expect.stringContaining("has been applying a site file since")]);
  expect((await plant.run(["apply", "site", file, "--plan"])).out).toContain("30 to create");
  expect((await lock(lockId)).status).toBe(200);
  await plant.call("DELETE", `/api/tenant/site-lock/${lockId}`);
});

test("a lock whose holder was killed ends by itself, and its holder goes on only if nobody has had it since", async () => {
  const { lockId } = (await lock()).body;
  plant.clock.advance(60_000);
  expect((await lock(lockId)).status).toBe(200);
  plant.clock.advance(60_000);
  const other = (await lock()).body;
  expect((await lock(lockId)).body.code).toBe("tenant.site_lock_lost");
  await plant.call("DELETE", `/api/tenant/site-lock/${lockId}`);
  expect((await lock(other.lockId)).status).toBe(200);
  await plant.call("DELETE", `/api/tenant/site-lock/${other.lockId}`);
  expect((await lock(other.lockId)).body.code).toBe("tenant.site_lock_lost");
});

test("a signal that ends the command ends its lock", async () => {
  const child = Bun.spawn([...PROGRAM, "apply", "site", file, "--yes", "--url", plant.fixture.app.url], {
    env: { PATH: process.env.PATH ?? "", LINESIDE_OWNER_EMAIL: OWNER, LINESIDE_OWNER_PASSWORD: PASSWORD },
    stdio: ["ignore", "pipe", "ignore"],
  });
  for await (const _ of child.stdout) break;
  child.kill("SIGINT");
  expect(await child.exited).toBe(130);
  const { status, body } = await lock();
  expect(status).toBe(200);
  await plant.call("DELETE", `/api/tenant/site-lock/${body.lockId}`);
});

test("two at the same time create each device once, and the lock ends with them", async () => {
  const codes = (await Promise.all([apply(), apply()])).map(({ code }) => code);
  expect(codes).toContain(0);
  const created = (await plant.call("GET", "/api/devices?limit=100")).body.map(
    ({ name }: { name: string }) => name,
  );
  expect(created.filter((name: string) => name.startsWith("Device")).toSorted()).toEqual(names.toSorted());
  expect((await apply()).code).toBe(0);
});
