import type { ApiClient } from "../../src/cli/api-client.ts";
import { pythonOfBacpypes, startBacnetSimulator } from "../support/bacnet-simulator.ts";
import { hasPymodbus, startModbusSimulator } from "../support/modbus-simulator.ts";
import { pythonOfAsyncua, startOpcUaSimulator } from "../support/opcua-simulator.ts";
import { pythonOfSnap7, startS7Simulator } from "../support/s7-simulator.ts";

type Value = number | string | boolean;

interface Peer {
  readonly port: number;
  signal(name: NodeJS.Signals): void;
  kill(): Promise<void>;
  start(): Promise<void>;
}

interface Variable {
  readonly entry: { readonly key: string } & Readonly<Record<string, unknown>>;
  readonly initial: Value;
  readonly valueIn: (round: number) => Value;
}

/** A protocol, its peer and variables of several types. */
export interface FieldTrial<Own extends Peer = Peer> {
  readonly name: string;
  readonly hasPeer: boolean;
  readonly path: string;
  readonly connection: object;
  /** Field of a unit that has the entries. */
  readonly entries: string;
  readonly memoryMbMax: number;
  start(): Promise<Own>;
  readonly variables: readonly (Variable & { set(peer: Own, value: Value): Promise<void> })[];
}

const half = (round: number) => round + 0.5;
const text = (round: number) => `R${round}`;
const isOdd = (round: number) => round % 2 === 1;
const bytes = (count: number, write: (buffer: Buffer) => void) => {
  const buffer = Buffer.alloc(count);
  write(buffer);
  return buffer;
};
const hexOf = (count: number, write: (buffer: Buffer) => void) => bytes(count, write).toString("hex");
const wordsOf = (count: number, write: (buffer: Buffer) => void) => {
  const buffer = bytes(2 * count, write);
  return Array.from({ length: count }, (_, index) => buffer.readUInt16BE(2 * index));
};

type Bacnet = Awaited<ReturnType<typeof startBacnetSimulator>>;
const bacnetObject = (
  entry: { key: string; address: string; cov?: boolean },
  name: string,
  initial: Value,
  valueIn: (round: number) => Value,
  sent = (value: Value): unknown => value,
) => ({
  entry,
  initial,
  valueIn,
  set: (peer: Bacnet, value: Value) => peer.set(name, "presentValue", sent(value)),
});

const bacnet: FieldTrial<Bacnet> = {
  name: "BACnet/IP",
  hasPeer: pythonOfBacpypes !== null,
  path: "/api/bacnet/connections",
  connection: { deviceInstance: 1_201 },
  entries: "objects",
  memoryMbMax: 12,
  start: () => startBacnetSimulator(1_201),
  variables: [
    bacnetObject({ key: "real", address: "AI:1" }, "Supply temperature", 21.5, half),
    bacnetObject({ key: "state", address: "BI:1" }, "Window", true, isOdd, (value) =>
      value === true ? "active" : "inactive",
    ),
    bacnetObject({ key: "label", address: "characterstring-value:1" }, "Label", "Käfer", text),
    bacnetObject({ key: "signed", address: "integer-value:1" }, "Signed", -70_000, (round) => -round),
    bacnetObject({ key: "large", address: "large-analog-value:1" }, "Large", 1_234_567.891, half),
    bacnetObject({ key: "reported", address: "AV:100", cov: true }, "Value 100", 100, half),
  ],
};

type S7 = Awaited<ReturnType<typeof startS7Simulator>>;
const s7Tag = (
  key: string,
  address: string,
  byte: number,
  initial: Value,
  valueIn: (round: number) => Value,
  hex: (value: Value) => string,
) => ({
  entry: { key, address },
  initial,
  valueIn,
  set: (peer: S7, value: Value) => peer.set(1, byte, hex(value)),
});

