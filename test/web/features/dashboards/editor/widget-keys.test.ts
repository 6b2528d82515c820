import { beforeEach, expect, test } from "bun:test";
import { keyChoices, matching } from "../../../../../src/web/features/dashboards/editor/widget-fields.tsx";
import { takeKeyMetadata } from "../../../../../src/web/platform/key-metadata.ts";

const devices = [
  {
    deviceId: "meter",
    name: "Meter",
    deviceType: "meter",
    active: true,
    state: "ACTIVE" as const,
    assetId: null,
  },
];
const keys = ["voltage", "energy", "x", "tariff"];
const widget = (type: string, selected: string[] = []) => ({
  widgetId: "w",
  type,
  name: "",
  config: { keys: selected },
});
const order = (type: string, search = "", first: string[] = []) =>
  matching(keyChoices({ widget: widget(type, first), keys, devices }, first), search).map(({ key }) => key);

beforeEach(() =>
  takeKeyMetadata({
    devices: [{ deviceId: "meter", profileId: "p" }],
    profiles: [
      {
        profileId: "p",
        keyMetadata: [
          { key: "energy", name: "Work", unit: "kWh", kind: "counter" },
          { key: "tariff", name: "A tariff" },
        ],
      },
    ],
  }),
);

test("keys stand in the order of their names, counters first for consumption", () => {
  expect(order("timeseries")).toEqual(["tariff", "voltage", "energy", "x"]);
  expect(order("energy")).toEqual(["energy", "tariff", "voltage", "x"]);
  expect(order("energy", "", ["x"])).toEqual(["x", "energy", "tariff", "voltage"]);
});

test("keys are found by their names and by what devices call them", () => {
  expect(order("timeseries", " WORK ")).toEqual(["energy"]);
  expect(order("timeseries", "ener")).toEqual(["energy"]);
  expect(order("timeseries", "none")).toEqual([]);
});

test("a selected key that no device sends is there, too", () => {
  expect(order("timeseries", "own", ["own"])).toEqual(["own"]);
});

test("a key that only some devices of a group send has its name, and a counter with a unit comes first", () => {
  const [meter] = devices;
  if (meter === undefined) throw new Error("no meter");
  takeKeyMetadata({
    devices: [
      { deviceId: "meter", profileId: "p" },
      { deviceId: "press", profileId: "q" },
    ],
    profiles: [
      { profileId: "p", keyMetadata: [{ key: "energy", name: "Work", unit: "kWh", kind: "counter" }] },
      { profileId: "q", keyMetadata: [{ key: "cycles", name: "Cycles", kind: "counter" }] },
    ],
  });
  const group = [meter, { ...meter, deviceId: "press" }];
  const choices = keyChoices({ widget: widget("energy"), keys: ["cycles", "energy", "x"], devices: group });
  expect(choices.map(({ name, unit }) => [name, unit])).toEqual([
    ["Work", "kWh"],
    ["Cycles", undefined],
    ["x", undefined],
  ]);
});
