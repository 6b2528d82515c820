import { join } from "node:path";
import { remove, startGateway, startMosquitto, temporaryDirectory } from "./processes.ts";
import { type Row, thousands } from "./report.ts";
import type { TopicLoadResult } from "./topic-load.ts";

const ROUNDS = 3;
const GOAL = 0.5;
const USER = "bench";
const PASSWORD = "many quiet topics";
const CLIENTS_MAX = 1_000;

interface Load {
  readonly pattern: string;
  readonly qos: 0 | 1;
  readonly clients: number;
  readonly measure: string;
}

const pair = { pattern: "pairs", clients: 50, measure: "50 publishers, each with a subscriber of its own" };
const fanOut = { pattern: "fan-out", clients: 100, measure: "1 publisher, 100 subscribers" };
const fanIn = { pattern: "fan-in", clients: 100, measure: "100 publishers, 1 subscriber of all topics" };
const retained = { pattern: "retained", clients: 1, measure: "5,000 retained messages to a new subscriber" };
const offline = {
  pattern: "offline",
  clients: 20,
  measure: "500 messages each to 20 clients that were away, when they come back",
};
const loads: readonly Load[] = [
  ...[pair, fanOut, fanIn].flatMap((load) => [
    { ...load, qos: 0 as const },
    { ...load, qos: 1 as const },
  ]),
  { ...retained, qos: 0 },
  { ...offline, qos: 1 },
];

async function measure(
  port: number,
  user: string,
  { pattern, qos, clients }: Load,
  seconds: number,
): Promise<number> {
  const args = [String(port), user, PASSWORD, pattern, String(qos), String(clients), String(seconds)];
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "topic-load.ts"), ...args], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const result = JSON.parse(await new Response(child.stdout).text()) as TopicLoadResult; // its own line
  return result.deliveredPerSecond;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** MQTT clients with topics of their own beside Mosquitto: messages of 100 bytes that reach a subscriber, a second. */
export async function benchTopics(seconds: number): Promise<Row[]> {
  const directory = temporaryDirectory();
  const gateway = await startGateway(directory, [
    "--mqtt-connections-per-key-max",
    String(CLIENTS_MAX),
    "--mqtt-sessions-per-key-max",
    String(CLIENTS_MAX),
  ]);
  const mosquitto = await startMosquitto({ isNagleOff: true });
  try {
    const api = await gateway.signIn();
    const topics = { publish: ["#"], subscribe: ["#"] };
    await api.post("/api/mqtt/clients", {
      ...{
        name: "bench",
        signIn: "PASSWORD",
        username: USER,
        password: PASSWORD,
        messagesPerSecond: 1_000_000,
      },
      ...topics,
    });
    const rows: Row[] = [];
    for (const load of loads) {
      const rates: [number[], number[]] = [[], []];
      for (let round = 0; round < ROUNDS; round++) {
        rates[0].push(await measure(gateway.mqttPort, USER, load, seconds));
        if (mosquitto !== undefined) rates[1].push(await measure(mosquitto.port, "-", load, seconds));
      }
      const [own, peer] = [median(rates[0]), median(rates[1])];
      const ratio = own / peer;
      rows.push({
        section: "Topics of MQTT clients",
        measure: `${load.measure}, QoS ${load.qos}: messages delivered, a second`,
        value: thousands(own),
        ...(mosquitto !== undefined && { peer: `Mosquitto ${thousands(peer)}`, ratio }),
        goal: `≥ ${GOAL} ×`,
        met: mosquitto === undefined ? undefined : ratio >= GOAL,
      });
    }
    return rows;
  } finally {
    await gateway.kill("SIGTERM");
    await mosquitto?.stop();
    remove(directory);
  }
}
