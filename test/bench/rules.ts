import { openScreen } from "./alarm-latency.ts";
import {
  cpuSeconds,
  createDevices,
  remove,
  runLoad,
  startGateway,
  startMosquitto,
  temporaryDirectory,
} from "./processes.ts";
import { fixed, type Row, thousands } from "./report.ts";

const CONNECTIONS = 100;
const WINDOW = 20;
const ROUNDS = 3;
const PIPELINES = 5;
const ALARM_RULES = 20;
const RATIO_MIN = 2.2;
/** A site that sends all day, far below what the gateway can take. */
const SITE_RATE = 5_000;
const COST_RATIO_MAX = 1.5;

/** Five steps as a site would have them; as many values are stored with them as without. */
const steps = [
  { type: "rename_keys", mapping: { temperature: "t" } },
  { type: "filter_range", keys: ["t"], min: -40, max: 85 },
  { type: "round_keys", keys: ["t", "humidity"], decimals: 1 },
  { type: "derive_key", key: "power", expression: "round(power * 1.02, 1)" },
  { type: "rename_keys", mapping: { t: "temperature" } },
];

const sensorKeys = ["temperature", "humidity", "power"];

/**
 * Rules of every kind, with limits as a site would have them: beyond what a healthy device sends, one in five within it all the time (its
 * alarm stays open), one in ten crossed every twenty messages or so.
 */
const alarmRules = Array.from({ length: ALARM_RULES }, (_, index) => {
  const key = sensorKeys[index % sensorKeys.length];
  const isOpen = index % 5 === 0;
  const isCrossed = index % 10 === 3;
  const limit = { temperature: 80, humidity: 95, power: 5000 }[key ?? ""] ?? 0;
  const crossed = { temperature: 29, humidity: 45, power: 1200 }[key ?? ""] ?? 0;
  const condition = { key, op: "GT", value: isOpen ? 0 : isCrossed ? crossed : limit + index };
  const kinds = [
    {},
    { kind: "DURATION", forMs: 60_000 },
    { kind: "SIMPLE" },
    { kind: "DURATION", forMs: 3_600_000 },
  ];
  return {
    alarmType: `rule ${index}`,
    createRules: [
      { severity: "MAJOR", condition, ...(isCrossed ? kinds[3] : kinds[index % 3]) },
      { severity: "CRITICAL", condition: { key, op: "GT", value: limit * 2 } },
    ],
    clearRule: { condition: { key, op: "LT", value: isOpen ? -1 : limit - 5 } },
  };
});

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;

/** Measures the cost of rules per message: the same load with and without them, in turns. */
export async function benchRules(seconds: number): Promise<Row[]> {
  const directory = temporaryDirectory();
  const gateway = await startGateway(directory);
  try {
    const api = await gateway.signIn();
    const users = (await createDevices(api, CONNECTIONS)).map(({ token }) => token);
    const pipelines: string[] = [];
    for (let order = 0; order < PIPELINES; order++) {
      const body = { name: `pipeline ${order}`, order, steps };
      pipelines.push((await api.post<{ pipelineId: string }>("/api/data-pipelines", body)).pipelineId);
    }
    const [profile] = await api.get<Array<{ profileId: string }>>("/api/device-profiles");
    const runPipelines = async (subject: "start" | "pause") => {
      for (const id of pipelines) await api.post(`/api/data-pipelines/${id}/${subject}`, {});
    };
    const setRules = (rules: unknown[]) =>
      api.patch(`/api/device-profiles/${profile?.profileId}`, { alarmRules: rules });
    const load = async (port = gateway.mqttPort) =>
      (
        await runLoad({
          port,
          seconds,
          connections: CONNECTIONS,
          window: WINDOW,
          qos: 1,
          topic: "v1/devices/me/telemetry",
          users,
        })
      ).messagesPerSecond;
    const peer = await startMosquitto();
    const peers: number[] = [];
    const bare: number[] = [];
    const piped: number[] = [];
    const ruled: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      if (peer !== undefined) peers.push(await load(peer.port));
      bare.push(await load());
      await runPipelines("start");
      piped.push(await load());
      await setRules(alarmRules);
      ruled.push(await load());
      await setRules([]);
      await runPipelines("pause");
    }
    await peer?.stop();
    const row = (subject: string, rates: number[], isGoal: boolean): Row => {
      const ratio = peer && median(rates) / median(peers);
      return {
        section: "Rules",
        measure: `QoS 1, ${CONNECTIONS} connections, window ${WINDOW}, ${subject}, messages/s`,
        value: `${thousands(median(rates))} (without any: ${thousands(median(bare))})`,
        ...(ratio !== undefined && { peer: `Mosquitto ${thousands(median(peers))} (stores nothing)`, ratio }),
        goal: isGoal ? `≥ ${RATIO_MIN} ×` : "–",
        met: isGoal && ratio !== undefined ? ratio >= RATIO_MIN : undefined,
      };
    };
    const all = `${PIPELINES} active pipelines of ${steps.length} steps on every message`;
    return [
      row(all, piped, false),
      row(`${all} and ${ALARM_RULES} alarm rules on every device`, ruled, true),
    ];
  } finally {
    await gateway.kill("SIGTERM");
    remove(directory);
  }
}

