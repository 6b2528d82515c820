import { connectAsync } from "mqtt";
import type { ApiClient } from "../../src/cli/api-client.ts";
import { remove, startGateway, temporaryDirectory } from "./processes.ts";
import { fixed, type Row, thousands } from "./report.ts";

const DEVICES = 10_000;
const DEVICES_A_MESSAGE = 50;
const STORM_MS = 10_000;
const PROBE_PAUSE_MS = 5;
const GOAL_MS = 100;
const NOTIFIED_SINGLY = 10;

interface Device {
  readonly deviceId: string;
  readonly credentials: { readonly token: string };
}

const messages = (t: number): string[] =>
  Array.from({ length: DEVICES / DEVICES_A_MESSAGE }, (_, message) =>
    JSON.stringify(
      Object.fromEntries(
        Array.from({ length: DEVICES_A_MESSAGE }, (_, index) => [
          `child ${message * DEVICES_A_MESSAGE + index}`,
          [{ t }],
        ]),
      ),
    ),
  );

async function setUp(api: ApiClient, phone: string): Promise<Device> {
  const me = await api.get<{ userId: string }>("/api/auth/me");
  await api.patch(`/api/users/${me.userId}`, {
    notificationsMessagingEnabled: true,
    notificationPhone: "+49 170 1",
    notificationSeverities: ["MAJOR"],
  });
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder of the message template
  const messaging = { url: phone, body: '{"text":"${text}"}' };
  await api.patch("/api/notifications/settings", {
    messaging,
    digestAfter: NOTIFIED_SINGLY,
    digestMinutes: 1,
  });
  const [profile] = await api.get<Array<{ profileId: string }>>("/api/device-profiles");
  const condition = { key: "t", op: "GT", value: 50 };
  const alarmRules = [{ alarmType: "hot", createRules: [{ severity: "MAJOR", condition }] }];
  await api.patch(`/api/device-profiles/${profile?.profileId}`, { alarmRules });
  return await api.post<Device>("/api/devices", { name: "gateway", deviceType: "gateway", role: "GATEWAY" });
}

/** Measures the durations of an administrator's requests until `isOver`, in ms. */
async function probe(url: string, token: string, isOver: () => boolean): Promise<number[]> {
  const took: number[] = [];
  while (!isOver()) {
    const begun = performance.now();
    const response = await fetch(`${url}/api/alarms?limit=100`, {
      headers: { authorization: `Bearer ${token}` },
    });
    await response.arrayBuffer();
    took.push(performance.now() - begun);
    await Bun.sleep(PROBE_PAUSE_MS);
  }
  return took.sort((a, b) => a - b);
}

const share = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;

const FILTERS = [
  "severity=MAJOR",
  "status=ACTIVE_UNACK",
  "name=hot",
  "search=9999",
  "deviceType=gateway",
  "sort=severity",
  "sort=deviceName&offset=9900",
];
const FILTER_ROUNDS = 10;
const FILTER_GOAL_MS = 150;
const ACKNOWLEDGE_GOAL_MS = 2_000;

/** Measures lists of all open alarms by each filter, and the acknowledgement of all of them in one request. */
async function handleAll(url: string, token: string): Promise<Row[]> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const slowest = new Map<string, number>();
  for (let round = 0; round < FILTER_ROUNDS; round++)
    for (const filter of FILTERS) {
      const begun = performance.now();
      await (await fetch(`${url}/api/alarms?limit=100&${filter}`, { headers })).arrayBuffer();
      slowest.set(filter, Math.max(slowest.get(filter) ?? 0, performance.now() - begun));
    }
  const [worst = ["", Number.NaN] as const] = [...slowest].sort((a, b) => b[1] - a[1]);
  const listed = await fetch(`${url}/api/alarms?limit=${DEVICES}`, { headers });
  const alarmIds = ((await listed.json()) as { alarmId: string }[]).map(({ alarmId }) => alarmId);
  let isOver = false;
  const probing = probe(url, token, () => isOver);
  const begun = performance.now();
  const response = await fetch(`${url}/api/alarms/ack/bulk`, {
    method: "PATCH",
    headers,
    body: JSON.stringify({ alarmIds }),
  });
  const acknowledgeMs = performance.now() - begun;
  isOver = true;
  const held = (await probing).at(-1) ?? Number.NaN;
  const left = await fetch(`${url}/api/alarms?limit=1&status=ACTIVE_UNACK`, { headers });
  const isDone = response.ok && left.headers.get("x-total-count") === "0";
  return [
    {
      section: "Alarms",
      measure: `${thousands(alarmIds.length)} open alarms, 100 of them by each of ${FILTERS.length} filters, ${FILTER_ROUNDS} times: slowest`,
      value: `${fixed(worst[1], 0)} ms (${worst[0]})`,
      goal: `≤ ${FILTER_GOAL_MS} ms`,
      met: worst[1] <= FILTER_GOAL_MS,
    },
    {
      section: "Alarms",
      measure: `${thousands(alarmIds.length)} alarms acknowledged in one request; slowest list of alarms meanwhile`,
      value: `${isDone ? "all" : "not all"} in ${fixed(acknowledgeMs, 0)} ms; ${fixed(held, 0)} ms`,
      goal: `≤ ${ACKNOWLEDGE_GOAL_MS} ms, ≤ ${GOAL_MS} ms`,
      met: isDone && acknowledgeMs <= ACKNOWLEDGE_GOAL_MS && held <= GOAL_MS,
    },
  ];
}

