import type { KeyLimits, KeyMetadata, KeyState } from "../../lib/key-metadata.ts";

/** Metadata of what the machines of the demo plant send, by device type. */

const gauge = (key: string, unit: string, decimals: number, limits?: KeyLimits): KeyMetadata => ({
  key,
  unit,
  decimals,
  kind: "gauge",
  ...(limits !== undefined && { limits }),
});
const state = (key: string, states: readonly KeyState[]): KeyMetadata => ({ key, kind: "state", states });

export const plantKeys: Readonly<Record<string, readonly KeyMetadata[]>> = {
  press: [
    gauge("temperature", "Cel", 1, { high: 63, highHigh: 66 }),
    gauge("vibration", "mm/s", 2, { high: 4 }),
    gauge("power", "kW", 1),
    { key: "cycles", decimals: 0, kind: "counter" },
    state("state", [
      { value: "running", name: "Running", color: "green" },
      { value: "idle", name: "Idle", color: "gray" },
      { value: "fault", name: "Fault", color: "red" },
    ]),
  ],
  conveyor: [
    gauge("speed", "m/s", 2),
    gauge("current", "A", 2),
    { ...gauge("motor_temperature", "Cel", 1), name: "Motor temperature" },
    state("running", [
      { value: true, name: "Running", color: "green" },
      { value: false, name: "Stopped", color: "gray" },
    ]),
  ],
  oven: [
    ...[1, 2, 3].map((zone) => ({ ...gauge(`zone${zone}`, "Cel", 1), name: `Zone ${zone}` })),
    gauge("setpoint", "Cel", 0),
    {
      ...state("door_open", [
        { value: true, name: "Open", color: "orange" },
        { value: false, name: "Closed", color: "green" },
      ]),
      name: "Door",
    },
  ],
  compressor: [
    gauge("pressure", "bar", 2, { lowLow: 5.2, low: 5.7 }),
    { ...gauge("oil_temperature", "Cel", 1), name: "Oil temperature" },
    gauge("power", "kW", 1),
    { ...gauge("hours_to_service", "h", 0), name: "Time to service" },
  ],
  climate: [
    gauge("temperature", "Cel", 1),
    gauge("humidity", "%", 0),
    { ...gauge("co2", "[ppm]", 0, { high: 1_000, highHigh: 1_400 }), name: "CO₂" },
  ],
  meter: [
    gauge("power", "kW", 1),
    { key: "energy", unit: "kW.h", decimals: 1, kind: "counter" },
    gauge("voltage", "V", 1),
  ],
};
