import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { PASSWORD } from "../support/test-app.ts";
import {
  BOT_TOKEN,
  BROKER_PASSWORD,
  commands,
  createFolder,
  deviceRequests,
  type Gateway,
  HEADER_SECRET,
  OWNER,
  setUpPlant,
  startGateway,
  WEBHOOK_SECRET,
} from "./site-fixture.ts";

let plant: Gateway;
let folder: Awaited<ReturnType<typeof createFolder>>;
/** The site file of the plant. */
let exported: string;

const ENV = {
  LINESIDE_SECRET_MESSENGERS_SHIFT_SECRET: BOT_TOKEN,
  LINESIDE_SECRET_PIPELINES_FORWARD_STEPS_SECRET: WEBHOOK_SECRET,
  LINESIDE_SECRET_PIPELINES_FORWARD_STEPS_HEADERS_AUTHORIZATION: `Bearer ${HEADER_SECRET}`,
  LINESIDE_SECRET_INTEGRATIONS_BROKER_MQTT_CREDENTIALS_PASSWORD: BROKER_PASSWORD,
  LINESIDE_SECRET_UPLINKS_CENTRAL_TARGET_TOKEN: BROKER_PASSWORD,
  LINESIDE_SECRET_OPCUACONNECTIONS_FILLER_PASSWORD: PASSWORD,
  LINESIDE_SECRET_NOTIFICATIONS_MESSAGING_HEADERS_AUTHORIZATION: HEADER_SECRET,
};

async function save(name: string, text: string): Promise<string> {
  const path = join(folder.path, name);
  await Bun.write(path, text);
  return path;
}
const site = (body: string) => `format: lineside.site\nversion: 1\n${body}`;

beforeAll(async () => {
  folder = await createFolder();
  plant = await startGateway();
  await setUpPlant(plant);
  const { code, out, error } = await plant.run(["export", "site"]);
  expect([code, error]).toEqual([0, ""]);
  exported = out;
});
afterAll(async () => {
  await plant.fixture.stop();
  await folder.remove();
});

test("exports every kind of object, references by name, and no secret, token or id", async () => {
  const sections = [...exported.matchAll(/^(\w+):$/gm)].map(([, name]) => name ?? "");
  expect(sections.join(" ")).toBe(
    "messengers profiles codecs devices dashboards deviceTypes pipelines generators integrations modbusConnections modbusUnits s7Connections s7Units bacnetConnections bacnetUnits opcuaConnections opcuaUnits jobs uplinks users keyDefaults escalation notifications",
  );
  for (const secret of [BOT_TOKEN, BROKER_PASSWORD, WEBHOOK_SECRET, HEADER_SECRET, PASSWORD])
    expect(exported).not.toContain(secret);
  const { body: devices } = await plant.call("GET", "/api/devices");
  for (const { deviceId } of devices) {
    expect(exported).not.toContain(deviceId);
    const { body } = await plant.call("GET", `/api/devices/${deviceId}`);
    expect(exported).not.toContain(body.credentials.token);
  }
  expect(exported).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
  expect(exported).not.toContain("kept");
});

test("changes nothing on the gateway that it was exported from", async () => {
  const { code, out } = await plant.run(["apply", "site", await save("same.yaml", exported)]);
  expect([code, out]).toEqual([
    0,
    expect.stringContaining("0 to create, 0 to change, 0 to delete, 26 unchanged"),
  ]);
});

test("rebuilds a gateway with other ids from the file, and exports the same file from it", async () => {
  const other = await startGateway();
  try {
    const file = await save("plant.yaml", exported);
    const withoutSecrets = await other.run(["apply", "site", file, "--yes"]);
    expect([withoutSecrets.code, withoutSecrets.error]).toEqual([
      1,
      expect.stringContaining(
        "set the environment variable LINESIDE_SECRET_INTEGRATIONS_BROKER_MQTT_CREDENTIALS_PASSWORD",
      ),
    ]);
    expect((await other.call("GET", "/api/dashboards")).body).toEqual([]);

    const applied = await other.run(["apply", "site", file, "--yes"], ENV);
    expect([applied.code, applied.error]).toEqual([0, ""]);
    for (const secret of Object.values(ENV)) expect(applied.out).not.toContain(secret);
    const again = await other.run(["apply", "site", file, "--yes"]);
    expect([again.code, again.out]).toEqual([0, expect.stringContaining("0 to change")]);
    expect((await other.run(["export", "site"])).out).toBe(exported);

    const { body: devices } = await other.call("GET", "/api/devices?search=Oven");
    const { body: boards } = await other.call("GET", "/api/dashboards");
    const { body: profiles } = await other.call("GET", "/api/device-profiles");
    const oven = devices[0].deviceId;
    expect(boards[0].aliases[0].deviceIds).toEqual([oven]);
    expect(Object.keys(boards[0].widgets[1].config.places)).toEqual([oven]);
    expect(
      profiles.find(({ name }: { name: string }) => name === "Oven").alarmRules[0].actions[0].deviceId,
    ).toBe(oven);
    const { profileId } = profiles.find(({ name }: { name: string }) => name === "Oven");
    const { body: profile } = await other.call("GET", `/api/device-profiles/${profileId}`);
    expect(profile.keyMetadata.map(({ key }: { key: string }) => key)).toEqual([
      "temperature",
      "constructor",
    ]);
    expect(profile).toMatchObject({ convertsNumericText: true, deviceRequests, commands });
    expect((await other.call("GET", "/api/key-metadata/defaults")).body).toEqual({
      keyMetadata: [{ key: "battery", unit: "%" }],
    });
  } finally {
    await other.fixture.stop();
  }
});

