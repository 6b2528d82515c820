import type { DeviceId } from "../../lib/ids.ts";
import { plantKeys } from "./plant-keys.ts";
import type { PlantText, PlantTexts } from "./plant-texts.ts";

/*
 * What the demo plant is made of, beside its machines: profiles with the alarms that their faults raise, and a dashboard that shows all
 * of it at once.
 */

export const TAG = "demo-plant";
export const LINES = 2;
export const MACHINES_PER_LINE = 6;

/** Returns a message whose placeholders for names and values of the device are written as alarm rules have them. */
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
  // A demonstration notifies nobody: whoever wants notifications changes the rule.
  recipientIds: [],
});

/** Alarm rules by device type: the alarms that a fault of its machines raises, and their repair clears. */
const profilesWithRules = (text: PlantTexts) => [
  {
    deviceType: "press",
    name: text("Demo press"),
    alarmRules: [
      rule(
        text("Overheating"),
        "MAJOR",
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

/** Returns the profiles of the machines and gateways, with what their keys mean. */
export function plantProfiles(text: PlantTexts) {
  const keys = plantKeys(text);
  return profilesWithRules(text).map((profile) => ({ ...profile, keyMetadata: keys[profile.deviceType] }));
}

/** The profiles in English. */
export const profiles = plantProfiles((text) => text);

/** Key figures of the first line, as the overview shows them. */
export const pinsOf = (machines: readonly DeviceId[]) =>
  Object.entries({ meter: "power", compressor: "pressure", press: "temperature", oven: "zone1" }).flatMap(
    ([kind, key]) => {
      const deviceId = machines[kinds.indexOf(kind)];
      return deviceId === undefined ? [] : [{ deviceId, key }];
    },
  );

/** Position of each machine of a line in its hall, as a share of the plan. */
const COLUMNS = [0.13, 0.33, 0.5, 0.62, 0.87, 0.87] as const;
/** On both sides of the belt, so that names and values have room. */
const ROWS = [0.35, 0.72, 0.35, 0.72, 0.3, 0.7] as const;

/** Drawn in one grey, more or less transparent: it suits a light and a dark page. */
const hall = (y: number, title: string) => `
  <rect x="20" y="${y}" width="960" height="230" rx="8" fill="#7b8a92" fill-opacity="0.08" stroke="#7b8a92" stroke-width="4"/>
  <text x="40" y="${y + 36}" font-family="sans-serif" font-size="26" fill="#7b8a92">${title}</text>
  <rect x="80" y="${y + 100}" width="700" height="30" rx="15" fill="#7b8a92" fill-opacity="0.25"/>
  <rect x="820" y="${y + 20}" width="140" height="190" rx="4" fill="#7b8a92" fill-opacity="0.12" stroke="#7b8a92" stroke-opacity="0.5" stroke-width="2"/>`;
const plan = (line: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 540">${hall(20, `${line} 1`)}${hall(290, `${line} 2`)}</svg>`;

function placesOf(machines: readonly DeviceId[]) {
  const entries = machines.map((deviceId, index) => {
    const [line, position] = [Math.floor(index / MACHINES_PER_LINE), index % MACHINES_PER_LINE];
    const [top, height] = [line === 0 ? 20 : 290, 230];
    return [
      deviceId,
      { x: COLUMNS[position] ?? 0.5, y: (top + height * (ROWS[position] ?? 0.5)) / 540 },
    ] as const;
  });
  return Object.fromEntries(entries);
}

/** Returns the config of the plan, on which each machine shows the first of the keys that it has. */
const planOf = (machines: readonly DeviceId[], line: string) => ({
  aliasId: "all",
  keys: ["temperature", "pressure", "zone1", "motor_temperature", "power"],
  image: `data:image/svg+xml;base64,${btoa(plan(line))}`,
  places: placesOf(machines),
});

/** Returns the dashboard in the form of `POST /api/dashboards`. */
export function dashboardOf(machines: readonly DeviceId[], text: PlantTexts) {
  const types = ["press", "oven", "compressor", "climate", "meter"] as const;
  const definitionOf = (deviceType: PlantText) => ({
    id: deviceType,
    name: `Demo: ${text(deviceType)}`,
    type: "deviceList",
    deviceIds: machines.filter((_, index) => kinds[index % MACHINES_PER_LINE] === deviceType),
  });
  const widgets = [
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
      { aliasId: "compressor", key: "pressure", min: 0, max: 10, warning: 6, critical: 5.2, decimals: 2 },
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
      "Ovens: zones",
      { aliasId: "oven", keys: ["zone1", "zone2", "zone3"], aggregation: "avg", unit: "°C", decimals: 1 },
    ],
    ["climate", "deviceTable", "Climate", { aliasId: "climate", keys: ["temperature", "co2"] }],
    [
      "stop",
      "commandButton",
      "Presses",
      { aliasId: "press", method: "restart", label: text("Restart"), confirm: true },
    ],
  ] as const;
  const layout = [
    ["plan", 0, 0, 8, 6],
    ["alarms", 8, 0, 4, 4],
    ["power", 8, 4, 2, 2],
    ["air", 10, 4, 2, 2],
    ["presses", 0, 6, 6, 4],
    ["states", 6, 6, 6, 2],
    ["ovens", 0, 10, 12, 4],
    ["climate", 6, 8, 4, 2],
    ["stop", 10, 8, 2, 2],
  ] as const;
  return {
    name: text("Demo plant"),
    states: [{ id: "default", name: text("Demo plant") }],
    aliases: [
      { id: "all", name: text("Demo: all machines"), type: "deviceList", deviceIds: machines },
      ...types.map(definitionOf),
    ],
    widgets: widgets.map(([widgetId, type, name, config]) => ({ widgetId, type, name: text(name), config })),
    layout: layout.map(([i, x, y, w, h]) => ({ i, x, y, w, h })),
    timeWindow: { mode: "live", durationMs: 3_600_000 },
  };
}

const kinds = ["press", "conveyor", "oven", "compressor", "climate", "meter"];
