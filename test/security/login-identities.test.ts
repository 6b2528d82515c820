import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { connectAsync, type IClientOptions } from "mqtt";
import { createTestApp, type TestApp } from "../support/test-app.ts";

/** Names and certificates of one tenant against those of another: nobody is locked out, taken over or told of the other. */

let fixture: TestApp;
let ours: string;
let theirs: string;

beforeAll(async () => {
  fixture = await createTestApp();
  ours = (await fixture.signIn("TENANT_OWNER")).token;
  theirs = (await fixture.signIn("TENANT_OWNER", { tenant: "two", plan: "basic" })).token;
});
afterAll(() => fixture.stop());

let count = 0;
const unique = () => `name-${++count}-${crypto.randomUUID().slice(0, 8)}`;
const fingerprintOf = (digit: number) => digit.toString(16).padStart(64, "a");

async function createDeviceWith(token: string, credentials: Record<string, unknown>) {
  const device = await fixture.createDevice(token);
  const { status, body } = await fixture.call("PUT", `/api/devices/${device.deviceId}/credentials`, {
    token,
    body: credentials,
  });
  return { ...device, status, code: body.code, password: body.password as string };
}

const createClient = (token: string, fields: Record<string, unknown>) =>
  fixture.call("POST", "/api/mqtt/clients", {
    token,
    body: { name: unique(), signIn: "PASSWORD", publish: ["#"], ...fields },
  });

/** Returns 0 for a client that got in, else the reason code. */
async function signIn(options: IClientOptions): Promise<number> {
  try {
    const client = await connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, {
      reconnectPeriod: 0,
      protocolVersion: 5,
      ...options,
    });
    await client.publishAsync("v1/devices/me/telemetry", '{"from":1}', { qos: 1 });
    await client.endAsync();
    return 0;
  } catch (error) {
    return (error as { code: number }).code;
  }
}

const latest = async (token: string, deviceId: string) =>
  (await fixture.call("GET", `/api/devices/${deviceId}/telemetry/latest`, { token })).body;

test("an MQTT client of another tenant with a device's user name changes nothing for the device", async () => {
  const username = unique();
  const device = await createDeviceWith(ours, { type: "MQTT_BASIC", username });
  const other = await createClient(theirs, { username, password: "mallory-pass-1" });
  expect(other.status).toBe(201);
  expect(await signIn({ username, password: device.password })).toBe(0);
  expect(await signIn({ username, password: "mallory-pass-1" })).not.toBe(0x86); // it is a client of its own
});

test("a more specific name of another tenant changes nothing for the device", async () => {
  const [username, clientId] = [unique(), unique()];
  const device = await createDeviceWith(ours, { type: "MQTT_BASIC", username });
  const copy = await createDeviceWith(theirs, { type: "MQTT_BASIC", clientId, username });
  expect(copy.status).toBe(200);
  expect(await signIn({ clientId, username, password: device.password })).toBe(0);
  expect(await signIn({ clientId, username, password: copy.password })).toBe(0);
  expect(await signIn({ clientId, username, password: "neither's" })).toBe(0x86);
});

test("names are unique among devices and MQTT clients of a tenant, and only there", async () => {
  const username = unique();
  expect((await createDeviceWith(ours, { type: "MQTT_BASIC", username })).status).toBe(200);
  expect((await createClient(ours, { username })).body).toMatchObject({ code: "mqtt_client.username_taken" });
  expect((await createClient(theirs, { username })).status).toBe(201);
  expect(await createDeviceWith(theirs, { type: "MQTT_BASIC", username })).toMatchObject({
    status: 409,
    code: "credentials.identity_taken",
  });
});

/** Refusals of a tenant that name a user. */
const refusalsOf = async (token: string, username: string, path = "/api/refusals") =>
  (await fixture.call("GET", path, { token })).body.filter(
    ({ identity }: { identity: string }) => identity === username,
  );

