/** What a place holds of the telemetry of devices: values by device, key and timestamp. */
export class Content {
  /** Device, key and timestamp → value as JSON. */
  readonly values = new Map<string, string>();
  /** Values that arrived, those that came again included. */
  received = 0;
  /** Values that came again. */
  repeated = 0;

  set(device: string, ts: number, values: Readonly<Record<string, unknown>>): void {
    for (const [key, value] of Object.entries(values)) {
      const name = `${device} ${key} ${ts}`;
      const text = JSON.stringify(value);
      this.received++;
      if (this.values.get(name) === text) this.repeated++;
      this.values.set(name, text);
    }
  }

  removeKey(key: string): void {
    for (const name of [...this.values.keys()]) if (name.split(" ")[1] === key) this.values.delete(name);
  }

  remove(device: string, from: number, to: number): void {
    for (const name of [...this.values.keys()]) {
      const [owner = "", , ts = ""] = name.split(" ");
      if (owner === device && Number(ts) >= from && Number(ts) <= to) this.values.delete(name);
    }
  }

  /** Applies a line that an uplink sends, in the order in which lines arrive. One that a kill has cut is passed over. */
  apply(line: string): void {
    const record = parsed(line);
    if (record === undefined) return;
    const { kind, device, ts, values, from, to, keys } = record;
    if (kind === undefined) this.set(device, ts, values);
    if (kind === "deletion" && keys === null) this.remove(device, from, to);
  }
}

function parsed(line: string) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

export interface Difference {
  readonly points: number;
  readonly lost: number;
  /** Values that the target has and the gateway has not. */
  readonly surplus: number;
  /** Values that differ: a later one was overtaken by an earlier one. */
  readonly different: number;
  /** Some of them, to look at. */
  readonly examples: readonly string[];
}

/** Compares what a target holds with what the gateway holds, point by point. */
export function difference(gateway: Content, target: Content): Difference {
  const counts = { lost: 0, surplus: 0, different: 0 };
  const examples: string[] = [];
  const note = (kind: keyof typeof counts, name: string) => {
    counts[kind]++;
    if (examples.length < 5)
      examples.push(`${kind} ${name}: ${gateway.values.get(name)} / ${target.values.get(name)}`);
  };
  for (const [name, value] of gateway.values) {
    const copy = target.values.get(name);
    if (copy === undefined) note("lost", name);
    else if (copy !== value) note("different", name);
  }
  for (const name of target.values.keys()) if (!gateway.values.has(name)) note("surplus", name);
  return { points: gateway.values.size, ...counts, examples };
}