/** Processor time of a message at the rate of a site, with rules and a screen that shows alarms and a device, beside that of Mosquitto. */
export async function benchMessageCost(seconds: number): Promise<Row[]> {
  const directory = temporaryDirectory();
  const gateway = await startGateway(directory);
  const peer = await startMosquitto();
  try {
    const api = await gateway.signIn();
    const devices = await createDevices(api, CONNECTIONS);
    for (let order = 0; order < PIPELINES; order++) {
      const body = { name: `pipeline ${order}`, order, steps };
      const { pipelineId } = await api.post<{ pipelineId: string }>("/api/data-pipelines", body);
      await api.post(`/api/data-pipelines/${pipelineId}/start`, {});
    }
    const [profile] = await api.get<Array<{ profileId: string }>>("/api/device-profiles");
    await api.patch(`/api/device-profiles/${profile?.profileId}`, { alarmRules });
    const screen = await openScreen(gateway, api, {
      topics: ["telemetry", "alarms"],
      deviceIds: devices.slice(0, 1).map(({ deviceId }) => deviceId),
    });
    const cost = async (of: { readonly port: number; readonly pid: number }) => {
      const load = { port: of.port, seconds, connections: CONNECTIONS, window: WINDOW, qos: 1 } as const;
      const users = devices.map(({ token }) => token);
      const before = cpuSeconds(of.pid);
      const { acknowledged } = await runLoad({
        ...load,
        topic: "v1/devices/me/telemetry",
        users,
        rate: SITE_RATE,
      });
      return ((cpuSeconds(of.pid) - before) / acknowledged) * 1e6;
    };
    const own: number[] = [];
    const peers: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      if (peer !== undefined) peers.push(await cost(peer));
      own.push(await cost({ port: gateway.mqttPort, pid: gateway.pid }));
    }
    screen.close();
    const ratio = peer && median(own) / median(peers);
    return [
      {
        section: "Rules",
        measure: `processor time of a message at ${thousands(SITE_RATE)} messages/s, QoS 1, ${CONNECTIONS} connections, ${PIPELINES} pipelines, ${ALARM_RULES} rules, one screen`,
        value: `${fixed(median(own), 0)} µs`,
        ...(ratio !== undefined && {
          peer: `Mosquitto ${fixed(median(peers), 0)} µs (stores nothing, no rules)`,
          ratio,
        }),
        goal: `≤ ${COST_RATIO_MAX} × Mosquitto`,
        met: ratio === undefined ? undefined : ratio <= COST_RATIO_MAX,
      },
    ];
  } finally {
    await peer?.stop();
    await gateway.kill("SIGTERM");
    remove(directory);
  }
}
