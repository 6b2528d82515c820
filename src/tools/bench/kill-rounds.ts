import { mqttText } from "./load-packets.ts";
import { createDevices, type Gateway, remove, startGateway, temporaryDirectory } from "./processes.ts";

/** What rounds of SIGKILL under load left. */
export interface KillResult {
  readonly rounds: number;
  readonly acknowledged: number;
  readonly lost: number;
  readonly doubled: number;
  /** Slowest start to ready after a kill, in ms. */
  readonly readyMsMax: number;
}

const FIRST_TS = 1_700_000_000_000;
const CONNECTIONS = 4;
const WINDOW = 16;
const TOPIC = "v1/devices/me/telemetry";

interface Sender {
  /** Sequence numbers that were acknowledged. */
  readonly acknowledged: Set<number>;
  close(): void;
}

interface State {
  buffer: Buffer;
  connected: boolean;
  next: number;
  /** Sequence number by packet id. */
  readonly inFlight: Map<number, number>;
}

/** Publishes numbered messages by QoS 1 with a window, and remembers which were acknowledged. */
async function startSender(port: number, token: string, first: number): Promise<Sender> {
  const acknowledged = new Set<number>();
  const state: State = { buffer: Buffer.alloc(0), connected: false, next: first, inFlight: new Map() };
  const publish = (socket: Bun.Socket) => {
    const sequence = state.next++;
    const id = (sequence % 65_535) + 1;
    state.inFlight.set(id, sequence);
    const payload = Buffer.from(
      `{"ts":${FIRST_TS + sequence},"values":{"sequence":${sequence},"odd":${sequence % 2 === 1}}}`,
    );
    const body = [...mqttText(TOPIC), id >> 8, id & 255];
    const length = body.length + payload.length;
    const lengthBytes = length < 128 ? [length] : [(length & 127) | 128, length >> 7];
    socket.write(Buffer.concat([Buffer.from([0x32, ...lengthBytes, ...body]), payload]));
  };
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      data(from, data) {
        state.buffer = Buffer.concat([state.buffer, data]);
        while (state.buffer.length >= 4) {
          const packet = state.buffer.subarray(0, 4);
          state.buffer = state.buffer.subarray(4);
          if (packet[0] === 0x20) {
            state.connected = packet[3] === 0;
            for (let index = 0; index < WINDOW; index++) publish(from);
          } else {
            const id = packet.readUInt16BE(2);
            const sequence = state.inFlight.get(id);
            if (sequence !== undefined) acknowledged.add(sequence);
            state.inFlight.delete(id);
            publish(from);
          }
        }
      },
      error() {},
      close() {},
    },
  });
  const body = [...mqttText("MQTT"), 4, 0x82, 0, 0, ...mqttText(""), ...mqttText(token)];
  socket.write(Buffer.from([0x10, body.length, ...body]));
  return { acknowledged, close: () => socket.terminate() };
}

interface Stored {
  data: Array<{ series: Array<{ key: string; points: Array<{ ts: number; value: number }> }> }>;
}

async function readSequences(gateway: Gateway, deviceId: string): Promise<number[]> {
  const api = await gateway.signIn();
  const { data } = await api.get<Stored>(
    `/api/devices/${deviceId}/telemetry/range?from=0&to=1900000000000&keys=sequence&maxDataPoints=100000`,
  );
  const points = data[0]?.series[0]?.points ?? [];
  for (const { ts, value } of points)
    if (ts - FIRST_TS !== value) throw new Error(`a point came back with another value: ${ts} ${value}`);
  return points.map(({ value }) => value);
}

/** Kills a gateway under QoS 1 load at random moments, restarts it, and compares what it has with what it acknowledged. */
export async function runKillRounds(
  rounds: number,
  options: { loadMsMax?: number } = {},
): Promise<KillResult> {
  const directory = temporaryDirectory();
  let gateway = await startGateway(directory);
  const totals = { acknowledged: 0, lost: 0, doubled: 0, readyMsMax: 0 };
  for (let round = 0; round < rounds; round++) {
    const devices = await createDevices(await gateway.signIn(), CONNECTIONS, `round ${round}`);
    const { mqttPort } = gateway;
    const senders = await Promise.all(devices.map(({ token }) => startSender(mqttPort, token, 0)));
    await Bun.sleep(20 + Math.random() * (options.loadMsMax ?? 250));
    await gateway.kill("SIGKILL");
    for (const sender of senders) sender.close();
    gateway = await startGateway(directory);
    totals.readyMsMax = Math.max(totals.readyMsMax, gateway.readyMs);
    for (const [index, { deviceId }] of devices.entries()) {
      const stored = await readSequences(gateway, deviceId);
      const known = new Set(stored);
      const acknowledged = senders[index]?.acknowledged ?? new Set<number>();
      totals.acknowledged += acknowledged.size;
      totals.doubled += stored.length - known.size;
      for (const sequence of acknowledged) if (!known.has(sequence)) totals.lost++;
    }
  }
  await gateway.kill("SIGTERM");
  remove(directory);
  return { rounds, ...totals };
}
