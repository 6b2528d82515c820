// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of site files look like this
// API keys in site files: never their secrets, and never replaced or revoked without being asked to.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { createFolder, type Gateway, startGateway } from "./site-fixture.ts";

let folder: Awaited<ReturnType<typeof createFolder>>;
let gateway: Gateway;
let other: Gateway;

beforeAll(async () => {
  folder = await createFolder();
  [gateway, other] = [await startGateway(), await startGateway()];
});
afterAll(async () => {
  await gateway.fixture.stop();
  await other.fixture.stop();
  await folder.remove();
});

async function save(name: string, body: string): Promise<string> {
  const path = join(folder.path, name);
  await Bun.write(path, body.startsWith("#") ? body : `format: lineside.site\nversion: 1\n${body}`);
  return path;
}

const DAY_MS = 86_400_000;
const expiry = new Date(Date.now() + 30 * DAY_MS);
const content = ({ role = "TENANT_READ_ONLY", expiresAt = expiry.toISOString() } = {}) => `devices:
  - { name: Press 1, deviceType: press }
  - { name: Press 2, deviceType: press }
apiKeys:
  - name: collector
    role: ${role}
    expiresAt: ${expiresAt}
  - name: press
    role: TENANT_RW
    deviceIds: ["\${device:Press 2}", "\${device:Press 1}"]
`;

/** Returns the keys that a command printed, by name. */
const keysIn = (out: string): Record<string, string> =>
  Object.fromEntries(
    out
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line))
      .map(({ apiKey, key }) => [apiKey, key]),
  );
const statusWith = async (key = "") =>
  (await gateway.fixture.call("GET", "/api/auth/me", { token: key })).status;
const keysOf = async ({ call }: Gateway): Promise<Record<string, unknown>[]> =>
  (await call("GET", "/api/api-keys")).body;

/** The keys that the file has created, by name. */
let keys: Record<string, string>;

test("creates keys, prints each once in a line for programs, and changes nothing a second time", async () => {
  const file = await save("keys.yaml", content());
  const planned = await gateway.run(["apply", "site", file]);
  expect([planned.code, planned.out]).toEqual([2, expect.stringContaining('  + apiKeys "collector"')]);
  expect(await keysOf(gateway)).toEqual([]);
  const applied = await gateway.run(["apply", "site", file, "--yes"]);
  expect([applied.code, applied.error]).toEqual([0, expect.stringContaining("it is not shown again")]);
  keys = keysIn(applied.out);
  expect(Object.keys(keys).sort()).toEqual(["collector", "press"]);
  for (const key of Object.values(keys)) expect(await statusWith(key)).toBe(200);
  expect(applied.out.split(keys.collector ?? "").length).toBe(2);
  const devices = await gateway.fixture.call("GET", "/api/devices", { token: keys.press ?? "" });
  expect(devices.body.map(({ name }: { name: string }) => name).sort()).toEqual(["Press 1", "Press 2"]);
  const again = await gateway.run(["apply", "site", file, "--yes"]);
  expect([again.code, again.out]).toEqual([0, expect.stringContaining("4 unchanged")]);
  expect(keysIn(again.out)).toEqual({});
});

test("takes another spelling of the same expiry and another order of the devices for no difference", async () => {
  const spelled = content({ expiresAt: `"${expiry.toISOString().replace("Z", "+00:00")}"` }).replace(
    '"${device:Press 2}", "${device:Press 1}"',
    '"${device:Press 1}", "${device:Press 2}"',
  );
  const { code, out } = await gateway.run(["apply", "site", await save("spelled.yaml", spelled)]);
  expect([code, out]).toEqual([0, expect.stringContaining("4 unchanged")]);
});