test("nobody signs in with a name and password that two tenants chose, and both are told without the other's client", async () => {
  const operator = (await fixture.signIn("TENANT_OWNER", { tenant: "host" })).token;
  const [username, password] = [unique(), "winter-quarters-of-1907"];
  expect((await createClient(theirs, { username, password })).status).toBe(201);
  const device = await createDeviceWith(ours, { type: "MQTT_BASIC", username, password });
  expect(device.status).toBe(200);
  const clientId = unique();
  expect(await signIn({ clientId, username, password })).toBe(0x86);
  expect(await signIn({ clientId, username, password })).toBe(0x86); // the hashes are known now
  for (const token of [ours, theirs]) {
    const [refusal, ...others] = await refusalsOf(token, username);
    expect(others).toEqual([]);
    expect(refusal).toMatchObject({ reason: { code: "refusal.password_shared" }, count: 2 });
    expect(Object.keys(refusal)).not.toContain("address");
    expect(JSON.stringify(refusal)).not.toContain(clientId);
  }
  const seenByDevice = await fixture.call("GET", `/api/devices/${device.deviceId}/refusals`, { token: ours });
  expect(seenByDevice.body[0]).not.toHaveProperty("address");
  const ofGateway = await refusalsOf(operator, username, "/api/gateway/refusals");
  expect(ofGateway).toHaveLength(2);
  for (const refusal of ofGateway) expect(refusal).toMatchObject({ address: "127.0.0.1", client: clientId });
});

test("a common password, or one like a name of its owner, is refused for devices and MQTT clients", async () => {
  const name = "Filling station";
  const device = await fixture.createDevice(ours, { name });
  const setPassword = (body: Record<string, unknown>) =>
    fixture.call("PUT", `/api/devices/${device.deviceId}/credentials`, {
      token: ours,
      body: { type: "MQTT_BASIC", ...body },
    });
  const guessable = [
    { username: unique(), password: "password" },
    { username: unique(), password: "Passw0rd!" },
    { username: unique(), password: "aaaaaaaaaa" },
    { username: unique(), password: "filling-station-1" },
    { username: "press-7-left", password: "press-7-left" },
    { clientId: "turbine-4711", password: "Turbine4711!" },
  ];
  for (const body of guessable)
    expect((await setPassword(body)).body).toMatchObject({ code: "credentials.password_weak" });
  const clients = [
    { username: "admin", password: "password" },
    { username: "press-8-left", password: "press-8-left" },
    { username: unique(), name, password: "fillingstation" },
  ];
  for (const fields of clients)
    expect((await createClient(ours, fields)).body).toMatchObject({ code: "mqtt_client.password_weak" });
  expect((await setPassword({ username: unique(), password: "chosen by a person" })).status).toBe(200);
  const client = await createClient(ours, { username: unique() });
  const changed = await fixture.call("PATCH", `/api/mqtt/clients/${client.body.mqttClientId}`, {
    token: ours,
    body: { password: "password" },
  });
  expect(changed.body).toMatchObject({ code: "mqtt_client.password_weak" });
});

test("a generated password that another tenant copied stays with its device", async () => {
  const username = unique();
  const device = await createDeviceWith(ours, { type: "MQTT_BASIC", username });
  await createClient(theirs, { username, password: device.password });
  const attempt = { clientId: unique(), username, password: Buffer.from(device.password) };
  const found = fixture.app.services.logins.byPassword({
    ...attempt,
    address: "127.0.0.1",
    canWait: true,
    isGone: () => false,
  });
  expect(found).toMatchObject({ holder: { ownerId: device.deviceId } });
});

test("a wrong password for a name of two tenants shows neither of them the client", async () => {
  const [username, clientId] = [unique(), unique()];
  await createDeviceWith(ours, { type: "MQTT_BASIC", username });
  await createClient(theirs, { username });
  expect(await signIn({ clientId, username, password: "mistyped" })).toBe(0x86);
  for (const token of [ours, theirs]) {
    const [refusal] = await refusalsOf(token, username);
    expect(refusal).toMatchObject({ reason: { code: "refusal.password_wrong" }, count: 1 });
    expect(refusal).not.toHaveProperty("address");
    expect(refusal).not.toHaveProperty("client");
  }
});

test("a token that reads like another tenant's user name does not take its devices over", async () => {
  const username = `a-long-and-public-name-${unique()}`;
  await createDeviceWith(ours, { type: "MQTT_BASIC", username });
  const copy = await createDeviceWith(theirs, { type: "ACCESS_TOKEN", token: username });
  expect(copy.status).toBe(200);
  expect(await signIn({ username, password: "mistyped" })).toBe(0x86);
  expect(await latest(theirs, copy.deviceId)).not.toHaveProperty("from");
});

