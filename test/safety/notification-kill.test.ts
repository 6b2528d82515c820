// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of messages
import { expect, test } from "bun:test";
import type { ApiClient } from "../../src/cli/api-client.ts";
import { remove, startGateway, temporaryDirectory } from "../bench/processes.ts";
import { startMailServer } from "../support/mail-server.ts";
import { until } from "../support/until.ts";
import { createWebhookReceiver } from "../support/webhook-receiver.ts";

const ROUNDS = 5;
/** All in one window: fewer than are told one by one. */
const DEVICES = 80;
const KILL_MS_MAX = 250;

interface Device {
  readonly deviceId: string;
  readonly name: string;
  readonly credentials: { readonly token: string };
}
interface Alarm {
  readonly alarmId: string;
  readonly deviceName: string;
}

const settings = (phone: string) => ({
  digestAfter: 100,
  digestMinutes: 60,
  messaging: { url: phone, body: '{"device":"${deviceName}"}' },
});

async function setUp(api: ApiClient, phone: string): Promise<Device[]> {
  const me = await api.get<{ userId: string }>("/api/auth/me");
  await api.patch(`/api/users/${me.userId}`, {
    notificationsEmailEnabled: true,
    notificationsMessagingEnabled: true,
    notificationPhone: "+49 170 1",
    notificationSeverities: ["MAJOR"],
  });
  await api.patch("/api/notifications/settings", settings(phone));
  const [profile] = await api.get<Array<{ profileId: string }>>("/api/device-profiles");
  const condition = { key: "t", op: "GT", value: 50 };
  const rule = { alarmType: "Overheated", createRules: [{ severity: "MAJOR", condition }] };
  await api.patch(`/api/device-profiles/${profile?.profileId}`, { alarmRules: [rule] });
  const devices: Device[] = [];
  for (let index = 0; index < DEVICES; index++)
    devices.push(await api.post<Device>("/api/devices", { name: `oven ${index}.`, deviceType: "oven" }));
  return devices;
}

const countBy = (items: readonly string[]) =>
  items.reduce((counts, item) => counts.set(item, (counts.get(item) ?? 0) + 1), new Map<string, number>());
const namesIn = (text: string): string => /oven \d+\./.exec(text)?.[0] ?? "";

test("of alarms that are raised while the server is killed again and again, each is told to each once on each way", async () => {
  const mails = await startMailServer();
  const phone = createWebhookReceiver();
  const directory = temporaryDirectory();
  const args = ["--smtp-url", mails.url, "--outbound-allow", "127.0.0.1"];
  let server = await startGateway(directory, args);
  const devices = await setUp(await server.signIn(), phone.url);
  const raise = ({ credentials }: Device) =>
    fetch(`${server.url}/api/v1/${credentials.token}/telemetry`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"t":60}',
    });
  const share = DEVICES / ROUNDS;
  for (let round = 0; round < ROUNDS; round++) {
    const subset = devices.slice(round * share, (round + 1) * share);
    const asked = Promise.allSettled(subset.map(raise)); // those that are cut off are asked again below
    await Bun.sleep(Math.random() * KILL_MS_MAX);
    await server.kill("SIGKILL");
    await asked;
    server = await startGateway(directory, args);
  }
  for (const device of devices) await raise(device);

  const api = await server.signIn();
  const alarms = await api.get<Alarm[]>("/api/alarms?limit=1000");
  expect(alarms).toHaveLength(DEVICES);
  for (const { alarmId } of alarms) {
    const notifiedCount = async () =>
      (await api.get<Array<{ eventType: string; message: string }>>(`/api/alarms/${alarmId}/events`)).filter(
        ({ eventType }) => eventType === "NOTIFIED",
      );
    await until(async () => (await notifiedCount()).length > 0);
    expect(await notifiedCount()).toHaveLength(1);
  }
  const once = new Map(devices.map(({ name }) => [name, 1]));
  const queued = await api.get<Array<{ subject: string }>>("/api/outbox?limit=1000");
  const written = countBy(queued.map(({ subject }) => namesIn(subject)).filter((name) => name !== ""));
  expect(written).toEqual(once);

  // What was in progress when the power went comes again: as the same mail and the same message.
  const sent = new Set(
    mails.received.map(({ parsed }) => `${namesIn(parsed.subject ?? "")} ${parsed.messageId}`),
  );
  for (const [name, count] of countBy([...sent].map(namesIn))) expect([name, count]).toEqual([name, 1]);
  const arrived = () =>
    new Set(
      phone.received.map(({ body, headers }) => `${body.device} ${headers.get("x-lineside-delivery")}`),
    );
  await until(() => arrived().size >= DEVICES);
  expect(countBy([...arrived()].map(namesIn))).toEqual(once);
  await server.kill("SIGTERM");
  remove(directory);
  await mails.stop();
  await phone.stop();
});
