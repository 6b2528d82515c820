import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { connectAsync, type IClientOptions, type MqttClient } from "mqtt";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

let fixture: TestApp;
let owner: string;
const open: MqttClient[] = [];

interface Saved {
  readonly mqttClientId: string;
  readonly password: string;
  readonly username: string;
}

interface Received {
  readonly topic: string;
  readonly text: string;
  readonly retained: boolean;
}

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
});
afterEach(async () => {
  for (const client of open.splice(0)) await client.endAsync(true);
});
afterAll(() => fixture.stop());

let count = 0;

const create = (fields: Record<string, unknown>, token = owner) =>
  fixture.call("POST", "/api/mqtt/clients", {
    token,
    body: { name: `client ${++count}`, signIn: "PASSWORD", username: `user-${count}`, ...fields },
  });

const created = async (fields: Record<string, unknown> = {}, token = owner): Promise<Saved> => {
  const { status, body } = await create({ publish: ["#"], subscribe: ["#"], ...fields }, token);
  expect(status).toBe(201);
  return body as unknown as Saved;
};

async function connect(
  { username, password }: Pick<Saved, "username" | "password">,
  options: IClientOptions = {},
) {
  const client = await connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, {
    username,
    password,
    protocolVersion: 5,
    reconnectPeriod: 0,
    ...options,
  });
  open.push(client);
  const received: Received[] = [];
  client.on("message", (topic, payload, { retain }) =>
    received.push({ topic, text: payload.toString(), retained: retain }),
  );
  return { client, received };
}

/** What was on its way to the client before has arrived when this resolves. */
async function fence({ client, received }: Awaited<ReturnType<typeof connect>>): Promise<void> {
  const topic = `fence/${++count}`;
  await client.subscribeAsync(topic, { qos: 1 });
  await client.publishAsync(topic, "", { qos: 1 });
  await until(() => received.some((message) => message.topic === topic));
}

async function linked() {
  const body = { name: `linked ${++count}`, role: "TENANT_READ_ONLY" };
  const apiKey = (await fixture.call("POST", "/api/api-keys", { token: owner, body })).body;
  const { mqttClientId } = await created({
    signIn: "API_KEY",
    username: undefined,
    apiKeyId: apiKey.apiKeyId,
  });
  return { apiKey: apiKey as { apiKeyId: string; key: string }, mqttClientId };
}

const subscribeCode = async (client: MqttClient, filter: string) => {
  const granted = await client.subscribeAsync(filter, { qos: 1 }).catch(() => undefined);
  return granted?.[0]?.qos ?? 128;
};

