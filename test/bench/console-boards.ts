/** Dashboards of the console's benchmark. */
export const WALL = { widgets: 50, devices: 200, messagesPerSecond: 100 };
export const CHART_POINTS = 100_000;

export interface Device {
  readonly deviceId: string;
  readonly credentials: { readonly token: string };
}

/** A device's message number `n`. */
export const reading = (n: number) => ({
  temperature: Math.round((20 + 5 * Math.sin(n / 50)) * 100) / 100,
  power: Math.round(100 + 30 * Math.cos(n / 31)),
  state: n % 400 < 300 ? "running" : "idle",
  sent: Date.now() % SENT_CYCLE_MS,
});

/** Cycle in which the time at which a message was sent is given, in ms: short enough to be read on the screen. */
export const SENT_CYCLE_MS = 1_000_000;

/** The widget that shows the newest time of sending, of a device of each group: every 20th message changes it. */
export const SENT_WIDGET = 36;

/** Charts, values, gauges, states and a table, all about all of them as far as each shows. */
export function wallOf(devices: readonly Device[]) {
  const kinds = [
    { type: "timeseries", config: { keys: ["temperature"] } },
    { type: "value", config: { key: "power", reduce: "sum" } },
    { type: "gauge", config: { key: "temperature", min: 0, max: 40 } },
    { type: "statusGrid", config: { key: "temperature" } },
    { type: "stateTimeline", config: { keys: ["state"] } },
  ];
  const size = Math.ceil(devices.length / 10);
  const aliases = Array.from({ length: 10 }, (_, index) => ({
    id: `group${index}`,
    name: `Group ${index}`,
    type: "deviceList",
    deviceIds: devices.slice(index * size, (index + 1) * size).map(({ deviceId }) => deviceId),
  }));
  aliases.push({
    id: "first",
    name: "First of each group",
    type: "deviceList",
    deviceIds: devices.filter((_, index) => index % size === 0).map(({ deviceId }) => deviceId),
  });
  const widgets = Array.from({ length: WALL.widgets }, (_, index) => {
    const kind = kinds[index % kinds.length];
    return {
      widgetId: `w${index}`,
      name: `Widget ${index}`,
      type: kind?.type ?? "value",
      config: {
        ...kind?.config,
        aliasId: `group${index % 10}`,
        ...(index === SENT_WIDGET && { key: "sent", reduce: "max", aliasId: "first" }),
      },
    };
  });
  const layout = widgets.map(({ widgetId }, index) => ({
    i: widgetId,
    x: (index % 4) * 3,
    y: Math.floor(index / 4) * 3,
    w: 3,
    h: 3,
  }));
  return { name: "Wall", aliases, widgets, layout, timeWindow: { mode: "live", durationMs: 900_000 } };
}

/** One line of one device, of as many points as a chart takes. */
export function chartOf(device: Device, durationMs: number) {
  return {
    name: "Chart",
    aliases: [{ id: "one", name: "One", type: "singleDevice", deviceId: device.deviceId }],
    widgets: [
      {
        widgetId: "chart",
        name: "Chart",
        type: "timeseries",
        config: { aliasId: "one", keys: ["temperature"], maxDataPoints: CHART_POINTS },
      },
    ],
    layout: [{ i: "chart", x: 0, y: 0, w: 12, h: 8 }],
    timeWindow: { mode: "live", durationMs },
  };
}
