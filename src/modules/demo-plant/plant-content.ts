import type { DeviceId } from "../../lib/core/ids.ts";
import type { KeyLimits, KeyMetadata, KeyState } from "../../lib/keys/key-metadata.ts";
import type { PlantText, PlantTexts } from "./plant-texts.ts";

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

/** Returns the metadata of the keys of the demo plant's machines and gateways, by device type. */
function plantKeys(text: PlantTexts): Readonly<Record<string, readonly KeyMetadata[]>> {
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

/*
 * Content of the demo plant in addition to its machines: profiles with alarms for faults, and a dashboard of everything.
 */

export const TAG = "demo-plant";
export const LINES = 2;
export const MACHINES_PER_LINE = 6;

/** Returns a message whose placeholders have the form of alarm rules. */
const slotted = (message: string): string => message.replaceAll("{", "${");

const rule = (
  alarmType: string,
  severity: string,
  raised: Readonly<Record<string, unknown>>,
  cleared: Readonly<Record<string, unknown>>,
  message: string,
) => ({
  alarmType,
  createRules: [{ severity, condition: raised, message: slotted(message) }],
  clearRule: { condition: cleared },
  // A demonstration notifies nobody. To get notifications, users change the rule.
  recipientIds: [],
});

/** Returns the profiles with alarm rules, for alarms that a fault raises and its repair clears. */
const profilesWithRules = (text: PlantTexts) => [
  {
    deviceType: "press",
    name: text("Demo press"),
    alarmRules: [
      rule(
        text("Overheating"),
        "CRITICAL",
        { key: "temperature", op: "GT", value: 66 },
        { key: "temperature", op: "LT", value: 63 },
        text("The temperature is {temperature} °C, above 66 °C."),
      ),
      rule(
        text("Vibration"),
        "WARNING",
        { key: "vibration", op: "GT", value: 4 },
        { key: "vibration", op: "LT", value: 3 },
        text("The vibration is {vibration} mm/s, above 4 mm/s."),
      ),
    ],
  },
  {
    deviceType: "oven",
    name: text("Demo oven"),
    alarmRules: [
      rule(
        text("Door open"),
        "MINOR",
        { key: "door_open", op: "EQ", value: true },
        { key: "door_open", op: "EQ", value: false },
        text("The door of {deviceName} is open."),
      ),
    ],
  },
  {
    deviceType: "compressor",
    name: text("Demo compressor"),
    alarmRules: [
      rule(
        text("Low pressure"),
        "CRITICAL",
        { key: "pressure", op: "LT", value: 5.2 },
        { key: "pressure", op: "GT", value: 5.7 },
        text("The pressure is {pressure} bar, below 5.2 bar."),
      ),
    ],
  },
  { deviceType: "conveyor", name: text("Demo conveyor"), alarmRules: [] },
  { deviceType: "climate", name: text("Demo climate"), alarmRules: [] },
  { deviceType: "meter", name: text("Demo meter"), alarmRules: [] },
  { deviceType: "gateway", name: text("Demo gateway"), alarmRules: [] },
];

/** Returns the profiles of the machines and gateways, with the metadata of their keys. */
export function plantProfiles(text: PlantTexts) {
  const keys = plantKeys(text);
  return profilesWithRules(text).map((profile) => ({ ...profile, keyMetadata: keys[profile.deviceType] }));
}

/** The profiles in English. */
export const profiles = plantProfiles((text) => text);

/** Returns the key figures of the first line for the overview. */
export const pinsOf = (machines: readonly DeviceId[]) =>
  Object.entries({ meter: "power", compressor: "pressure", press: "temperature", oven: "zone1" }).flatMap(
    ([kind, key]) => {
      const deviceId = machines[KINDS.indexOf(kind)];
      return deviceId === undefined ? [] : [{ deviceId, key }];
    },
  );

/** Position of each machine of a line in its hall, as a share of the plan's width and of the hall's height. */
const COLUMNS = [0.12, 0.29, 0.46, 0.63, 0.87, 0.87] as const;
/** Vertical positions on both sides of the belt, with room for names and values. */
const ROWS = [0.24, 0.77, 0.24, 0.77, 0.26, 0.74] as const;
const PLAN = { width: 1_000, height: 450 };
const HALL = { tops: [10, 235], height: 205 };
const BELT = { top: 94, height: 20 };

/** Returns the line between a machine and the belt. */
const link = (top: number, position: number): string => {
  const [x, y] = [PLAN.width * (COLUMNS[position] ?? 0), top + HALL.height * (ROWS[position] ?? 0)];
  return `<path d="M${x} ${y}V${top + BELT.top + BELT.height / 2}" stroke="#7b8a92" stroke-opacity="0.45" stroke-width="10"/>`;
};

/** Draws a hall in one gray of varying transparency, which suits a light and a dark page. */
const hall = (y: number, title: string) => `
  <rect x="10" y="${y}" width="980" height="${HALL.height}" rx="8" fill="#7b8a92" fill-opacity="0.08" stroke="#7b8a92" stroke-opacity="0.6" stroke-width="2"/>
  <text x="24" y="${y + HALL.height - 14}" font-family="sans-serif" font-size="20" fill="#7b8a92">${title}</text>
  <rect x="40" y="${y + BELT.top}" width="700" height="${BELT.height}" rx="11" fill="#7b8a92" fill-opacity="0.3"/>
  ${[0, 1, 2, 3].map((position) => link(y, position)).join("")}
  <rect x="765" y="${y + 8}" width="215" height="${HALL.height - 16}" rx="4" fill="#7b8a92" fill-opacity="0.12" stroke="#7b8a92" stroke-opacity="0.4" stroke-width="2"/>`;
const plan = (line: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${PLAN.width} ${PLAN.height}">${HALL.tops.map((top, index) => hall(top, `${line} ${index + 1}`)).join("")}</svg>`;

function placesOf(machines: readonly DeviceId[]) {
  const entries = machines.map((deviceId, index) => {
    const [line, position] = [Math.floor(index / MACHINES_PER_LINE), index % MACHINES_PER_LINE];
    const y = (HALL.tops[line] ?? 0) + HALL.height * (ROWS[position] ?? 0.5);
    return [deviceId, { x: COLUMNS[position] ?? 0.5, y: y / PLAN.height }] as const;
  });
  return Object.fromEntries(entries);
}

/** Returns the config of the plan, on which each machine shows the first key that it has. */
const planOf = (machines: readonly DeviceId[], line: string) => ({
  aliasId: "all",
  keys: ["temperature", "pressure", "zone1", "motor_temperature", "power"],
  image: `data:image/svg+xml;base64,${btoa(plan(line))}`,
  places: placesOf(machines),
});

/** Symbols of a line in the synoptic, from back to front: machine, key, label and position. */
const LINE_SYMBOLS = [
  ["pipe", "compressor", "pressure", "Compressed air", 0.25, 0.3, 0.14],
  ["compressor", "compressor", "oil_temperature", "Oil temperature", 0.12, 0.3, 0.14],
  ["press", "press", "state", "State", 0.4, 0.3, 0.18],
  ["conveyor", "conveyor", "running", "Belt", 0.52, 0.75, 0.18],
  ["motor", "conveyor", "motor_temperature", "Motor temperature", 0.28, 0.75, 0.1],
  ["oven", "oven", "zone2", "Temperature", 0.66, 0.3, 0.18],
  ["door", "oven", "door_open", "Door", 0.76, 0.75, 0.1],
  ["meter", "meter", "power", "Power", 0.9, 0.3, 0.1],
  ["sensor", "climate", "temperature", "Temperature", 0.91, 0.75, 0.1],
] as const;

/** Returns the widgets of the first line's page: its synoptic, and the energy of a day. */
function lineWidgets(machines: readonly DeviceId[], line: string, text: PlantTexts) {
  const symbols = LINE_SYMBOLS.map(([symbol, kind, key, label, x, y, size]) => ({
    symbol,
    deviceId: machines[KINDS.indexOf(kind)],
    key,
    label: text(label),
    x,
    y,
    size,
  }));
  const timeWindow = { mode: "live", durationMs: 86_400_000 };
  return [
    ["line", "synoptic", line, { aliasId: "all", symbols }],
    ["energy", "energy", text("Energy"), { aliasId: "meter", keys: ["energy"], interval: "1h", timeWindow }],
  ] as const;
}

const LINE_LAYOUT = [
  ["line", 0, 0, 12, 6],
  ["energy", 0, 6, 12, 4],
] as const;

/** Returns the widgets of the first page, which shows the whole plant. */
function plantWidgets(machines: readonly DeviceId[], text: PlantTexts) {
  return [
    ["plan", "floorPlan", "Plant", planOf(machines, text("Line"))],
    ["alarms", "alarmList", "Open alarms", { aliasId: "all", limit: 20 }],
    [
      "power",
      "value",
      "Power",
      { aliasId: "meter", key: "power", reduce: "sum", aggregation: "avg", maxDataPoints: 60, decimals: 1 },
    ],
    [
      "air",
      "gauge",
      "Compressed air",
      { aliasId: "compressor", key: "pressure", min: 0, max: 10, warning: 5.7, critical: 5.2, decimals: 2 },
    ],
    [
      "presses",
      "timeseries",
      "Presses: temperature",
      { aliasId: "press", keys: ["temperature"], unit: "°C", decimals: 1 },
    ],
    [
      "states",
      "stateTimeline",
      "Presses: states",
      { aliasId: "press", keys: ["state"], maxDataPoints: 2_000 },
    ],
    [
      "ovens",
      "timeseries",
      "Ovens: zone 2",
      { aliasId: "oven", keys: ["zone2"], aggregation: "avg", unit: "°C", decimals: 1 },
    ],
    ["climate", "deviceTable", "Climate", { aliasId: "climate", keys: ["temperature", "co2"] }],
  ] as const;
}

/** Returns the dashboard in the form of `POST /api/dashboards`. */
export function dashboardOf(machines: readonly DeviceId[], text: PlantTexts) {
  const types = ["press", "oven", "compressor", "climate", "meter"] as const;
  const line = `${text("Line")} 1`;
  const definitionOf = (deviceType: PlantText) => ({
    id: deviceType,
    name: `Demo: ${text(deviceType)}`,
    type: "deviceList",
    deviceIds: machines.filter((_, index) => KINDS[index % MACHINES_PER_LINE] === deviceType),
  });
  const layout = [
    ["plan", 0, 0, 8, 5],
    ["alarms", 8, 0, 4, 3],
    ["power", 8, 3, 2, 2],
    ["air", 10, 3, 2, 2],
    ["presses", 0, 5, 4, 4],
    ["ovens", 4, 5, 4, 4],
    ["states", 8, 5, 4, 2],
    ["climate", 8, 7, 4, 2],
  ] as const;
  return {
    name: text("Demo plant"),
    states: [
      { id: "default", name: text("Demo plant") },
      { id: "line", name: line },
    ],
    aliases: [
      { id: "all", name: text("Demo: all machines"), type: "deviceList", deviceIds: machines },
      ...types.map(definitionOf),
    ],
    widgets: [
      ...plantWidgets(machines, text).map(([widgetId, type, name, config]) => ({
        widgetId,
        type,
        name: text(name),
        config,
        dashboardStateId: "default",
      })),
      ...lineWidgets(machines, line, text).map(([widgetId, type, name, config]) => ({
        widgetId,
        type,
        name,
        config,
        dashboardStateId: "line",
      })),
    ],
    layout: [...layout, ...LINE_LAYOUT].map(([i, x, y, w, h]) => ({ i, x, y, w, h })),
    timeWindow: { mode: "live", durationMs: 3_600_000 },
  };
}

const KINDS = ["press", "conveyor", "oven", "compressor", "climate", "meter"];