describe("an MQTT client", () => {
  test.each([4, 5] as const)(
    "publishes and subscribes on topics of its own, over MQTT %i",
    async (protocolVersion) => {
      const [sender, reader] = [await created(), await created()];
      const { client } = await connect(sender, { protocolVersion });
      const listening = await connect(reader, { protocolVersion });
      await listening.client.subscribeAsync("plant/+/lamp", { qos: 2 });
      for (const qos of [0, 1, 2] as const) await client.publishAsync("plant/1/lamp", `on ${qos}`, { qos });
      await until(() => listening.received.length === 3);
      expect(listening.received.map(({ topic, text }) => `${topic} ${text}`)).toEqual([
        "plant/1/lamp on 0",
        "plant/1/lamp on 1",
        "plant/1/lamp on 2",
      ]);
    },
  );

  test("gets retained messages, and wills of others", async () => {
    const { client } = await connect(await created());
    await client.publishAsync("kept/a", "now", { retain: true, qos: 1 });
    const dying = await connect(await created(), {
      will: { topic: "kept/will", payload: Buffer.from("gone"), qos: 1, retain: false },
    });
    const reader = await connect(await created());
    await reader.client.subscribeAsync("kept/#", { qos: 1 });
    await until(() => reader.received.length === 1);
    expect(reader.received[0]).toEqual({ topic: "kept/a", text: "now", retained: true });
    dying.client.stream.destroy();
    await until(() => reader.received.some(({ topic }) => topic === "kept/will"));
    await client.publishAsync("kept/a", "", { retain: true, qos: 1 });
    const late = await connect(await created());
    await late.client.subscribeAsync("kept/#", { qos: 1 });
    await fence(late);
    expect(late.received.filter(({ topic }) => topic.startsWith("kept/"))).toEqual([]);
  });

  test("shares a subscription with others of its group, each message for one of them", async () => {
    const readers = [await connect(await created()), await connect(await created())];
    for (const { client } of readers) await client.subscribeAsync("$share/workers/jobs/#", { qos: 1 });
    const all = await connect(await created());
    await all.client.subscribeAsync("jobs/#", { qos: 1 });
    const { client } = await connect(await created());
    for (let n = 0; n < 20; n++) await client.publishAsync(`jobs/${n}`, "x", { qos: 1 });
    await until(() => all.received.length === 20);
    for (const reader of readers) await fence(reader);
    const jobsOf = ({ received }: (typeof readers)[number]) =>
      received.filter(({ topic }) => topic.startsWith("jobs/")).map(({ topic }) => topic);
    const [one, two] = readers.map(jobsOf);
    expect(new Set([...(one ?? []), ...(two ?? [])]).size).toBe(20);
    expect([one?.length, two?.length]).toEqual([10, 10]);
  });

  test("receives messages that arrived while no member of its group was connected", async () => {
    const reader = await created();
    const session = { clientId: "worker", clean: false, properties: { sessionExpiryInterval: 600 } };
    const first = await connect(reader, session);
    await first.client.subscribeAsync("$share/away/orders/#", { qos: 1 });
    await first.client.endAsync();
    const { client } = await connect(await created());
    await client.publishAsync("orders/1", "one", { qos: 1 });
    const back = await connect(reader, session);
    await until(() => back.received.length === 1);
    await client.publishAsync("orders/2", "two", { qos: 1 });
    await until(() => back.received.length === 2);
    expect(back.received.map(({ text }) => text)).toEqual(["one", "two"]);
  });

  test("stays within its patterns", async () => {
    const { client } = await connect(
      await created({ publish: ["line/1/#"], subscribe: ["line/+/state", "$SYS/#"] }),
    );
    const refused = async (topic: string) =>
      client.publishAsync(topic, "x", { qos: 1 }).then(
        () => 0,
        (error: { code?: number }) => error.code,
      );
    expect(await refused("line/1/set")).toBe(0);
    for (const topic of ["line/2/set", "lineside/devices/x/telemetry", "$SYS/x", "v1/devices/me/telemetry"])
      expect([topic, await refused(topic)]).toEqual([topic, 0x87]);
    for (const filter of ["line/1/state", "line/+/state", "$share/g/line/+/state"])
      expect([filter, await subscribeCode(client, filter)]).toEqual([filter, 1]);
    for (const filter of ["#", "line/#", "line/+/+", "line/1/set", "$share/g/line/#", "lineside/devices/#"])
      expect([filter, await subscribeCode(client, filter)]).toEqual([filter, 128]);
  });

  test.each([4, 5] as const)(
    "is shown with what it published on topics of others, by MQTT version %d",
    async (protocolVersion) => {
      const saved = await created({ publish: ["plant/#"] });
      const { client } = await connect(saved, { protocolVersion });
      const shown = async () => {
        const path = `/api/mqtt/clients/${saved.mqttClientId}`;
        return (await fixture.call("GET", path, { token: owner })).body.refused as object | null;
      };
      await client.publishAsync("plant/line", "1", { qos: 1 });
      expect(await shown()).toBeNull();
      for (const topic of ["boiler", "chiller"])
        await client.publishAsync(topic, "1", { qos: 1 }).catch(() => undefined); // MQTT 5 says so
      expect(await shown()).toEqual({ messages: 2, topic: "chiller", refusedAt: expect.any(String) });
    },
  );

  test("reaches neither the topics of devices nor those of another tenant", async () => {
    const device = await fixture.createDevice(owner);
    const stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
    const [mine, other] = [await connect(await created()), await connect(await created({}, stranger))];
    for (const { client } of [mine, other]) {
      await client.subscribeAsync("#", { qos: 1 });
      await client.subscribeAsync("+/#", { qos: 1 });
    }
    await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: { temperature: 20 } });
    const deviceClient = await connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, {
      username: device.token,
      reconnectPeriod: 0,
    });
    open.push(deviceClient);
    const commands: string[] = [];
    deviceClient.on("message", (topic) => commands.push(topic));
    await deviceClient.subscribeAsync("v1/devices/me/rpc/request/+", { qos: 1 });
    await mine.client.publishAsync("v1/devices/me/rpc/request/1", "{}", { qos: 1 });
    await mine.client.publishAsync(`${device.deviceId}/v1/devices/me/rpc/request/1`, "{}", { qos: 1 });
    await deviceClient.publishAsync("v1/devices/me/telemetry", '{"n":1}', { qos: 1 });
    await fence(mine);
    await fence(other);
    expect(commands).toEqual([]);
    expect(other.received.filter(({ topic }) => !topic.startsWith("fence/"))).toEqual([]);
    expect(mine.received.map(({ topic }) => topic).filter((topic) => topic.startsWith("lineside/"))).toEqual(
      [],
    );
  });

  test("reads the feed of devices if a pattern allows it", async () => {
    const device = await fixture.createDevice(owner);
    const reader = await connect(await created({ subscribe: ["lineside/devices/#"] }));
    await reader.client.subscribeAsync(`lineside/devices/${device.deviceId}/telemetry`, { qos: 1 });
    await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: { temperature: 20 } });
    await until(() => reader.received.length > 0);
    expect(reader.received[0]?.topic).toBe(`lineside/devices/${device.deviceId}/telemetry`);
  });

  test("signs in with an API key that it was linked to", async () => {
    const apiKey = (
      await fixture.call("POST", "/api/api-keys", {
        token: owner,
        body: { name: "linked", role: "TENANT_READ_ONLY" },
      })
    ).body as { apiKeyId: string; key: string };
    await created({ signIn: "API_KEY", username: undefined, apiKeyId: apiKey.apiKeyId });
    const { client, received } = await connect({ username: "any", password: apiKey.key });
    await client.subscribeAsync("by/key", { qos: 1 });
    await client.publishAsync("by/key", "1", { qos: 1 });
    await until(() => received.length === 1);
    const closed = new Promise<void>((resolve) => void client.once("close", () => resolve()));
    await fixture.call("DELETE", `/api/api-keys/${apiKey.apiKeyId}`, { token: owner });
    await closed;
  });

  test("is refused with its API key while it is disabled", async () => {
    const { apiKey, mqttClientId } = await linked();
    await fixture.call("PATCH", `/api/mqtt/clients/${mqttClientId}`, {
      token: owner,
      body: { enabled: false },
    });
    await expect(connect({ username: "any", password: apiKey.key })).rejects.toMatchObject({ code: 0x87 });
  });

  test("loses the sessions of its API key with the key, also while it is away", async () => {
    const { apiKey } = await linked();
    const session = { clientId: "away", clean: false, properties: { sessionExpiryInterval: 600 } };
    const other = await created();
    for (const account of [{ username: "any", password: apiKey.key }, other]) {
      const { client } = await connect(account, session);
      await client.subscribeAsync("$share/keys/keys/#", { qos: 1 });
      await client.endAsync();
    }
    await fixture.call("DELETE", `/api/api-keys/${apiKey.apiKeyId}`, { token: owner });
    const { client } = await connect(await created());
    for (const n of ["1", "2", "3", "4"]) await client.publishAsync("keys/1", n, { qos: 1 });
    const member = await connect(other, session);
    await until(() => member.received.length === 4);
  });

  test("loses the sessions of its API key with the key, also after a restart", async () => {
    const first = await createTestApp();
    const { token } = await first.signIn("TENANT_OWNER");
    const named = { name: "linked", role: "TENANT_READ_ONLY" };
    const apiKey = (await first.call("POST", "/api/api-keys", { token, body: named })).body;
    const { apiKeyId } = apiKey;
    const linkedClient = { name: "linked", signIn: "API_KEY", apiKeyId, publish: ["#"], subscribe: ["#"] };
    await first.call("POST", "/api/mqtt/clients", { token, body: linkedClient });
    const client = await connectAsync(`mqtt://127.0.0.1:${first.app.mqttPort}`, {
      ...{ username: "any", password: apiKey.key, clientId: "away", clean: false, protocolVersion: 4 },
    });
    await client.subscribeAsync("keys/#", { qos: 1 });
    await client.endAsync();
    await first.app.stop();
    const second = await createTestApp({ directory: first.directory });
    const sessions = async () => (await second.call("GET", "/api/tenant/usage", { token })).body;
    expect((await sessions()).usage.mqttSessions).toBe(1);
    await second.call("DELETE", `/api/api-keys/${apiKeyId}`, { token });
    expect((await sessions()).usage.mqttSessions).toBe(0);
    await second.stop();
  });

  test("is ended by every change but that of its name", async () => {
    const saved = await created();
    const path = `/api/mqtt/clients/${saved.mqttClientId}`;
    const { client } = await connect(saved);
    expect((await fixture.call("GET", path, { token: owner })).body).toMatchObject({ connections: 1 });
    await fixture.call("PATCH", path, { token: owner, body: { name: "renamed" } });
    await client.publishAsync("still/here", "1", { qos: 1 });
    const closed = new Promise<void>((resolve) => void client.once("close", () => resolve()));
    await fixture.call("PATCH", path, { token: owner, body: { enabled: false } });
    await closed;
    await expect(connect(saved)).rejects.toMatchObject({ code: 0x87 });
    await fixture.call("PATCH", path, { token: owner, body: { enabled: true } });
    const changed = await fixture.call("PATCH", path, { token: owner, body: { password: "a new password" } });
    expect(changed.body).not.toHaveProperty("password");
    await expect(connect(saved)).rejects.toMatchObject({ code: 0x86 });
    await connect({ ...saved, password: "a new password" });
  });

  test("waits when it publishes beyond its rate, and loses nothing", async () => {
    const { client, received } = await connect(await created({ messagesPerSecond: 20 }));
    await client.subscribeAsync("fast/#", { qos: 1 });
    const sent = Array.from({ length: 205 }, (_, n) => client.publishAsync("fast/1", String(n), { qos: 1 }));
    await Promise.all(sent);
    await until(() => received.length === 205);
    expect(received.map(({ text }) => Number(text))).toEqual(Array.from({ length: 205 }, (_, n) => n));
  });
});

