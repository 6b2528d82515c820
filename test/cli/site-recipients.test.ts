// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of site files look like this
import { expect, test } from "bun:test";
import { join } from "node:path";
import { createFolder, startGateway } from "./site-fixture.ts";

test("leaves recipients who were deleted out of a file, so that another gateway takes it", async () => {
  const [plant, other] = [await startGateway(), await startGateway()];
  const folder = await createFolder();
  const createMessenger = async (name: string): Promise<string> => {
    const messenger = { name, kind: "NTFY", topic: "plant" };
    const response = await plant.call("POST", "/api/notifications/messengers", messenger);
    expect(response.text).toContain("messengerId");
    return response.body.messengerId;
  };
  const [kept, lost] = [await createMessenger("Kept"), await createMessenger("Lost")];
  const rule = (alarmType: string, recipientIds: string[]) => ({
    alarmType,
    createRules: [{ severity: "CRITICAL", condition: { key: "temperature", op: "GT", value: 90 } }],
    recipientIds,
  });
  const alarmRules = [rule("some", [kept, lost]), rule("all", [lost]), rule("nobody", [])];
  const created = await plant.call("POST", "/api/device-profiles", { name: "Oven", alarmRules });
  expect(created.status).toBe(201);
  await plant.call("DELETE", `/api/notifications/messengers/${lost}`);

  const { out } = await plant.run(["export", "site"]);
  const path = join(folder.path, "site.yaml");
  await Bun.write(path, out);
  expect((await plant.run(["apply", "site", path])).out).toContain("0 to create, 0 to change, 0 to delete");
  expect(await other.run(["apply", "site", path, "--yes"])).toMatchObject({ code: 0, error: "" });
  const profiles = (await other.call("GET", "/api/device-profiles")).body as {
    name: string;
    alarmRules: { recipientIds?: string[] }[];
  }[];
  const oven = profiles.find(({ name }) => name === "Oven");
  expect(oven?.alarmRules.map(({ recipientIds }) => recipientIds?.length)).toEqual([1, undefined, 0]);
  await Promise.all([plant.fixture.stop(), other.fixture.stop(), folder.remove()]);
});

test("leaves devices that were deleted out of the scopes of alarm rules, and names the others", async () => {
  const [plant, other] = [await startGateway(), await startGateway()];
  const folder = await createFolder();
  const createDevice = async (name: string): Promise<string> =>
    (await plant.call("POST", "/api/devices", { name, deviceType: "oven" })).body.deviceId;
  const [kept, lost] = [await createDevice("Oven 1"), await createDevice("Oven 2")];
  const rule = (alarmType: string, appliesTo: Record<string, string[]>) => ({
    alarmType,
    appliesTo,
    createRules: [{ severity: "CRITICAL", condition: { key: "temperature", op: "GT", value: 90 } }],
  });
  const alarmRules = [
    rule("some", { deviceIds: [kept, lost], tags: ["hall 1"] }),
    rule("none left", { deviceIds: [lost] }),
    rule("by tag", { deviceIds: [lost], tags: ["hall 1"] }),
  ];
  const { status } = await plant.call("POST", "/api/device-profiles", { name: "Oven", alarmRules });
  expect(status).toBe(201);
  await plant.call("DELETE", `/api/devices/${lost}`);

  const { out } = await plant.run(["export", "site"]);
  expect(out).toContain("${device:Oven 1}");
  const path = join(folder.path, "site.yaml");
  await Bun.write(path, out);
  expect((await plant.run(["apply", "site", path])).out).toContain("0 to create, 0 to change, 0 to delete");
  expect(await other.run(["apply", "site", path, "--yes"])).toMatchObject({ code: 0, error: "" });
  const devices = (await other.call("GET", "/api/devices")).body as { name: string; deviceId: string }[];
  const deviceId = devices.find(({ name }) => name === "Oven 1")?.deviceId;
  const profiles = (await other.call("GET", "/api/device-profiles")).body as {
    name: string;
    alarmRules: { enabled?: boolean; appliesTo?: unknown }[];
  }[];
  const oven = profiles.find(({ name }) => name === "Oven");
  expect(oven?.alarmRules.map(({ enabled, appliesTo }) => [enabled, appliesTo])).toEqual([
    [undefined, { deviceIds: [deviceId], tags: ["hall 1"] }],
    [false, undefined],
    [undefined, { tags: ["hall 1"] }],
  ]);
  await Promise.all([plant.fixture.stop(), other.fixture.stop(), folder.remove()]);
});

test("takes another order of a user's devices for no difference, and exports them by name", async () => {
  const gateway = await startGateway();
  const folder = await createFolder();
  const path = join(folder.path, "users.yaml");
  const content = `format: lineside.site
version: 1
devices:
  - { name: Press 2, deviceType: press }
  - { name: Press 1, deviceType: press }
users:
  - email: shift@plant.example
    fullName: Shift
    role: TENANT_READ_ONLY
    hasGlobalDeviceAccess: false
    deviceIds: ["\${device:Press 1}", "\${device:Press 2}"]
`;
  await Bun.write(path, content);
  expect(await gateway.run(["apply", "site", path, "--yes"])).toMatchObject({ code: 0, error: "" });
  expect((await gateway.run(["apply", "site", path])).out).toContain("3 unchanged");
  await Bun.write(path, content.replace(/"(.*)", "(.*)"/, '"$2", "$1"'));
  expect((await gateway.run(["apply", "site", path])).out).toContain("3 unchanged");
  const { out } = await gateway.run(["export", "site", "--only", "users"]);
  expect(out).toMatch(/Press 1\}\n +- \$\{device:Press 2\}/);
  await Promise.all([gateway.fixture.stop(), folder.remove()]);
});