const s7: FieldTrial<S7> = {
  name: "S7",
  hasPeer: pythonOfSnap7 !== null,
  path: "/api/s7/connections",
  connection: {},
  entries: "tags",
  memoryMbMax: 12,
  start: () => startS7Simulator(),
  variables: [
    s7Tag("real", "DB1,REAL4", 4, 3.14, half, (value) => hexOf(4, (to) => to.writeFloatBE(Number(value)))),
    s7Tag("state", "DB1,X0.0", 0, true, isOdd, (value) => (value === true ? "01" : "00")),
    s7Tag(
      "int",
      "DB1,INT8",
      8,
      -1_234,
      (round) => -round,
      (value) => hexOf(2, (to) => to.writeInt16BE(Number(value))),
    ),
    s7Tag(
      "dint",
      "DB1,DI12",
      12,
      -123_456_789,
      (round) => round,
      (value) => hexOf(4, (to) => to.writeInt32BE(Number(value))),
    ),
    s7Tag("lreal", "DB1,LR36", 36, 2.5, half, (value) => hexOf(8, (to) => to.writeDoubleBE(Number(value)))),
    s7Tag("text", "DB1,S44.10", 45, "PUMP-7", text, (value) =>
      hexOf(11, (to) => to.writeUInt8(to.write(String(value), 1), 0)),
    ),
  ],
};

type Modbus = Awaited<ReturnType<typeof startModbusSimulator>>;
const register = (
  key: string,
  place: { address: number; type: string; bit?: number; bits?: number },
  initial: Value,
  valueIn: (round: number) => Value,
  words: (value: Value) => number[],
) => ({
  entry: { key, area: "HOLDING_REGISTER", ...place },
  initial,
  valueIn,
  set: (peer: Modbus, value: Value) => peer.set(place.address, words(value)),
});

const modbus: FieldTrial<Modbus> = {
  name: "Modbus TCP",
  hasPeer: hasPymodbus,
  path: "/api/modbus/connections",
  connection: {},
  entries: "registers",
  memoryMbMax: 12,
  start: () => startModbusSimulator("TCP"),
  variables: [
    register(
      "uint",
      { address: 0, type: "UINT16" },
      231,
      (round) => round,
      (value) => [Number(value)],
    ),
    register("state", { address: 3, type: "UINT16", bit: 0, bits: 1 }, true, isOdd, (value) => [
      Number(value),
    ]),
    register("float", { address: 100, type: "FLOAT32" }, 3.14, half, (value) =>
      wordsOf(2, (to) => to.writeFloatBE(Number(value))),
    ),
    register(
      "int",
      { address: 102, type: "INT32" },
      -123_456,
      (round) => -round,
      (value) => wordsOf(2, (to) => to.writeInt32BE(Number(value))),
    ),
    register("double", { address: 110, type: "FLOAT64" }, 2.5, half, (value) =>
      wordsOf(4, (to) => to.writeDoubleBE(Number(value))),
    ),
  ],
};

type OpcUa = Awaited<ReturnType<typeof startOpcUaSimulator>>;
const opcuaItem = (key: string, initial: Value, valueIn: (round: number) => Value) => ({
  entry: { key, address: `ns=2;s=Press.${key}` },
  initial,
  valueIn,
  set: (peer: OpcUa, value: Value) => peer.set(key, value),
});

const opcua: FieldTrial<OpcUa> = {
  name: "OPC UA",
  hasPeer: pythonOfAsyncua !== null,
  path: "/api/opcua/connections",
  connection: { path: "/plant" },
  entries: "items",
  memoryMbMax: 35,
  start: startOpcUaSimulator,
  variables: [
    opcuaItem("running", true, isOdd),
    opcuaItem("int32", -123_456_789, (round) => -round),
    opcuaItem("int64", -1_234_567_890_123, (round) => round),
    opcuaItem("pressure", 3.14, half),
    opcuaItem("level", 2.5, half),
    opcuaItem("model", "PUMP-7", text),
  ],
};

export const fieldTrials = [bacnet, s7, modbus, opcua] as readonly FieldTrial[]; // each gets its own peer only