describe("the topics of a tenant", () => {
  test("are listed with their newest messages, and published to", async () => {
    const reader = await connect(await created());
    await reader.client.subscribeAsync("shown/#", { qos: 1 });
    await reader.client.publishAsync("shown/text", "21.5", { qos: 1 });
    await reader.client.publishAsync("shown/bytes", Buffer.from([0xff, 0x00]), { qos: 1 });
    const published = await fixture.call("POST", "/api/mqtt/publish", {
      token: owner,
      body: { topic: "shown/set", payload: "ON", qos: 1, retain: true },
    });
    expect(published.status).toBe(200);
    await until(() => reader.received.length === 3);
    const { body } = await fixture.call("GET", "/api/mqtt/topics?prefix=shown/", { token: owner });
    expect(body).toMatchObject({
      total: 3,
      topics: [
        { topic: "shown/bytes", payload: "/wA=", encoding: "base64", bytes: 2, messages: 1, retained: false },
        { topic: "shown/set", payload: "ON", encoding: "text", retained: true, qos: 1 },
        { topic: "shown/text", payload: "21.5", encoding: "text", bytes: 4 },
      ],
    });
    const stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "three" })).token;
    expect((await fixture.call("GET", "/api/mqtt/topics", { token: stranger })).body).toEqual({
      topics: [],
      total: 0,
    });
    for (const topic of ["a/+", "a/#", "$SYS/x", "lineside/devices/x/state"]) {
      const refused = await fixture.call("POST", "/api/mqtt/publish", {
        token: owner,
        body: { topic, payload: "" },
      });
      expect([topic, refused.status]).toEqual([topic, 400]);
    }
  });
});

