import { describe, expect, test } from "bun:test";
import type { Refusal } from "../../../src/modules/faults/refusals.types.ts";
import type { IngestDevice } from "../../../src/modules/ingest/ingest.types.ts";
import type { LoginIdentitiesService } from "../../../src/modules/login-identities/login-identities.service.ts";
import type { LoginHolder } from "../../../src/modules/login-identities/login-identities.types.ts";
import type { MqttCredentials } from "../../../src/mqtt/mqtt.types.ts";
import { createMqttAuthentication } from "../../../src/mqtt/sign-in/mqtt-authentication.ts";

// The parts of a device that authentication looks at.
const device = { deviceId: "pump", tenantId: "one" } as unknown as IngestDevice;
const certificate = { fingerprint: "ab".repeat(32), validTo: 0 };
const password = new TextEncoder().encode("a password");

const holder: LoginHolder = {
  ownerId: "pump",
  deviceId: device.deviceId,
  mqttClientId: null,
  tenantId: device.tenantId,
  value: JSON.stringify([null, "pump"]),
  passwordHash: "",
  isEnabled: true,
  since: 0,
  confirmedAt: 0,
};

function createFixture(
  logins: Partial<Pick<LoginIdentitiesService, "byPassword" | "byCertificate">> = {},
  verdict: "wrong" | "later" = "wrong",
) {
  const refusals: Refusal[] = [];
  const authenticate = createMqttAuthentication({
    tokens: { attempt: () => verdict, countWrong: () => verdict, isKnown: () => false },
    logins: {
      byPassword: () => ({ refused: "wrong", tried: [] }),
      byCertificate: () => undefined,
      ...logins,
    },
    directory: { find: () => device },
    clock: { now: () => 1 },
    provisioning: { isOpen: () => false, claim: () => Promise.reject(new Error("not asked")) },
    keys: {
      authenticate: () => undefined,
      refusalOf: () => ({
        reason: "key_expired",
        identity: { kind: "api_key", name: "historian" },
        owner: { tenantId: device.tenantId },
      }),
    },
    mqttClients: {
      enter: () => undefined,
      byKey: (_, application) => ({ ok: true, application }),
    },
    report: (refusal) => refusals.push(refusal),
  });
  const refused = async (credentials: Partial<MqttCredentials>) => {
    const response = await authenticate({
      clientId: "client 1",
      username: undefined,
      password: undefined,
      remoteAddress: "127.0.0.1",
      protocol: "mqtts",
      certificate: undefined,
      isGone: () => false,
      ...credentials,
    });
    return { answer: response, refusal: refusals.at(-1), count: refusals.length };
  };
  return { refused };
}

describe("lists the refusal of", () => {
  test("an expired certificate with its device", async () => {
    const { refused } = createFixture({ byCertificate: () => ({ holder }) });
    expect(await refused({ certificate })).toMatchObject({
      answer: { ok: false, reason: "not_authorized" },
      refusal: {
        reason: "certificate_expired",
        deviceId: "pump",
        tenantId: "one",
        identity: { kind: "certificate", name: `${"ab".repeat(8)}…` },
      },
    });
  });

  test("a certificate that belongs to no device", async () => {
    const { refusal } = await createFixture().refused({ certificate });
    expect(refusal).toMatchObject({ reason: "certificate_wrong", protocol: "mqtts", client: "client 1" });
  });

  test("a certificate that nobody has proven, for the gateway's own people alone", async () => {
    const { refused } = createFixture({ byCertificate: () => ({ refused: "unconfirmed", tried: [holder] }) });
    const { answer: response, refusal } = await refused({ certificate });
    expect(response).toEqual({ ok: false, reason: "bad_credentials" });
    expect(refusal).toMatchObject({ reason: "certificate_unconfirmed" });
    expect(refusal).not.toHaveProperty("tenantId");
  });

  test("an API key with its name", async () => {
    const key = new TextEncoder().encode("lsk_0123456789");
    expect(await createFixture().refused({ username: "any", password: key })).toMatchObject({
      answer: { reason: "bad_credentials" },
      refusal: { reason: "key_expired", identity: { name: "historian" }, tenantId: "one" },
    });
  });

  test("a wrong password with every device whose name it is", async () => {
    const { refused } = createFixture({
      byPassword: async () => ({ refused: "wrong", tried: [holder] }),
    });
    expect((await refused({ username: "pump", password })).refusal).toMatchObject({
      reason: "password_wrong",
      deviceId: "pump",
      identity: { kind: "client", name: "pump" },
    });
  });

  test("a device that wants to claim while no profile allows it", async () => {
    expect((await createFixture().refused({ username: "provision" })).refusal).toMatchObject({
      reason: "claim_closed",
    });
  });

  test("a client that is beyond the limit of its address", async () => {
    expect(await createFixture({}, "later").refused({ username: "TokenOfNobody12345" })).toMatchObject({
      answer: { reason: "later" },
      refusal: { reason: "too_many_tries", identity: { name: "Toke… (18)" } },
    });
  });
});

test("hides a long user name, which may be a token, also with a password", async () => {
  const { refusal } = await createFixture().refused({ username: "TokenWithAPassword", password });
  expect(refusal).toMatchObject({ reason: "token_wrong", identity: { kind: "token", name: "Toke… (18)" } });
  const plain = await createFixture().refused({ username: "pump-7", password });
  expect(plain.refusal).toMatchObject({ identity: { kind: "client", name: "pump-7" } });
});

test("lists no client that went before its password was looked at", async () => {
  const { refused } = createFixture({ byPassword: async () => ({ refused: "later", tried: [holder] }) });
  expect(await refused({ username: "pump", password, isGone: () => true })).toMatchObject({ count: 0 });
});
