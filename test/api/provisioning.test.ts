import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { decode, encode } from "cbor-x";
import { connectAsync, type MqttClient } from "mqtt";
import { apiRows } from "../support/api-rows.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let owner: string;
let reader: string;
let limited: string;
let profileId: string;
let key: string;
let secret: string;
const clock = new FakeClock();

beforeAll(async () => {
  const plans = JSON.stringify([{ id: "tiny", name: "Tiny", limits: { devices: 1 } }]);
  fixture = await createTestApp({ clock, config: { plans } });
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
  limited = (await fixture.signIn("TENANT_RW", { devices: [] })).token;
});
afterAll(() => fixture.stop());

const path = (id = profileId) => `/api/device-profiles/${id}/provisioning`;
const setMode = (mode: string, token = owner, id = profileId) =>
  fixture.call("PUT", path(id), { token, body: { mode } });
const newProfile = async (token = owner) =>
  (
    await fixture.call("POST", "/api/device-profiles", {
      token,
      body: { name: `pumps ${crypto.randomUUID()}` },
    })
  ).body.profileId as string;
const claim = (body: Record<string, unknown>) =>
  fixture.call("POST", "/api/v1/provision", {
    body: { provisionDeviceKey: key, provisionDeviceSecret: secret, ...body },
  });
const nameOf = () => `Pump ${crypto.randomUUID()}`;
const send = async (token: string) =>
  (await fixture.call("POST", `/api/v1/${token}/telemetry`, { body: { a: 1 } })).status;

beforeEach(async () => {
  clock.advance(60_000);
  profileId = await newProfile();
  ({ key, secret } = (await setMode("ALLOW_NEW")).body);
});

apiRows(
  () => fixture,
  [
    ["a reader sees no secret", () => ({ method: "GET", path: path(), token: reader }), 403],
    [
      "nor does who has no access to all devices",
      () => ({ method: "GET", path: path(), token: limited }),
      403,
    ],
    [
      "an unknown mode is refused",
      () => ({ method: "PUT", path: path(), token: owner, body: { mode: "ANY" } }),
      400,
    ],
    [
      "a claim that is no JSON is refused",
      () => ({
        method: "POST",
        path: "/api/v1/provision",
        raw: "{",
        headers: { "content-type": "application/json" },
      }),
      400,
    ],
  ].map(([name, request, status]) => ({ name, request, status }) as never),
);

