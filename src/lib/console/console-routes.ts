/*
 * Addresses of the console, for its router and the server; any other address returns 404. In a pattern of the router, `:name` is a parameter, and `?`
 * makes it optional.
 */

/** Pages without the frame of the console, mostly for users who are not signed in. */
export const entranceRoutes = {
  setup: "/setup",
  signUp: "/sign-up",
  signIn: "/sign-in",
  shared: "/shared",
  callback: "/auth/callback",
} as const;

/** Sorted by order of matching. */
export const screenRoutes = {
  overview: "/",
  devices: "/devices",
  deviceImport: "/devices/import",
  device: "/devices/:deviceId/:deviceTab?",
  dashboards: "/dashboards/:dashboardId?",
  explore: "/explore",
  alarms: "/alarms/:alarmId?",
  faults: "/faults",
  pipelines: "/pipelines/:pipelineId?/:pipelineTab?",
  codecs: "/integrations/codecs/:codecId?",
  integrations: "/integrations/:integrationId?/:integrationTab?",
  uplinks: "/uplinks/:uplinkId?",
  field: "/field",
  modbus: "/modbus/:connectionId?/:unitId?",
  s7: "/s7/:connectionId?/:unitId?",
  bacnet: "/bacnet/:connectionId?/:unitId?",
  opcua: "/opcua/:connectionId?/:unitId?",
  mqttClients: "/mqtt-clients/:mqttTab?/:mqttClientId?",
  scheduler: "/scheduler/:jobId?/:jobTab?",
  generators: "/generators/:generatorId?",
  manual: "/manual/:page?",
  settings: "/settings/:settingsPage?/:settingsId?",
} as const;

/** Tabs of screens. The first one is shown for an address without a tab. */
export const DEVICE_TABS = [
  "overview",
  "children",
  "data",
  "attributes",
  "commands",
  "connect",
  "messages",
  "history",
  "settings",
] as const;
export const PIPELINE_TABS = ["steps", "webhooks", "versions"] as const;
export const INTEGRATION_TABS = ["connect", "messages", "downlinks", "transform", "settings"] as const;
export const MQTT_TABS = ["clients", "topics"] as const;
export const JOB_TABS = ["edit"] as const;
export const SETTINGS_PAGES = [
  "profile",
  "security",
  "users",
  "api-keys",
  "profiles",
  "notifications",
  "site",
  "branding",
  "audit",
  "outbox",
  "backups",
  "system",
  "log",
] as const;
/** Pages of the settings with an optional id in the address. */
export const SETTINGS_PAGES_WITH_ID = ["users", "profiles", "notifications", "outbox", "system"] as const;

/** Allowed values of named parts of an address. Other parts are ids. */
const choices: Readonly<Record<string, readonly string[]>> = {
  deviceTab: DEVICE_TABS,
  pipelineTab: PIPELINE_TABS,
  integrationTab: INTEGRATION_TABS,
  mqttTab: MQTT_TABS,
  jobTab: JOB_TABS,
  settingsPage: SETTINGS_PAGES,
};

/** Returns the item of a list that equals a text; undefined if there is none. */
export const oneOf = <Item extends string>(items: readonly Item[], text: string | undefined) =>
  items.find((item) => item === text);

interface Segment {
  readonly name: string;
  readonly isParameter: boolean;
  readonly isOptional: boolean;
}

const segmentsOf = (pattern: string): Segment[] =>
  pattern
    .split("/")
    .filter(Boolean)
    .map((part) => ({
      name: part.replace(/^:/, "").replace(/\?$/, ""),
      isParameter: part.startsWith(":"),
      isOptional: part.endsWith("?"),
    }));

const patterns = [...Object.values(entranceRoutes), ...Object.values(screenRoutes)].map(segmentsOf);

function matches(segments: readonly Segment[], parts: readonly string[]): boolean {
  if (parts.length > segments.length) return false;
  return segments.every(({ name, isParameter, isOptional }, index) => {
    const part = parts[index];
    if (part === undefined) return isOptional;
    return isParameter ? (choices[name]?.includes(part) ?? true) : part === name;
  });
}

function partsOf(path: string): string[] | undefined {
  try {
    return path.split("/").filter(Boolean).map(decodeURIComponent);
  } catch {
    return undefined; // the router could not read it either
  }
}

/** Returns whether a path is the address of a screen. The screen checks whether the object with the id exists. */
export function isConsolePath(path: string): boolean {
  const parts = partsOf(path);
  if (parts === undefined || !patterns.some((segments) => matches(segments, parts))) return false;
  const [first, page, id] = parts;
  return first !== "settings" || id === undefined || oneOf(SETTINGS_PAGES_WITH_ID, page) !== undefined;
}