/** A value of the peer, and the time in which it could be read: from before it was set until after the next was, epoch ms. */
export interface Held {
  readonly value: Value;
  readonly from: number;
  /** When it certainly was the value: after it was set. */
  readonly since: number;
  /** When the next began to be set: until then it certainly was the value. */
  until: number;
  to: number;
}

/** A peer that takes longer for a value than this answers no reads meanwhile either. */
const STALL_MS_MIN = 100;

/** Sets the variables of a peer each second, and keeps what they were. */
export class FieldLog {
  readonly #trial: FieldTrial;
  readonly #held = new Map<string, Held[]>();
  /** Times in which the peer did not even take a value. */
  readonly #stalls: { readonly from: number; readonly to: number }[] = [];
  #round = 0;
  #running: Promise<void> = Promise.resolve();
  #isStopping = false;

  constructor(trial: FieldTrial) {
    this.#trial = trial;
  }

  heldOf(key: string): Held[] {
    return this.#held.get(key) ?? [];
  }

  /** Time for which a read would certainly have found this value. */
  readableMs({ since, until }: Held): number {
    const overlaps = this.#stalls.map(({ from, to }) => Math.min(to, until) - Math.max(from, since));
    return until - since - overlaps.reduce((sum, overlap) => sum + Math.max(0, overlap), 0);
  }

  #hold(key: string, value: Value, from: number): void {
    const list = this.heldOf(key);
    const last = list.at(-1);
    const since = Date.now();
    if (last !== undefined) {
      last.until = Math.min(last.until, from);
      last.to = Math.min(last.to, since);
    }
    const open = Number.POSITIVE_INFINITY;
    this.#held.set(key, [...list, { value, from, since, until: open, to: open }]);
  }

  /** Begins with a peer that was launched after the given time and has its initial values. */
  begin(peer: Peer, launchedAt: number): void {
    for (const { entry, initial } of this.#trial.variables) this.#hold(entry.key, initial, launchedAt);
    this.#isStopping = false;
    this.#running = this.#run(peer);
  }

  async #run(peer: Peer): Promise<void> {
    while (!this.#isStopping) {
      this.#round++;
      const next = Date.now() + 1_000;
      for (const { entry, valueIn, set } of this.#trial.variables) {
        const from = Date.now();
        const value = valueIn(this.#round);
        await set(peer, value);
        const to = Date.now();
        if (to - from > STALL_MS_MIN) this.#stalls.push({ from, to });
        this.#hold(entry.key, value, from);
      }
      await Bun.sleep(Math.max(0, next - Date.now()));
    }
  }

  /** Resolves when no value is being set: the peer may be killed. */
  async pause(): Promise<void> {
    this.#isStopping = true;
    await this.#running;
  }

  /** Notes that the peer is gone, and its values with it. */
  end(): void {
    for (const held of [...this.#held.values()].flat()) {
      held.until = Math.min(held.until, Date.now());
      held.to = Math.min(held.to, Date.now());
    }
  }
}

export interface Point {
  readonly ts: number;
  readonly value: Value;
}

/** Each window has fewer points than an answer lists. */
const WINDOW_MS = 60_000;
/** No trial takes longer. */
const TRIAL_MS_MAX = 3_600_000;

/** Stored values of a key, all of them. */
export async function pointsOf(
  api: ApiClient,
  deviceId: string,
  key: string,
  from: number,
): Promise<Point[]> {
  const end = Date.now() + 1;
  const points: Point[] = [];
  for (let start = Math.max(from, end - TRIAL_MS_MAX); start < end; start += WINDOW_MS) {
    const to = Math.min(end, start + WINDOW_MS) - 1;
    const query = { deviceIds: [deviceId], keys: [key], from: start, to, aggregation: "none" };
    const { data } = await api.post<{ data: { series: { points: Point[]; thinned?: object }[] }[] }>(
      "/api/v1/telemetry/query",
      query,
    );
    for (const series of data.flatMap((each) => each.series)) {
      if (series.thinned !== undefined) throw new Error(`${key}: the answer left points out`);
      points.push(...series.points);
    }
  }
  return points;
}