test("a folder has one file for each section, and is applied as a whole", async () => {
  const target = join(folder.path, "sections/");
  const { code } = await plant.run(["export", "site", "--to", target, "--without", "users,devices"]);
  expect(code).toBe(0);
  expect(readdirSync(target)).toContain("profiles.yaml");
  expect(readdirSync(target)).not.toContain("users.yaml");
  const applied = await plant.run(["apply", "site", target]);
  expect([applied.code, applied.out]).toEqual([0, expect.stringContaining("0 to create, 0 to change")]);
});

test("shows the fields that differ, and changes nothing without --yes where nobody can answer", async () => {
  const file = await save("change.yaml", exported.replace("value: 90", "value: 95"));
  for (const options of [[], ["--plan"], ["--plan", "--yes"]]) {
    const { code, out } = await plant.run(["apply", "site", file, ...options]);
    expect([code, out]).toEqual([
      2,
      expect.stringContaining(
        '~ profiles "Oven"\n      alarmRules[0].createRules[0].condition.value: 90 → 95',
      ),
    ]);
  }
  expect((await plant.run(["export", "site"])).out).toBe(exported);
  expect((await plant.run(["apply", "site", file, "--yes"])).code).toBe(0);
  expect((await plant.run(["export", "site", "--only", "profiles"])).out).toContain("value: 95");
  expect((await plant.run(["apply", "site", await save("back.yaml", exported), "--yes"])).code).toBe(0);
  expect((await plant.run(["export", "site"])).out).toBe(exported);
});

test("keeps secrets when other fields change, and replaces them with --set-secrets", async () => {
  const moved = exported
    .replace("      - type: rename_keys\n        mapping:\n          t: temperature\n", "")
    .replace("language: de", "language: en");
  const changed = await plant.run(["apply", "site", await save("moved.yaml", moved), "--yes"]);
  expect([changed.code, changed.error]).toEqual([0, ""]);
  const file = await save("back.yaml", exported);
  expect((await plant.run(["apply", "site", file, "--yes"])).code).toBe(0);
  const renewed = await plant.run(["apply", "site", file, "--plan", "--set-secrets"], {
    LINESIDE_SECRET_INTEGRATIONS_BROKER_MQTT_CREDENTIALS_PASSWORD: "new-broker-secret",
  });
  expect([renewed.code, renewed.out]).toEqual([2, expect.stringContaining("0 to create, 1 to change")]);
  expect(renewed.out).toContain("settings_json.mqtt.credentials.password");
  expect(renewed.out).not.toContain("new-broker-secret");
});

test("names unknown references, fields and values with file, line and a suggestion, and applies nothing", async () => {
  const file = await save(
    "wrong.yaml",
    site(`profiles:
  - name: New
    retentionDay: 5
  - name: Newer
    retentionDays: many
    payload: JSN
dashboards:
  - name: Hall 2
    aliases:
      - { id: a, name: A, type: singleDevice, deviceId: "\${device:Oven 2}" }
  - name: Hall 3
    aliases:
      - { id: a, name: A, typ: singleDevice }
`),
  );
  const { code, error } = await plant.run(["apply", "site", file, "--yes"]);
  expect(code).toBe(1);
  expect(error).toContain(
    'wrong.yaml:5: profiles."New".retentionDay is not a known field. Did you mean "retentionDays"?',
  );
  expect(error).toContain('wrong.yaml:7: profiles."Newer".retentionDays must be an integer.');
  expect(error).toContain("payload must be one of AUTO, JSON, CBOR, LENIENT_JSON.");
  expect(error).toContain(
    'wrong.yaml:12: dashboards."Hall 2".aliases[0].deviceId refers to the device "Oven 2"',
  );
  expect(error).toContain('Did you mean "Oven 1"?');
  expect(error).toContain("aliases[0]");
  expect((await plant.run(["export", "site"])).out).toBe(exported);
});

