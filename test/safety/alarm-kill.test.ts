import { expect, test } from "bun:test";
import { connect as connectMqtt, type MqttClient } from "mqtt";
import type { ApiClient } from "../../src/cli/api-client.ts";
import { type Gateway, remove, startGateway, temporaryDirectory } from "../bench/processes.ts";
import { untilAnswer } from "../support/until.ts";

interface Device {
  readonly deviceId: string;
  readonly credentials: { readonly token: string };
}
interface Alarm {
  readonly alarmId: string;
  readonly deviceId: string;
  readonly name: string;
  readonly status: string;
}
interface AlarmEvent {
  readonly eventType: string;
}

const ROUNDS = Number(process.env.ROUNDS ?? 3);
const DEVICES = 12;
/** Of the lasting condition: most kills come before it has passed. */
const LASTING_MS = 700;
const COUNT = 4;
const LOAD_MS_MAX = 120;

const above = (key: string, value: number) => ({ key, op: "GT", value });
const rule = (alarmType: string, key: string, kind: object) => ({
  alarmType,
  createRules: [{ severity: "MAJOR", condition: above(key, 5), ...kind }],
  clearRule: { condition: { key, op: "LE", value: 5 } },
});
const alarmRules = [
  rule("simple", "a", {}),
  rule("lasting", "b", { kind: "DURATION", forMs: LASTING_MS }),
  rule("repeated", "c", { kind: "REPEATING", count: COUNT }),
];
const calm = { a: 0, b: 0, c: 0 };

/** One device with what it sent: messages in order, and how many of them were acknowledged. */
interface Sender {
  readonly deviceId: string;
  readonly token: string;
  readonly messages: ReadonlyArray<Record<string, number>>;
  sent: number;
  acknowledged: number;
}

/** Whatever becomes of the connection is not an error by itself: the gateway is killed at any moment. */
function connect(server: Gateway, token: string): MqttClient {
  const client = connectMqtt(`mqtt://127.0.0.1:${server.mqttPort}`, { username: token, reconnectPeriod: 0 });
  client.on("error", () => undefined);
  return client;
}
const publish = (client: MqttClient, message: object) =>
  client.publishAsync("v1/devices/me/telemetry", JSON.stringify(message), { qos: 1 });

/** Sends what is not acknowledged yet, one after the other, until it is done or the gateway is killed. */
async function send(server: Gateway, sender: Sender): Promise<void> {
  const client = connect(server, sender.token);
  const isGone = new Promise<void>((resolve) => client.once("close", () => resolve()));
  const sending = (async () => {
    while (sender.acknowledged < sender.messages.length) {
      const message = sender.messages[sender.acknowledged];
      sender.sent = sender.acknowledged + 1;
      await publish(client, message ?? calm);
      sender.acknowledged++;
    }
  })().catch(() => undefined);
  await Promise.race([sending, isGone]);
  client.end(true);
}

/** How many messages of a sender raise what: `c` only with the last of its count. */
function isRaisedBy(messages: Sender["messages"], alarmType: string): boolean {
  const key = { simple: "a", lasting: "b", repeated: "c" }[alarmType] ?? "";
  const times = messages.filter((message) => (message[key] ?? 0) > 5).length;
  return times >= (alarmType === "repeated" ? COUNT : 1);
}

const openOf = (api: ApiClient) => api.get<Alarm[]>("/api/alarms?status=ACTIVE_UNACK,ACTIVE_ACK&limit=10000");

/** Lists each alarm that must be there and is not, is there twice, or cannot be there. */
async function wrongOf(api: ApiClient, senders: readonly Sender[]) {
  const alarms = await openOf(api);
  const notified = senders.flatMap(({ deviceId, messages, sent, acknowledged }) =>
    alarmRules.map(({ alarmType }) => {
      const open = alarms.filter((alarm) => alarm.deviceId === deviceId && alarm.name === alarmType).length;
      const must = isRaisedBy(messages.slice(0, acknowledged), alarmType);
      const may = isRaisedBy(messages.slice(0, sent), alarmType);
      return { alarmType, sent, acknowledged, open, isRight: open === 1 ? may : open === 0 && !must };
    }),
  );
  return notified.filter(({ isRight }) => !isRight);
}

/** Alarms of the lasting condition come to their time, which a busy machine may delay. */
const check = (api: ApiClient, senders: readonly Sender[]) =>
  untilAnswer(
    () => wrongOf(api, senders),
    (wrong) => wrong.length === 0,
  );

/** Events of an alarm begin with CREATED and tell raising and clearing in turn, once each. */
async function checkEvents(api: ApiClient): Promise<number> {
  const alarms = await api.get<Alarm[]>("/api/alarms?limit=10000");
  for (const { alarmId, status } of alarms) {
    const events = await api.get<AlarmEvent[]>(`/api/alarms/${alarmId}/events`);
    const types = events.map(({ eventType }) => eventType);
    if (types[0] !== "CREATED") types.reverse();
    const expected = types.map((_, index) =>
      index === 0 ? "CREATED" : index % 2 === 1 ? "CLEARED" : "REOPENED",
    );
    expect(types).toEqual(expected);
    expect(types.length % 2 === 1).toBe(status.startsWith("ACTIVE"));
  }
  return alarms.length;
}

test("killed at random moments, every alarm that acknowledged messages raise is there, once, with its events", async () => {
  const directory = temporaryDirectory();
  let server = await startGateway(directory);
  let api = await server.signIn();
  const { profileId } = await api.post<{ profileId: string }>("/api/device-profiles", {
    name: "alarming",
    alarmRules,
  });
  const devices = await Promise.all(
    Array.from({ length: DEVICES }, (_, index) =>
      api.post<Device>("/api/devices", { name: `device ${index}`, deviceType: "press", profileId }),
    ),
  );

  for (let round = 0; round < ROUNDS; round++) {
    const senders = devices.map(({ deviceId, credentials }): Sender => {
      const messages = [{ a: 9 }, { b: 9 }, ...Array.from({ length: COUNT }, () => ({ c: 9 }))];
      return {
        deviceId,
        token: credentials.token,
        messages: messages
          .map((message) => ({ message, at: Math.random() }))
          .sort((x, y) => x.at - y.at)
          .map(({ message }) => message),
        sent: 0,
        acknowledged: 0,
      };
    });
    const sending = senders.map((sender) => send(server, sender));
    await Bun.sleep(10 + Math.random() * LOAD_MS_MAX);
    await server.kill("SIGKILL");
    await Promise.all(sending);
    server = await startGateway(directory);
    api = await server.signIn();
    // What was lasting when it was killed comes to its time without another message.
    await check(api, senders);
    // What was counted counts: with the messages that are left, every device has every alarm.
    await Promise.all(senders.map((sender) => send(server, sender)));
    await check(api, senders);
    expect(await openOf(api)).toHaveLength(DEVICES * alarmRules.length);
    for (const { credentials } of devices) {
      const client = connect(server, credentials.token);
      await publish(client, calm);
      await client.endAsync();
    }
    await untilAnswer(
      () => openOf(api),
      (open) => open.length === 0,
    );
  }
  expect(await checkEvents(api)).toBeGreaterThan(DEVICES);
  await server.kill("SIGTERM");
  remove(directory);
});
