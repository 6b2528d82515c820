import { mqttText } from "./load-packets.ts";
import type { BenchDevice, Gateway } from "./processes.ts";

/*
 * Senders of numbered messages that remember which of them were acknowledged, so that what is stored can be compared with
 * that after a kill or a full disk.
 */

const FIRST_TS = 1_700_000_000_000;
const MQTT_WINDOW = 16;
const TOPIC = "v1/devices/me/telemetry";

export interface NumberedSender {
  /** Sequence numbers that were acknowledged. */
  readonly acknowledged: Set<number>;
  close(): void;
}

const message = (sequence: number): string =>
  `{"ts":${FIRST_TS + sequence},"values":{"sequence":${sequence},"odd":${sequence % 2 === 1}}}`;

const PUBREC = 0x50;
const PUBREL = 0x62;
const CONNACK = 0x20;

/** One MQTT 3.1.1 connection with a window of messages; of QoS 2 the PUBREC counts as the acknowledgement. */
class MqttSender implements NumberedSender {
  readonly acknowledged = new Set<number>();
  readonly #qos: 1 | 2;
  /** Sequence number by packet id. */
  readonly #inFlight = new Map<number, number>();
  #buffer = Buffer.alloc(0);
  #next = 0;
  #socket: Bun.Socket | undefined;

  constructor(qos: 1 | 2) {
    this.#qos = qos;
  }

  async connect(port: number, token: string): Promise<void> {
    this.#socket = await Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: { data: (_, data) => this.#take(data), error() {}, close() {} },
    });
    const body = [...mqttText("MQTT"), 4, 0x82, 0, 0, ...mqttText(""), ...mqttText(token)];
    this.#socket.write(Buffer.from([0x10, body.length, ...body]));
  }

  close(): void {
    this.#socket?.terminate();
  }

  /** All that comes here is four bytes long. */
  #take(data: Buffer): void {
    this.#buffer = Buffer.concat([this.#buffer, data]);
    for (; this.#buffer.length >= 4; this.#buffer = this.#buffer.subarray(4))
      this.#packet(this.#buffer[0] ?? 0, this.#buffer.readUInt16BE(2));
  }

  #packet(type: number, id: number): void {
    if (type === CONNACK) {
      for (let index = 0; index < MQTT_WINDOW; index++) this.#publish();
      return;
    }
    const sequence = this.#inFlight.get(id);
    if (sequence !== undefined) this.acknowledged.add(sequence);
    if (type === PUBREC) this.#socket?.write(Buffer.from([PUBREL, 2, id >> 8, id & 255]));
    else {
      this.#inFlight.delete(id);
      this.#publish();
    }
  }

  #publish(): void {
    const sequence = this.#next++;
    const id = (sequence % 65_535) + 1;
    this.#inFlight.set(id, sequence);
    const payload = Buffer.from(message(sequence));
    const body = [...mqttText(TOPIC), id >> 8, id & 255];
    const length = body.length + payload.length;
    const lengthBytes = length < 128 ? [length] : [(length & 127) | 128, length >> 7];
    this.#socket?.write(
      Buffer.concat([Buffer.from([0x30 | (this.#qos << 1), ...lengthBytes, ...body]), payload]),
    );
  }
}

export async function startMqttSender(port: number, token: string, qos: 1 | 2): Promise<NumberedSender> {
  const sender = new MqttSender(qos);
  await sender.connect(port, token);
  return sender;
}

export interface HttpSender extends NumberedSender {
  /** When the newest acknowledgement came, in ms of `performance.now()`. */
  readonly lastMs: number;
  /** Answers that were not 200 so far. */
  readonly refused: number;
}

/** One request after the other; what is refused is not sent again. */
export function startHttpSender(url: string, token: string, pauseMs = 0): HttpSender {
  const sender = { acknowledged: new Set<number>(), lastMs: 0, refused: 0 };
  let running = true;
  const run = async () => {
    for (let sequence = 0; running; sequence++) {
      try {
        const response = await fetch(`${url}/api/v1/${token}/telemetry`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: message(sequence),
        });
        await response.arrayBuffer();
        if (response.status === 200) {
          sender.acknowledged.add(sequence);
          sender.lastMs = performance.now();
        } else sender.refused++;
      } catch {
        if (!running) return;
        sender.refused++;
      }
      if (pauseMs > 0) await Bun.sleep(pauseMs);
    }
  };
  void run();
  return Object.assign(sender, {
    close() {
      running = false;
    },
  });
}

/** The sequence numbers that a device has; throws when a value is not the one that was sent. */
async function readSequences(gateway: Gateway, deviceId: string): Promise<number[]> {
  const api = await gateway.signIn();
  const chunks = await api.stream(`/api/devices/${deviceId}/telemetry/export?format=ndjson&keys=sequence`);
  const sequences: number[] = [];
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  for (const line of Buffer.concat(parts).toString().split("\n")) {
    if (line === "") continue;
    const { ts, values } = JSON.parse(line);
    if (ts - FIRST_TS !== values.sequence) throw new Error(`a point came back with another value: ${line}`);
    sequences.push(values.sequence);
  }
  return sequences;
}

/** Returns the acknowledged values that a device lacks, and those that it has twice. */
export async function compare(
  gateway: Gateway,
  { deviceId }: BenchDevice,
  { acknowledged }: NumberedSender,
): Promise<{ acknowledged: number; lost: number; doubled: number }> {
  const stored = await readSequences(gateway, deviceId);
  const existing = new Set(stored);
  const lost = [...acknowledged].filter((sequence) => !existing.has(sequence)).length;
  return { acknowledged: acknowledged.size, lost, doubled: stored.length - existing.size };
}