test("stops at the first error, says what was done, and continues when it is applied again", async () => {
  const other = await startGateway();
  try {
    const body = (cron: string) =>
      site(`profiles:
  - name: First
jobs:
  - name: Night
    schedule: { kind: cron, expression: "${cron}" }
    action: { type: attributes, deviceType: oven, attributes: { a: 1 } }
escalation:
  level1To2Minutes: 8
`);
    const stopped = await other.run(["apply", "site", await save("stop.yaml", body("nonsense")), "--yes"]);
    expect([stopped.code, stopped.out]).toEqual([1, expect.stringContaining('created: profiles "First"')]);
    expect(stopped.error).toContain('jobs "Night" could not be applied');
    expect(stopped.error).toContain("1 changes were applied");
    expect((await other.call("GET", "/api/alarms/escalation-settings")).body.level1To2Minutes).toBe(15);
    const rest = await other.run(["apply", "site", await save("stop.yaml", body("0 22 * * *")), "--yes"]);
    expect([rest.code, rest.out]).toEqual([
      0,
      expect.stringContaining("1 to create, 1 to change, 0 to delete, 1 unchanged"),
    ]);
  } finally {
    await other.fixture.stop();
  }
});

test("--prune deletes what the sections of the file do not have, but no devices and not the caller", async () => {
  const other = await startGateway();
  try {
    const all = await save("all.yaml", exported);
    expect((await other.run(["apply", "site", all, "--yes"], ENV)).code).toBe(0);
    const file = await save(
      "few.yaml",
      site("profiles: []\ndevices: []\ndashboards: []\njobs: []\nusers: []\n...\n"),
    );
    expect((await other.run(["apply", "site", file])).code).toBe(0);
    const { code, out } = await other.run(["apply", "site", file, "--prune"]);
    expect(code).toBe(2);
    expect(out.split("\n").filter((line) => line.startsWith("  - "))).toEqual([
      '  - users "night@plant.example"',
      '  - jobs "Night"',
      '  - dashboards "Hall"',
      '  - profiles "default"',
    ]);
    expect((await other.run(["apply", "site", file, "--prune", "--yes"])).code).toBe(0);
    expect((await other.call("GET", "/api/dashboards")).body).toEqual([]);
    expect((await other.call("GET", "/api/devices")).body).toHaveLength(2);
    expect((await other.call("GET", "/api/users")).body.map(({ email }: { email: string }) => email)).toEqual(
      [OWNER],
    );
  } finally {
    await other.fixture.stop();
  }
});

test("refuses users who do not see the whole site, and shows a tenant only its own", async () => {
  const { fixture } = plant;
  const { body: devices } = await plant.call("GET", "/api/devices");
  const reader = await fixture.signIn("TENANT_RW");
  const limited = await fixture.signIn("TENANT_ADMIN", { devices: [devices[0].deviceId] });
  const stranger = await fixture.signIn("TENANT_OWNER", { tenant: "other" });
  const file = await save("same.yaml", exported);
  const as = (email: string) => ["--email", email, "--password", PASSWORD];
  for (const { user } of [reader, limited]) {
    const refused = [
      await plant.run(["export", "site", ...as(user.email)]),
      await plant.run(["apply", "site", file, "--yes", ...as(user.email)]),
    ];
    for (const { code, out, error } of refused)
      expect([code, out, error]).toEqual([1, "", expect.stringContaining("need an owner or administrator")]);
  }
  const { code, out } = await plant.run(["export", "site", ...as(stranger.user.email)]);
  expect(code).toBe(0);
  expect(out).not.toContain("Oven");
  expect(out).not.toContain(OWNER);
});

test("an API key applies everything but users and uplinks", async () => {
  const { body } = await plant.call("POST", "/api/api-keys", { name: "git", role: "TENANT_ADMIN" });
  const key = ["--key", body.key ?? body.secret];
  const unchanged = await plant.run(["apply", "site", await save("same.yaml", exported), "--yes", ...key]);
  expect([unchanged.code, unchanged.error]).toEqual([0, ""]);
  const file = await save("user.yaml", exported.replace("fullName: Night shift", "fullName: Day shift"));
  const refused = await plant.run(["apply", "site", file, "--yes", ...key]);
  expect([refused.code, refused.error]).toEqual([1, expect.stringContaining("API keys cannot change users")]);
  const uplink = await save("uplink.yaml", exported.replace("name: Central", "name: Elsewhere"));
  const refusedToo = await plant.run(["apply", "site", uplink, "--yes", ...key], ENV);
  expect([refusedToo.code, refusedToo.error]).toEqual([
    1,
    expect.stringContaining("API keys cannot change uplinks"),
  ]);
});