describe("a new device", () => {
  test("gets a token of its own for key and secret, once", async () => {
    const deviceName = nameOf();
    const { status, body } = await claim({ deviceName });
    expect([status, body]).toEqual([
      200,
      { status: "SUCCESS", credentialsType: "ACCESS_TOKEN", credentialsValue: expect.any(String) },
    ]);
    expect(await send(body.credentialsValue)).toBe(200);
    const again = await claim({ deviceName });
    expect(again.body).toEqual({ status: "FAILURE", errorMsg: expect.any(String) });
    const { body: found } = await fixture.call(
      "GET",
      `/api/devices?search=${encodeURIComponent(deviceName)}`,
      {
        token: owner,
      },
    );
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ name: deviceName, profileId });
    const log = await fixture.call("GET", "/api/audit?action=device.claim", { token: owner });
    expect(log.body.slice(0, 2).map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      "REFUSED",
      "SUCCESS",
    ]);
    expect(log.body[0].after).toEqual({ reason: { code: "claim.in_use", params: {} } });
    for (const text of [secret, body.credentialsValue]) expect(log.text).not.toContain(text);
  });

  test("of two claims of one name at the same moment, one gets it", async () => {
    const deviceName = nameOf();
    const body = {
      deviceName,
      credentialsType: "MQTT_BASIC",
      username: nameOf(),
      password: "chosen by hand",
    };
    const other = { ...body, username: nameOf() };
    const responses = await Promise.all([claim(body), claim(other)]);
    expect(responses.map((response) => response.body.status).sort()).toEqual(["FAILURE", "SUCCESS"]);
  });

  test("may bring its own token, user name and password, or certificate", async () => {
    const token = `mine-${crypto.randomUUID()}`;
    expect((await claim({ deviceName: nameOf(), credentialsType: "ACCESS_TOKEN", token })).body).toEqual({
      status: "SUCCESS",
      credentialsType: "ACCESS_TOKEN",
      credentialsValue: token,
    });
    expect(await send(token)).toBe(200);
    const taken = await claim({ deviceName: nameOf(), credentialsType: "ACCESS_TOKEN", token });
    expect(taken.body.status).toBe("FAILURE");
    const username = nameOf();
    expect((await claim({ deviceName: nameOf(), credentialsType: "MQTT_BASIC", username })).body).toEqual({
      status: "SUCCESS",
      credentialsType: "MQTT_BASIC",
      credentialsValue: { userName: username, password: expect.any(String) },
    });
    const hash = "ab".repeat(32);
    expect((await claim({ deviceName: nameOf(), credentialsType: "X509_CERTIFICATE", hash })).body).toEqual({
      status: "SUCCESS",
      credentialsType: "X509_CERTIFICATE",
      credentialsValue: hash,
    });
  });

  test("that a claim could not give credentials to is not made", async () => {
    const token = `mine-${crypto.randomUUID()}`;
    await claim({ deviceName: nameOf(), credentialsType: "ACCESS_TOKEN", token });
    const deviceName = nameOf();
    await claim({ deviceName, credentialsType: "ACCESS_TOKEN", token });
    const { body } = await fixture.call("GET", `/api/devices?search=${encodeURIComponent(deviceName)}`, {
      token: owner,
    });
    expect(body).toEqual([]);
  });

  test("with a wrong key or secret, or where nobody is let in, hears the same", async () => {
    const deviceName = nameOf();
    const wrong = [
      await claim({ deviceName, provisionDeviceKey: "wrong" }),
      await claim({ deviceName, provisionDeviceSecret: "wrong" }),
    ];
    await setMode("DISABLED");
    wrong.push(await claim({ deviceName }));
    for (const { status, body } of wrong)
      expect([status, body]).toEqual([
        200,
        {
          status: "NOT_FOUND",
          errorMsg: "There is no such key and secret. Compare both with the device profile.",
        },
      ]);
  });

  test.each([
    [{ deviceName: "a\u0000b" }, "deviceName"],
    [{ deviceName: "x".repeat(257) }, "deviceName"],
    [{ deviceName: "x", provisionDeviceKey: 7 }, "provisionDeviceKey"],
    [{ deviceName: "x", credentialsType: "TELEPATHY" }, "credentialsType"],
    [{ deviceName: "x", credentialsType: "MQTT_BASIC", username: "u", password: "short" }, "password"],
    [{ deviceName: "x", credentialsType: "MQTT_BASIC", username: "provision" }, "username"],
    [{ deviceName: "x", credentialsType: "X509_CERTIFICATE", hash: "AAAA" }, "certificate"],
    [{ deviceName: "x", credentialsType: "ACCESS_TOKEN", token: "!X509!aaaaaaa" }, "token"],
  ])("that asks wrongly, %j, is told", async (body, word) => {
    const response = await claim(body);
    expect(response.body.status).toBe("FAILURE");
    expect(response.body.errorMsg).toContain(word);
  });

  test.each([{}, { deviceName: "  " }])("that names itself as in %j gets a name", async (body) => {
    const { status, credentialsValue } = (await claim(body)).body;
    expect(status).toBe("SUCCESS");
    expect(await send(credentialsValue)).toBe(200);
    const list = await fixture.call("GET", "/api/devices?search=device-", { token: owner });
    expect(list.body.some(({ name }: { name: string }) => /^device-[\w-]{12}$/.test(name))).toBe(true);
  });

  test("beyond the plan is refused", async () => {
    const token = (await fixture.signIn("TENANT_OWNER", { tenant: "small", plan: "tiny" })).token;
    const id = await newProfile(token);
    const pair = (await setMode("ALLOW_NEW", token, id)).body;
    const ask = () =>
      claim({ deviceName: nameOf(), provisionDeviceKey: pair.key, provisionDeviceSecret: pair.secret });
    expect((await ask()).body.status).toBe("SUCCESS");
    expect((await ask()).body).toEqual({
      status: "FAILURE",
      errorMsg: "The plan of this site allows 1 devices. Delete one, or select another plan.",
    });
  });
});

test("a new key and secret end the old ones, and devices keep what they got", async () => {
  const { body } = await claim({ deviceName: nameOf() });
  const rotated = await fixture.call("POST", `${path()}/rotate`, { token: owner });
  expect(rotated.body).toMatchObject({ mode: "ALLOW_NEW" });
  expect(rotated.body.secret).not.toBe(secret);
  expect((await claim({ deviceName: nameOf() })).body.status).toBe("NOT_FOUND");
  ({ key, secret } = rotated.body);
  expect((await claim({ deviceName: nameOf() })).body.status).toBe("SUCCESS");
  expect(await send(body.credentialsValue)).toBe(200);
  expect((await fixture.call("GET", path(), { token: owner })).body).toEqual(rotated.body);
});

