import type { KeyLimits, KeyMetadata, KeyState } from "../../lib/key-metadata.ts";
import type { PlantTexts } from "./plant-texts.ts";

const gauge = (key: string, name: string, format: { unit: string; decimals: number }): KeyMetadata => ({
  key,
  name,
  ...format,
  kind: "gauge",
});

const limited = (metadata: KeyMetadata, limits: KeyLimits): KeyMetadata => ({ ...metadata, limits });

const states = (key: string, name: string, values: readonly KeyState[]): KeyMetadata => ({
  key,
  name,
  kind: "state",
  states: values,
});

/** Returns the metadata of what the machines and gateways of the demo plant send, by device type. */
export function plantKeys(text: PlantTexts): Readonly<Record<string, readonly KeyMetadata[]>> {
  const zone = (number: number) =>
    gauge(`zone${number}`, `${text("Zone")} ${number}`, { unit: "Cel", decimals: 1 });
  return {
    press: [
      limited(gauge("temperature", text("Temperature"), { unit: "Cel", decimals: 1 }), {
        high: 63,
        highHigh: 66,
      }),
      limited(gauge("vibration", text("Vibration"), { unit: "mm/s", decimals: 2 }), { high: 4 }),
      gauge("power", text("Power"), { unit: "kW", decimals: 1 }),
      { key: "cycles", name: text("Cycles"), decimals: 0, kind: "counter" },
      states("state", text("State"), [
        { value: "running", name: text("Running"), color: "green" },
        { value: "idle", name: text("Idle"), color: "gray" },
        { value: "fault", name: text("Fault"), color: "red" },
      ]),
    ],
    conveyor: [
      gauge("speed", text("Speed"), { unit: "m/s", decimals: 2 }),
      gauge("current", text("Current"), { unit: "A", decimals: 2 }),
      gauge("motor_temperature", text("Motor temperature"), { unit: "Cel", decimals: 1 }),
      states("running", text("Belt"), [
        { value: true, name: text("Running"), color: "green" },
        { value: false, name: text("Stopped"), color: "gray" },
      ]),
    ],
    oven: [
      zone(1),
      zone(2),
      zone(3),
      gauge("setpoint", text("Setpoint"), { unit: "Cel", decimals: 0 }),
      states("door_open", text("Door"), [
        { value: true, name: text("Open"), color: "orange" },
        { value: false, name: text("Closed"), color: "green" },
      ]),
    ],
    compressor: [
      limited(gauge("pressure", text("Pressure"), { unit: "bar", decimals: 2 }), { lowLow: 5.2, low: 5.7 }),
      gauge("oil_temperature", text("Oil temperature"), { unit: "Cel", decimals: 1 }),
      gauge("power", text("Power"), { unit: "kW", decimals: 1 }),
      gauge("hours_to_service", text("Time to service"), { unit: "h", decimals: 0 }),
    ],
    climate: [
      gauge("temperature", text("Temperature"), { unit: "Cel", decimals: 1 }),
      gauge("humidity", text("Humidity"), { unit: "%", decimals: 0 }),
      limited(gauge("co2", "CO₂", { unit: "[ppm]", decimals: 0 }), { high: 1_000, highHigh: 1_400 }),
    ],
    meter: [
      gauge("power", text("Power"), { unit: "kW", decimals: 1 }),
      { key: "energy", name: text("Energy"), unit: "kW.h", decimals: 1, kind: "counter" },
      gauge("voltage", text("Voltage"), { unit: "V", decimals: 1 }),
    ],
    gateway: [
      gauge("cpu_temperature", text("CPU temperature"), { unit: "Cel", decimals: 1 }),
      gauge("signal", text("Signal strength"), { unit: "dB[mW]", decimals: 0 }),
      gauge("uptime", text("Uptime"), { unit: "s", decimals: 0 }),
    ],
  };
}