test("names objects that have the same name instead of exporting one of them", async () => {
  const { body } = await plant.call("POST", "/api/dashboards", { name: "Hall" });
  const { code, error } = await plant.run(["export", "site"]);
  expect([code, error]).toEqual([1, expect.stringContaining('rename them: dashboards "Hall"')]);
  const applied = await plant.run(["apply", "site", await save("same.yaml", exported)]);
  expect([applied.code, applied.error]).toEqual([
    1,
    expect.stringContaining('dashboards."Hall" is the name of several objects'),
  ]);
  expect((await plant.call("DELETE", `/api/dashboards/${body.id}`)).status).toBe(200);
});

test("takes a secret inside of an address from the environment, never that of Lineside, and never shows it", async () => {
  const other = await startGateway();
  try {
    const file = (name: string) =>
      save(
        "address.yaml",
        site(`notifications:
  messaging:
    url: "http://127.0.0.1:9/sms?key=\${secret:${name}}"
    body: '{}'
`),
      );
    const missing = await other.run(["apply", "site", await file("SMS_KEY"), "--yes"]);
    expect([missing.code, missing.error]).toEqual([
      1,
      expect.stringContaining("environment variable LINESIDE_SECRET_SMS_KEY"),
    ]);
    const env = { LINESIDE_SECRET_SMS_KEY: "sms-secret-4714" };
    const applied = await other.run(["apply", "site", await file("SMS_KEY"), "--yes"], env);
    expect([applied.code, applied.error]).toEqual([0, ""]);
    expect(applied.out).not.toContain(env.LINESIDE_SECRET_SMS_KEY);
    expect(applied.out).toContain("LINESIDE_SECRET_SMS_KEY → notifications, messaging.url");
    const { body } = await other.call("GET", "/api/notifications/settings");
    expect(body.messaging.url).toBe("http://127.0.0.1:9/sms?key=sms-secret-4714");
    expect((await other.run(["apply", "site", await file("SMS_KEY")], env)).code).toBe(0);
    const changed = await other.run(["apply", "site", await file("SMS_KEY")], {
      LINESIDE_SECRET_SMS_KEY: "another",
    });
    expect(changed.code).toBe(2);
    expect(changed.out).not.toMatch(/sms-secret|another/);
    const stolen = await other.run(["apply", "site", await file("HOME"), "--yes"], { HOME: "/root" });
    expect([stolen.code, stolen.error]).toEqual([1, expect.stringContaining("LINESIDE_SECRET_HOME")]);
    const shown = site(`profiles:\n  - name: Shown\n    description: "\${secret:SMS_KEY}"\n`);
    const leaked = await other.run(["apply", "site", await save("shown.yaml", shown), "--yes"], env);
    expect([leaked.code, leaked.error]).toEqual([1, expect.stringContaining("is not a field for secrets")]);
  } finally {
    await other.fixture.stop();
  }
});

test("takes the rules of the gateway itself along, and never deletes them", async () => {
  const [one, other] = [await startGateway(), await startGateway()];
  try {
    await one.call("POST", "/api/devices", { name: "Meter", deviceType: "meter" });
    one.clock.advance(60_000);
    const { body: profiles } = await one.call("GET", "/api/device-profiles");
    const own = profiles.find(({ name }: { name: string }) => name === "This gateway");
    await one.call("PATCH", `/api/device-profiles/${own.profileId}`, { retentionDays: 77 });
    const { out } = await one.run(["export", "site"]);
    expect(out).not.toContain("lineside-gateway");
    const file = await save("own.yaml", out);
    expect((await other.run(["apply", "site", file, "--yes"])).code).toBe(0);
    other.clock.advance(60_000);
    const { body: devices } = await other.call("GET", "/api/devices?search=This");
    const { body: profile } = await other.call("GET", `/api/device-profiles/${devices[0].profileId}`);
    expect(profile).toMatchObject({ name: "This gateway", retentionDays: 77 });
    const empty = await save("empty.yaml", site("profiles: []\n...\n"));
    const { code, out: plan } = await other.run(["apply", "site", empty, "--prune"]);
    expect([code, plan]).toEqual([0, expect.stringContaining("0 to delete")]);
  } finally {
    await one.fixture.stop();
    await other.fixture.stop();
  }
});

test("refuses a file that is too large before reading it", async () => {
  const path = join(folder.path, "huge.yaml");
  await Bun.write(path, "");
  truncateSync(path, 65 * 1024 * 1024);
  const { code, error } = await plant.run(["apply", "site", path]);
  expect([code, error]).toEqual([1, expect.stringContaining("is larger than 64 MB")]);
});