/** Ten thousand devices of one gateway raise an alarm within ten seconds: whether all are raised and notified, and how the API fares. */
export async function benchAlarmStorm(): Promise<Row[]> {
  const directory = temporaryDirectory();
  const texts: string[] = [];
  const phone = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      texts.push(((await request.json()) as { text: string }).text);
      return new Response();
    },
  });
  const gateway = await startGateway(directory, ["--outbound-allow", "127.0.0.1"]);
  try {
    const api = await gateway.signIn();
    const device = await setUp(api, `http://127.0.0.1:${phone.port}/`);
    const body = { name: "bench", role: "TENANT_ADMIN" };
    const { key } = await api.post<{ key: string }>("/api/api-keys", body);
    const options = { username: device.credentials.token, reconnectPeriod: 0 };
    const client = await connectAsync(`mqtt://127.0.0.1:${gateway.mqttPort}`, options);
    for (const message of messages(0)) await client.publishAsync("v1/gateway/telemetry", message, { qos: 1 });

    let isOver = false;
    const probing = probe(gateway.url, key, () => isOver);
    const begun = performance.now();
    const storm = messages(60);
    for (const [index, message] of storm.entries()) {
      await client.publishAsync("v1/gateway/telemetry", message, { qos: 1 });
      await Bun.sleep(Math.max(0, begun + (STORM_MS * (index + 1)) / storm.length - performance.now()));
    }
    const stormMs = performance.now() - begun;
    isOver = true;
    const took = await probing;
    const counted = await fetch(`${gateway.url}/api/alarms?limit=1`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const raised = Number(counted.headers.get("x-total-count"));
    const digestCount = () => Number(texts.map((text) => /^(\d+) more/.exec(text)?.[1]).find(Boolean) ?? 0);
    while (digestCount() === 0 && performance.now() - begun < 120_000) await Bun.sleep(200);
    const notified = digestCount() + NOTIFIED_SINGLY;
    await client.endAsync();
    const handled = await handleAll(gateway.url, key);
    return [
      ...handled,
      {
        section: "Alarms",
        measure: `a storm of ${thousands(DEVICES)} alarms in ${fixed(stormMs / 1000, 1)} s: raised, notified (${NOTIFIED_SINGLY} by themselves, the rest in one message)`,
        value: `${thousands(raised)} raised, ${thousands(notified)} notified in ${texts.length} messages`,
        goal: "nothing lost",
        met: raised === DEVICES && notified === DEVICES,
      },
      {
        section: "Alarms",
        measure: `the newest 100 alarms asked for during that storm, ${thousands(took.length)} times`,
        value: `p50 ${fixed(share(took, 0.5), 1)} ms, p99 ${fixed(share(took, 0.99), 1)} ms, slowest ${fixed(took.at(-1) ?? Number.NaN, 1)} ms`,
        goal: `p99 ≤ ${GOAL_MS} ms`,
        met: share(took, 0.99) <= GOAL_MS,
      },
    ];
  } finally {
    await gateway.kill("SIGTERM");
    phone.stop(true);
    remove(directory);
  }
}
