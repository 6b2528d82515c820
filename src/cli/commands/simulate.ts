import { connect, type MqttClient } from "mqtt";
import { createFactory, type Machine } from "../../lib/devices/factory-model.ts";
import { networkErrorText } from "../../lib/network/network-error.ts";
import { renderIn } from "../../lib/texts/catalogues.ts";
import { StartupError } from "../../platform/process/startup-error.ts";
import { type ApiClient, connectApi } from "../api-client.ts";
import {
  type CommandOption,
  credentialsOf,
  describeOptions,
  numberOf,
  parseCommand,
  serverOptions,
} from "../arguments.ts";
import type { GatewayEndpoint } from "../gateway-url.ts";

const options = {
  ...serverOptions,
  devices: { type: "string", default: "12", help: "number of machines" },
  rate: { type: "string", default: "12", help: "messages per second of all machines together" },
  history: { type: "string", default: "24", help: "hours of history to send first; 0 for none" },
  seconds: { type: "string", default: "0", help: "seconds to run; 0 to run until interrupted" },
  qos: { type: "string", default: "1", help: "MQTT quality of service: 0, 1 or 2" },
  help: { type: "boolean", help: "print this help" },
} as const satisfies Record<string, CommandOption>;

const TOPIC = "v1/devices/me/telemetry";
const HISTORY_STEP_MS = 60_000;
const HISTORY_BATCH_ITEMS = 1_000;
const TICK_MS = 50;
/** Max. unacknowledged messages before the plant waits for the gateway. */
const IN_FLIGHT_MAX = 2_000;

interface Connected {
  readonly machine: Machine;
  readonly token: string;
  readonly client: MqttClient;
}

interface Counts {
  sent: number;
  acknowledged: number;
  failed: number;
}

/** Creates a missing device of the plant. Machines of a line share its tag. */
async function ensureDevice(api: ApiClient, machine: Machine): Promise<string> {
  const device = {
    name: machine.name,
    deviceType: machine.kind,
    label: `Line ${machine.line}`,
    tags: ["simulated", `line-${machine.line}`],
  };
  return (await api.ensureDevice(device)).credentials.token;
}

async function sendHistory(
  api: ApiClient,
  plant: ReadonlyArray<{ machine: Machine; token: string }>,
  hours: number,
): Promise<void> {
  const end = Date.now();
  const start = end - hours * 3_600_000;
  for (const [index, { machine, token }] of plant.entries()) {
    let items: Array<{ ts: number; telemetry: object }> = [];
    for (let ts = start; ts < end; ts += HISTORY_STEP_MS) {
      items.push({ ts, telemetry: machine.sample(ts) });
      if (items.length < HISTORY_BATCH_ITEMS && ts + HISTORY_STEP_MS < end) continue;
      await api.post(`/api/v1/${token}/telemetry/batch`, { items });
      items = [];
    }
    console.log(`history ${index + 1} of ${plant.length}: ${machine.name}`);
  }
}

function openClient(url: string, token: string, tls: GatewayEndpoint["tls"]): Promise<MqttClient> {
  const { protocol, hostname, port } = new URL(url);
  const isSecure = protocol === "mqtts:";
  // Host and port rather than the address, which the client would take apart with a function that warns of itself.
  const client = connect({
    protocol: isSecure ? "mqtts" : "mqtt",
    host: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port || (isSecure ? 8883 : 1883)),
    username: token,
    clientId: "",
    clean: true,
    reconnectPeriod: 1_000,
    ...(isSecure && (tls as object | undefined)), // typed differently than the client's option, but passed to the same function
  });
  return new Promise((resolve, reject) => {
    client.once("connect", () => resolve(client));
    client.once("error", (error) => {
      const reason = renderIn("en", networkErrorText(error));
      reject(new StartupError(`The simulator cannot connect to ${url}. ${reason}`));
    });
  });
}

async function mqttUrlOf(api: ApiClient): Promise<string> {
  const { transports } = await api.get<{ transports: Array<{ id: string; url: string }> }>(
    "/api/v1/connectivity/catalog",
  );
  const find = (id: string) => transports.find((transport) => transport.id === id);
  const mqtt = find("mqtt") ?? find("mqtts");
  if (mqtt === undefined) throw new StartupError("The gateway offers no MQTT.");
  return mqtt.url;
}

/** Publishes round robin at the given rate until it is stopped. Waits while too many messages are unacknowledged. */
function runPlant(
  plant: readonly Connected[],
  settings: { rate: number; qos: 0 | 1 | 2 },
): { counts: Counts; stop(): void } {
  const counts: Counts = { sent: 0, acknowledged: 0, failed: 0 };
  const startedAt = performance.now();
  let next = 0;
  let skippedMs = 0;
  const timer = setInterval(() => {
    const due = ((performance.now() - startedAt - skippedMs) / 1000) * settings.rate;
    while (counts.sent < due) {
      if (counts.sent - counts.acknowledged - counts.failed >= IN_FLIGHT_MAX) {
        skippedMs = performance.now() - startedAt - (counts.sent / settings.rate) * 1000;
        break;
      }
      const connected = plant[next++ % plant.length];
      if (connected === undefined) return;
      counts.sent++;
      connected.client.publish(
        TOPIC,
        JSON.stringify(connected.machine.sample(Date.now())),
        { qos: settings.qos },
        (error) => {
          if (error) counts.failed++;
          else counts.acknowledged++;
        },
      );
    }
  }, TICK_MS);
  return { counts, stop: () => clearInterval(timer) };
}

function untilDone(seconds: number): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
    if (seconds > 0) setTimeout(resolve, seconds * 1000);
  });
}

/** `lineside simulate`: simulates a small factory over MQTT at a running gateway. */
export async function simulateCommand(args: readonly string[]): Promise<number> {
  const { values, flags } = parseCommand(args, options);
  if (flags.has("help")) {
    console.log(
      describeOptions(
        "lineside simulate [options]\n\nSimulate a small factory that sends to a running gateway over MQTT: a history first, then live values.",
        options,
      ),
    );
    return 0;
  }
  const devices = numberOf(values, "devices", { min: 1, max: 100_000 });
  const rate = numberOf(values, "rate", { min: 0.01, max: 1_000_000 });
  const hours = numberOf(values, "history", { min: 0, max: 24 * 365 });
  const seconds = numberOf(values, "seconds", { min: 0, max: 1e9 });
  const qos = numberOf(values, "qos", { min: 0, max: 2 });
  if (qos !== 0 && qos !== 1 && qos !== 2) throw new StartupError("--qos must be 0, 1 or 2.");
  const credentials = credentialsOf(values);
  const api = await connectApi(credentials);
  const plant: Array<{ machine: Machine; token: string }> = [];
  for (const machine of createFactory(devices))
    plant.push({ machine, token: await ensureDevice(api, machine) });
  if (hours > 0) await sendHistory(api, plant, hours);
  const url = await mqttUrlOf(api);
  const connected: Connected[] = [];
  for (const { machine, token } of plant)
    connected.push({ machine, token, client: await openClient(url, token, credentials.tls) });
  console.log(
    `${connected.length} machines connected to ${url}; ${rate} messages per second. Interrupt to stop.`,
  );
  const { counts, stop } = runPlant(connected, { rate, qos });
  const report = () =>
    console.log(`${counts.sent} sent, ${counts.acknowledged} acknowledged, ${counts.failed} failed`);
  const reporting = setInterval(report, 10_000);
  await untilDone(seconds);
  stop();
  clearInterval(reporting);
  await Promise.all(connected.map(({ client }) => client.endAsync()));
  report();
  return counts.failed === 0 ? 0 : 1;
}