describe("where devices are entered beforehand", () => {
  beforeEach(() => setMode("CHECK_PRE_PROVISIONED"));

  test("one that is expected gets its token once, until a person lets it claim again", async () => {
    const name = nameOf();
    const device = await fixture.createDevice(owner, { name, profileId });
    expect((await claim({ deviceName: name })).body).toEqual({
      status: "SUCCESS",
      credentialsType: "ACCESS_TOKEN",
      credentialsValue: device.token,
    });
    expect((await claim({ deviceName: name })).body.status).toBe("FAILURE");
    await fixture.call("DELETE", `/api/devices/${device.deviceId}/claim`, { token: owner });
    expect((await claim({ deviceName: name })).body.status).toBe("SUCCESS");
  });

  test("one that nobody expects, of another profile, or whose name two have, gets nothing", async () => {
    expect((await claim({ deviceName: nameOf() })).body.status).toBe("FAILURE");
    const [other, twice] = [nameOf(), nameOf()];
    await fixture.createDevice(owner, { name: other });
    for (let index = 0; index < 2; index++) await fixture.createDevice(owner, { name: twice, profileId });
    for (const deviceName of [other, twice])
      expect((await claim({ deviceName })).body.status).toBe("FAILURE");
  });

  test("one that has been in use is not given away", async () => {
    const name = nameOf();
    const device = await fixture.createDevice(owner, { name, profileId });
    expect(await send(device.token)).toBe(200);
    expect((await claim({ deviceName: name })).body.status).toBe("FAILURE");
  });

  test("one whose password a person set gets a token instead", async () => {
    const name = nameOf();
    const device = await fixture.createDevice(owner, { name, profileId });
    const body = { type: "MQTT_BASIC", username: nameOf() };
    await fixture.call("PUT", `/api/devices/${device.deviceId}/credentials`, { token: owner, body });
    const response = await claim({ deviceName: name });
    expect(response.body).toMatchObject({ status: "SUCCESS", credentialsType: "ACCESS_TOKEN" });
    expect(await send(response.body.credentialsValue)).toBe(200);
  });
});

test("a flood of claims from one address is held off, with a time to come back", async () => {
  const responses = await Promise.all(
    Array.from({ length: 230 }, () => claim({ deviceName: nameOf(), provisionDeviceKey: "wrong" })),
  );
  const refused = responses.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThanOrEqual(30);
  expect(refused[0]?.headers.get("retry-after")).toBe("1");
  clock.advance(1_000);
  expect((await claim({ deviceName: nameOf() })).body.status).toBe("SUCCESS");
});

describe("over MQTT", () => {
  const connect = (version: 4 | 5): Promise<MqttClient> =>
    connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, {
      username: "provision",
      protocolVersion: version,
      reconnectPeriod: 0,
      keepalive: 0,
    });
  const asked = async (client: MqttClient, body: string | Buffer) => {
    const response = new Promise<Buffer>((resolve) =>
      client.once("message", (_, payload) => resolve(payload)),
    );
    await client.publishAsync("/provision/request", body, { qos: 1 });
    return response;
  };

  test.each([4, 5] as const)("%i: a claim is answered, and the token works", async (version) => {
    const client = await connect(version);
    await client.subscribeAsync("/provision/response", { qos: 1 });
    const request = { deviceName: nameOf(), provisionDeviceKey: key, provisionDeviceSecret: secret };
    const response = JSON.parse((await asked(client, JSON.stringify(request))).toString());
    expect(response).toMatchObject({ status: "SUCCESS", credentialsType: "ACCESS_TOKEN" });
    expect(await send(response.credentialsValue)).toBe(200);
    const binary = decode(await asked(client, encode({ ...request, deviceName: nameOf() })));
    expect(binary).toMatchObject({ status: "SUCCESS" });
    expect(JSON.parse((await asked(client, "{")).toString())).toMatchObject({ status: "FAILURE" });
    await client.endAsync();
  });

  test("it may do nothing else, hears nobody else, and does not stay", async () => {
    const [client, other] = [await connect(5), await connect(5)];
    let received = 0;
    other.on("message", () => received++);
    await other.subscribeAsync("/provision/response");
    await client.subscribeAsync("/provision/response");
    const codeOf = (work: Promise<unknown>) =>
      work.then(
        () => 0,
        (error: { code: number }) => error.code,
      );
    expect(await codeOf(client.publishAsync("v1/devices/me/telemetry", '{"a":1}', { qos: 1 }))).toBe(0x87);
    expect(await codeOf(client.publishAsync("lineside/devices/1/state", "x", { qos: 1 }))).toBe(0x87);
    for (const filter of ["#", "lineside/#", "v1/devices/me/attributes"])
      expect(await codeOf(client.subscribeAsync(filter))).not.toBe(0);
    await asked(client, "{}");
    expect(received).toBe(0);
    const closed = new Promise((resolve) => client.once("close", () => resolve("closed")));
    for (let second = 0; second < 62 * 4; second++) clock.advance(250);
    expect(await closed).toBe("closed");
    await Promise.all([client.endAsync(true), other.endAsync(true)]);
  });

  test("where no profile lets anybody in, the connection is refused", async () => {
    const own = await createTestApp();
    try {
      const attempt = connectAsync(`mqtt://127.0.0.1:${own.app.mqttPort}`, {
        username: "provision",
        protocolVersion: 5,
        reconnectPeriod: 0,
      });
      await expect(attempt).rejects.toMatchObject({ code: 0x87 });
    } finally {
      await own.stop();
    }
  });
});