test("an export has neither secrets nor keys that do not work, and is applied to another gateway", async () => {
  await gateway.call("POST", "/api/api-keys", {
    name: "short",
    role: "TENANT_RW",
    expiresAt: new Date(gateway.clock.now() + 1_000).toISOString(),
  });
  const { deviceId } = (await gateway.call("POST", "/api/devices", { name: "Gone", deviceType: "press" }))
    .body;
  await gateway.call("POST", "/api/api-keys", { name: "blind", role: "TENANT_RW", deviceIds: [deviceId] });
  await gateway.call("DELETE", `/api/devices/${deviceId}`);
  gateway.clock.advance(2_000);
  const { code, out } = await gateway.run(["export", "site", "--only", "devices,apiKeys"]);
  expect(code).toBe(0);
  expect(out).not.toContain("lsk_");
  expect(out).not.toContain("short");
  expect(out).not.toContain("blind");
  const file = await save("exported.yaml", out);
  expect((await gateway.run(["apply", "site", file])).out).toContain("4 unchanged");
  const applied = await other.run(["apply", "site", file, "--yes"]);
  expect(applied.code).toBe(0);
  expect(Object.keys(keysIn(applied.out)).sort()).toEqual(["collector", "press"]);
  expect((await other.run(["export", "site", "--only", "devices,apiKeys"])).out).toBe(out);
});

test("names a key that differs, and replaces it only when asked to", async () => {
  const file = await save("changed.yaml", content({ role: "TENANT_RW" }));
  const refused = await gateway.run(["apply", "site", file, "--yes"]);
  expect([refused.code, refused.out, refused.error]).toEqual([
    1,
    expect.stringContaining('  ± apiKeys "collector"\n      role: "TENANT_READ_ONLY" → "TENANT_RW"'),
    expect.stringMatching(
      /changed\.yaml:7: apiKeys\."collector" cannot be changed, only replaced.*--replace-keys/,
    ),
  ]);
  expect(refused.out).toContain("0 to create, 0 to change, 1 to replace, 0 to delete, 3 unchanged");
  expect(await statusWith(keys.collector)).toBe(200);
  const replaced = await gateway.run(["apply", "site", file, "--yes", "--replace-keys"]);
  expect([replaced.code, replaced.out]).toEqual([
    0,
    expect.stringContaining('replaced: apiKeys "collector"'),
  ]);
  const { collector, ...rest } = keysIn(replaced.out);
  expect(rest).toEqual({});
  expect([await statusWith(keys.collector), await statusWith(collector)]).toEqual([401, 200]);
  expect(await keysOf(gateway)).toContainEqual(
    expect.objectContaining({ name: "collector", role: "TENANT_RW", expiresAt: expiry.toISOString() }),
  );
  keys = { ...keys, collector: collector ?? "" };
  expect((await gateway.run(["apply", "site", file, "--yes", "--replace-keys"])).code).toBe(0);
  expect(await statusWith(collector)).toBe(200);
});

test("a key whose successor is refused keeps working under its name", async () => {
  const past = content({ role: "TENANT_RW", expiresAt: "2020-01-01T00:00:00Z" });
  const { code, error } = await gateway.run([
    ...["apply", "site", await save("past.yaml", past), "--yes", "--replace-keys"],
  ]);
  expect([code, error]).toEqual([1, expect.stringContaining('apiKeys "collector" could not be applied')]);
  expect(await statusWith(keys.collector)).toBe(200);
  const names = (await keysOf(gateway)).map(({ name }) => name);
  expect(names).toEqual(["blind", "collector", "press", "short"]);
});

test("--prune revokes the keys that the section of the file does not have", async () => {
  const file = await save("few.yaml", "apiKeys:\n  - { name: press, role: TENANT_RW }\n...\n");
  expect((await gateway.run(["apply", "site", file, "--yes"])).code).toBe(0);
  expect(await keysOf(gateway)).toHaveLength(4);
  expect((await gateway.run(["apply", "site", file, "--yes", "--prune"])).code).toBe(0);
  expect((await keysOf(gateway)).map(({ name }) => name)).toEqual(["press"]);
  expect([await statusWith(keys.collector), await statusWith(keys.press)]).toEqual([401, 200]);
});

test("an API key neither reads nor changes API keys, and says so", async () => {
  const { body } = await gateway.call("POST", "/api/api-keys", { name: "git", role: "TENANT_ADMIN" });
  const asKey = ["--key", body.key];
  const exported = await gateway.run(["export", "site", ...asKey]);
  expect([exported.code, exported.error]).toEqual([0, expect.stringContaining("apiKeys is left out")]);
  expect(exported.out).not.toContain("apiKeys");
  const applied = await gateway.run([
    ...["apply", "site", await save("keys.yaml", content()), "--yes", ...asKey],
  ]);
  expect([applied.code, applied.error]).toEqual([
    1,
    expect.stringContaining("API keys cannot change apiKeys"),
  ]);
});