test("a client id of another tenant does not keep out a device whose token comes with a password", async () => {
  const clientId = unique();
  const device = await fixture.createDevice(ours);
  await createDeviceWith(theirs, { type: "MQTT_BASIC", clientId, password: "mallory-pass-2" });
  for (let attempt = 0; attempt < 8; attempt++)
    expect(await signIn({ clientId, username: device.token, password: `ignored ${attempt}` })).toBe(0);
});

test("a certificate that another tenant registers stays with the owner that has proven it", async () => {
  const { logins } = fixture.app.services;
  const fingerprint = fingerprintOf(0xfff1);
  const anonymous = { clientId: "any", username: undefined };
  const copy = await createDeviceWith(theirs, { type: "X509", fingerprint });
  expect(copy.status).toBe(200);
  // Their registration alone gets nothing, neither before nor after the owner's.
  expect(logins.byCertificate(fingerprint, anonymous)).toMatchObject({ refused: "unconfirmed" });
  const device = await createDeviceWith(ours, { type: "X509", fingerprint });
  expect(device.status).toBe(200);
  expect(logins.byCertificate(fingerprint, anonymous)).toMatchObject({ refused: "unconfirmed" });
  const credentials = `/api/devices/${device.deviceId}/credentials`;
  expect((await fixture.call("GET", credentials, { token: ours })).body).toMatchObject({ confirmed: false });
  expect(logins.byCertificate(fingerprint, { clientId: "any", username: device.deviceId })).toMatchObject({
    holder: { ownerId: device.deviceId },
  });
  expect((await fixture.call("GET", credentials, { token: ours })).body).toMatchObject({ confirmed: true });
  expect(logins.byCertificate(fingerprint, anonymous)).toMatchObject({
    holder: { ownerId: device.deviceId },
  });
  // Within the tenant nobody else may have it, of whichever kind.
  expect((await createClient(ours, { signIn: "CERTIFICATE", fingerprint })).body).toMatchObject({
    code: "mqtt_client.certificate_taken",
  });
});

const names = ["sensor", "line", "plc-7"];
const aName = fc.constantFrom(...names);
const aSlot = fc.nat(2);
const anIdentity = fc.oneof(
  fc.record({ kind: fc.constant("BASIC" as const), clientId: fc.option(aName), username: fc.option(aName) }),
  fc.record({ kind: fc.constant("CLIENT" as const), username: aName }),
  fc.record({ kind: fc.constant("X509" as const), certificate: fc.nat(2) }),
  fc.record({ kind: fc.constant("CLIENT_X509" as const), certificate: fc.nat(2) }),
);
type Identity = typeof anIdentity extends fc.Arbitrary<infer Value> ? Value : never;
const change = fc.record({ what: fc.constant("set" as const), slot: aSlot, identity: anIdentity });
const removal = fc.record({ what: fc.constant("remove" as const), slot: aSlot });
const byName = fc.record({
  what: fc.constant("signIn" as const),
  slot: aSlot,
  clientId: aName,
  username: fc.option(aName, { nil: undefined }),
});
const byCertificate = fc.record({
  what: fc.constant("present" as const),
  certificate: fc.nat(2),
  slot: fc.option(aSlot, { nil: undefined }),
});
const actionsOfOne = fc.oneof(change, change, removal, byName, byName, byCertificate);
const actionsOfTwo = fc.oneof(change, change, removal);
type Action = typeof actionsOfOne extends fc.Arbitrary<infer Value> ? Value : never;

/** What one tenant has by its own account: what it expects depends on nothing that anybody else does. */
interface Owned {
  readonly ownerId: string;
  readonly identity: Identity;
  readonly password: string;
  isConfirmed: boolean;
}

const identityValue = (identity: Identity): string => {
  if ("certificate" in identity) return `certificate ${identity.certificate}`;
  return JSON.stringify([identity.kind === "BASIC" ? identity.clientId : null, identity.username]);
};

class TenantModel {
  readonly slots = new Map<number, Owned>();
  readonly #token: string;
  readonly #round: number;

  constructor(token: string, round: number) {
    this.#token = token;
    this.#round = round;
  }