describe("MQTT clients", () => {
  test("are refused with invalid names, patterns and credentials", async () => {
    const taken = await created({ username: "taken" });
    const name = "a client of its own";
    await created({ name });
    const codeOf = async (fields: Record<string, unknown>) => (await create(fields)).body.code;
    expect(await codeOf({ username: "taken" })).toBe("mqtt_client.username_taken");
    expect(await codeOf({ name })).toBe("mqtt_client.name_taken");
    expect(await codeOf({ username: "provision" })).toBe("mqtt_client.username_reserved");
    expect(await codeOf({ username: undefined })).toBe("mqtt_client.username_missing");
    expect(await codeOf({ password: "lsk_0123456789" })).toBe("mqtt_client.password_reserved");
    expect(await codeOf({ publish: ["a/#/b"] })).toBe("mqtt_client.pattern_invalid");
    expect(await codeOf({ publish: ["lineside/devices/#"] })).toBe("mqtt_client.pattern_reserved");
    expect(await codeOf({ signIn: "API_KEY", apiKeyId: "none" })).toBe("mqtt_client.api_key_unknown");
    expect(await codeOf({ signIn: "CERTIFICATE" })).toBe("credentials.certificate_missing");
    const path = `/api/mqtt/clients/${taken.mqttClientId}`;
    const renamed = await fixture.call("PATCH", path, { token: owner, body: { name } });
    expect(renamed.status).toBe(409);
    expect((await fixture.call("DELETE", path, { token: owner })).status).toBe(200);
    expect((await fixture.call("GET", path, { token: owner })).status).toBe(404);
    await expect(connect(taken)).rejects.toMatchObject({ code: 0x86 });
  });

  test("are read and changed by administrators only", async () => {
    const { mqttClientId } = await created();
    for (const role of ["TENANT_RW", "TENANT_READ_ONLY"] as const) {
      const { token } = await fixture.signIn(role);
      for (const [method, path] of [
        ["GET", "/api/mqtt/clients"],
        ["GET", `/api/mqtt/clients/${mqttClientId}`],
        ["PATCH", `/api/mqtt/clients/${mqttClientId}`],
        ["DELETE", `/api/mqtt/clients/${mqttClientId}`],
        ["GET", "/api/mqtt/topics"],
      ] as const) {
        const response = await fixture.call(method, path, { token, ...(method === "PATCH" && { body: {} }) });
        expect([role, method, path, response.status]).toEqual([role, method, path, 403]);
      }
    }
  });
});
