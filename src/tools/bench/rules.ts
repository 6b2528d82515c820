import { createDevices, remove, runLoad, startGateway, temporaryDirectory } from "./processes.ts";
import { fixed, type Row, thousands } from "./report.ts";

const CONNECTIONS = 100;
const WINDOW = 20;
const ROUNDS = 3;
const PIPELINES = 5;

/** Five steps as a site would have them; as many values are stored with them as without. */
const steps = [
  { type: "rename_keys", mapping: { temperature: "t" } },
  { type: "filter_range", keys: ["t"], min: -40, max: 85 },
  { type: "round_keys", keys: ["t", "humidity"], decimals: 1 },
  { type: "derive_key", key: "power", expression: "round(power * 1.02, 1)" },
  { type: "rename_keys", mapping: { t: "temperature" } },
];

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;

/** What rules cost each message: the same load with and without them, in turns. */
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
    const all = async (what: "start" | "pause") => {
      for (const id of pipelines) await api.post(`/api/data-pipelines/${id}/${what}`, {});
    };
    const load = async () =>
      (
        await runLoad({
          port: gateway.mqttPort,
          seconds,
          connections: CONNECTIONS,
          window: WINDOW,
          qos: 1,
          topic: "v1/devices/me/telemetry",
          users,
        })
      ).messagesPerSecond;
    const bare: number[] = [];
    const ruled: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      bare.push(await load());
      await all("start");
      ruled.push(await load());
      await all("pause");
    }
    const ratio = median(ruled) / median(bare);
    return [
      {
        section: "Rules",
        measure: `QoS 1, ${CONNECTIONS} connections, window ${WINDOW}, ${PIPELINES} active pipelines of ${steps.length} steps on every message, messages/s`,
        value: thousands(median(ruled)),
        peer: `without any: ${thousands(median(bare))}`,
        ratio,
        goal: `≥ ${fixed(0.7, 1)} ×`,
        met: ratio >= 0.7,
      },
    ];
  } finally {
    await gateway.kill("SIGTERM");
    remove(directory);
  }
}
