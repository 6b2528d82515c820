import type { Socket } from "bun";
import { generate, type Packet, parser } from "mqtt-packet";
import { until } from "../support/until.ts";

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

/** A bare socket that sends whatever bytes a test wants and keeps what comes back. */
export class RawClient {
  readonly version: 3 | 4 | 5;
  readonly packets: Packet[] = [];
  readonly bytes: number[] = [];
  closed = false;
  #socket: Socket | undefined;
  readonly #parser;
  #rest: Uint8Array | undefined;

  constructor(version: 3 | 4 | 5) {
    this.version = version;
    this.#parser = parser({ protocolVersion: version });
    this.#parser.on("packet", (packet) => this.packets.push(packet));
    this.#parser.on("error", () => {});
  }

  static async open(port: number, version: 3 | 4 | 5 = 4): Promise<RawClient> {
    const client = new RawClient(version);
    client.#socket = await Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        data: (_socket, bytes) => {
          client.bytes.push(...bytes);
          client.#parser.parse(Buffer.from(bytes));
        },
        drain: () => client.#flush(),
        end: (socket) => {
          socket.end();
        },
        close: () => {
          client.closed = true;
        },
        error: () => {},
      },
    });
    return client;
  }

  /** Opens and signs in; `fields` go into the CONNECT. */
  static async connect(
    port: number,
    version: 3 | 4 | 5,
    fields: Record<string, unknown> = {},
  ): Promise<RawClient> {
    const client = await RawClient.open(port, version);
    client.send(connectPacket(version, fields));
    await client.next("connack");
    return client;
  }

  send(packet: Packet): void {
    this.raw(generate(packet, { protocolVersion: this.version }));
  }

  raw(bytes: Uint8Array): void {
    this.#rest = this.#rest === undefined ? bytes : Buffer.concat([this.#rest, bytes]);
    this.#flush();
  }

  hex(text: string): void {
    this.raw(Buffer.from(text.replaceAll(" ", ""), "hex"));
  }

  /** Everything received, as hex. */
  get received(): string {
    return hexOf(Uint8Array.from(this.bytes));
  }

  pause(): void {
    this.#socket?.pause();
  }

  resume(): void {
    this.#socket?.resume();
  }

  /** Closes without DISCONNECT. */
  drop(): void {
    this.#socket?.terminate();
  }

  /** Takes the first packet of a kind out of what came, waiting for it. */
  async next<Command extends Packet["cmd"]>(command: Command): Promise<Packet & { cmd: Command }> {
    const find = () => this.packets.findIndex((packet) => packet.cmd === command);
    await until(() => this.closed || find() >= 0, command);
    const index = find();
    if (index < 0) throw new Error(`connection closed while waiting for ${command}`);
    return this.packets.splice(index, 1)[0] as Packet & { cmd: Command };
  }

  async end(): Promise<void> {
    await until(() => this.closed, "the end of the connection");
  }

  /** A round trip: everything sent before has been looked at. */
  async ping(): Promise<void> {
    this.send({ cmd: "pingreq" });
    await this.next("pingresp");
  }

  #flush(): void {
    const rest = this.#rest;
    if (rest === undefined || this.#socket === undefined) return;
    const written = Math.max(0, this.#socket.write(rest));
    this.#rest = written === rest.length ? undefined : rest.subarray(written);
  }
}

export function connectPacket(version: 3 | 4 | 5, fields: Record<string, unknown> = {}): Packet {
  return {
    cmd: "connect",
    protocolId: version === 3 ? "MQIsdp" : "MQTT",
    protocolVersion: version,
    clientId: "client",
    clean: true,
    keepalive: 60,
    username: "token",
    ...fields,
  } as Packet;
}

export function publishPacket(
  topic: string,
  payload: string,
  options: { qos?: 0 | 1 | 2; id?: number; dup?: boolean; retain?: boolean } = {},
): Packet {
  const { qos = 1, id = 1, dup = false, retain = false } = options;
  return { cmd: "publish", topic, payload, qos, dup, retain, ...(qos > 0 ? { messageId: id } : {}) };
}