  name = (name: string | null | undefined) => (name ? `${name}-${this.#round}` : undefined);
  fingerprint = (certificate: number) => fingerprintOf(this.#round * 16 + certificate);

  async #create(identity: Identity): Promise<{ status: number; ownerId: string; password: string }> {
    if (identity.kind === "CLIENT" || identity.kind === "CLIENT_X509") {
      const fields =
        identity.kind === "CLIENT"
          ? { username: this.name(identity.username) }
          : { signIn: "CERTIFICATE", fingerprint: this.fingerprint(identity.certificate) };
      const { status, body } = await createClient(this.#token, fields);
      return { status: status === 201 ? 200 : status, ownerId: body.mqttClientId, password: body.password };
    }
    const credentials =
      identity.kind === "BASIC"
        ? {
            type: "MQTT_BASIC",
            ...(identity.clientId && { clientId: this.name(identity.clientId) }),
            ...(identity.username && { username: this.name(identity.username) }),
          }
        : { type: "X509", fingerprint: this.fingerprint(identity.certificate) };
    const { status, deviceId, password } = await createDeviceWith(this.#token, credentials);
    return { status, ownerId: deviceId, password };
  }

  async set(slot: number, identity: Identity): Promise<void> {
    if (identity.kind === "BASIC" && !identity.clientId && !identity.username) return;
    await this.remove(slot);
    const isTaken = [...this.slots.values()].some(
      (owned) => identityValue(owned.identity) === identityValue(identity),
    );
    const { status, ownerId, password } = await this.#create(identity);
    expect(status).toBe(isTaken ? 409 : 200);
    if (!isTaken) this.slots.set(slot, { ownerId, identity, password, isConfirmed: false });
  }

  async remove(slot: number): Promise<void> {
    const owned = this.slots.get(slot);
    if (owned === undefined) return;
    this.slots.delete(slot);
    const isClient = owned.identity.kind.startsWith("CLIENT");
    const path = isClient ? `/api/mqtt/clients/${owned.ownerId}` : `/api/devices/${owned.ownerId}`;
    expect((await fixture.call("DELETE", path, { token: this.#token })).status).toBe(200);
  }

  /** A client with the password of a slot, or a wrong one, gets where the tenant's own names say, or nowhere. */
  async signIn({ slot, clientId, username }: Extract<Action, { what: "signIn" }>): Promise<void> {
    const owned = this.slots.get(slot);
    const meant = [
      JSON.stringify([clientId, username ?? null]),
      ...(username === undefined ? [] : [JSON.stringify([null, username]), JSON.stringify([clientId, null])]),
    ];
    const isRight = owned?.password !== undefined && meant.includes(identityValue(owned.identity));
    const result = await fixture.app.services.logins.byPassword({
      clientId: this.name(clientId) ?? "",
      username: this.name(username),
      password: Buffer.from(owned?.password ?? "wrong"),
      address: "127.0.0.1",
      canWait: true,
      isGone: () => false,
    });
    expect(result.refused ?? result.holder.ownerId).toBe(isRight ? owned.ownerId : "wrong");
  }

  /** The tenant's client with a certificate, which may name one of its owners. */
  present({ certificate, slot }: Extract<Action, { what: "present" }>): void {
    const named = slot === undefined ? undefined : this.slots.get(slot);
    const owned = [...this.slots.values()].find(
      ({ identity }) => "certificate" in identity && identity.certificate === certificate,
    );
    const isNamed = owned !== undefined && named?.ownerId === owned.ownerId;
    const expected = isNamed || owned?.isConfirmed ? owned?.ownerId : undefined;
    const found = fixture.app.services.logins.byCertificate(this.fingerprint(certificate), {
      clientId: "any",
      username: named?.ownerId,
    });
    expect(found?.refused === undefined ? found?.holder.ownerId : undefined).toBe(expected);
    if (isNamed) owned.isConfirmed = true;
  }

  async act(action: Action): Promise<void> {
    if (action.what === "set") await this.set(action.slot, action.identity);
    else if (action.what === "remove") await this.remove(action.slot);
    else if (action.what === "signIn") await this.signIn(action);
    else this.present(action);
  }
}

let round = 0;

test("nothing that one tenant does changes an answer or a sign-in of another", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.oneof(
          fc.record({ by: fc.constant("one" as const), action: actionsOfOne }),
          fc.record({ by: fc.constant("two" as const), action: actionsOfTwo }),
        ),
        { maxLength: 25 },
      ),
      async (steps) => {
        round++;
        const tenants = { one: new TenantModel(ours, round), two: new TenantModel(theirs, round) };
        for (const { by, action } of steps) await tenants[by].act(action);
        for (const tenant of Object.values(tenants))
          for (const slot of [...tenant.slots.keys()]) await tenant.remove(slot);
      },
    ),
    { numRuns: 60 },
  );
});
