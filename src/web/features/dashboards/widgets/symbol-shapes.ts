import type { SymbolId } from "../../../../lib/console/synoptic-symbols.ts";

/** SVG paths in a square of 64, with parts that depend on the value. */
export interface SymbolShape {
  /** Outline, filled while the device runs. */
  readonly body?: string;
  /** Constant lines. */
  readonly line?: string;
  /** Small parts in front of the body. */
  readonly cap?: string;
  /** Broken line. */
  readonly dash?: string;
  /** Part that turns while the device runs, around `at` or the center. */
  readonly turn?: string;
  readonly at?: readonly [x: number, y: number];
  /** Part that flows or moves while the device runs. */
  readonly flow?: string;
  /** Parts shown only while the device runs or is open, and only while it does not. */
  readonly on?: string;
  readonly off?: string;
  /** Part filled in proportion to the value, from `empty` to `full`: heights, or widths with `isAcross`. */
  readonly level?: SymbolLevel;
  /** True for a measured value, which does not indicate whether something runs. */
  readonly isReading?: true;
}

export interface SymbolLevel {
  /** Default: the body. */
  readonly path?: string;
  readonly empty: number;
  readonly full: number;
  readonly isAcross?: true;
}

const CIRCLE = "M32 12a20 20 0 1 0 .01 0z";

export const symbolShapes: Readonly<Record<SymbolId, SymbolShape>> = {
  pump: { body: CIRCLE, line: "M32 12H60", turn: "M32 32 32 17M32 32 45 39.5M32 32 19 39.5" },
  compressor: { body: CIRCLE, line: "M15 22 50 25M15 42 50 39", turn: "M32 26v12M26 32h12" },
  fan: {
    body: CIRCLE,
    turn: "M32 32c-8-4-8-12 0-15 5 4 5 11 0 15zM32 32c7.5-4.9 14.4-.9 13 7.5-6 2.3-12-1.2-13-7.5zM32 32c.5 8.9-6.4 12.9-13 7.5 1-6.3 7-9.8 13-7.5z",
  },
  blower: {
    body: "M30 14H60V28H49.6A20 20 0 1 1 30 14z",
    turn: "M30 34 30 21M30 34 41.3 40.5M30 34 18.7 40.5",
    at: [30, 34],
  },
  valve: { body: "M6 18 58 46V18L6 46z" },
  controlValve: { body: "M6 26 58 54V26L6 54z", line: "M32 40V22", cap: "M20 22a12 12 0 0 1 24 0z" },
  solenoidValve: { body: "M6 26 58 54V26L6 54z", line: "M32 40V22", cap: "M22 6h20v16H22zM28 18l8-8" },
  ballValve: {
    body: "M6 18 58 46V18L6 46z",
    cap: "M32 23a9 9 0 1 0 .01 0z",
    on: "M24 32h16",
    off: "M32 24v16",
  },
  threeWayValve: { body: "M6 14 32 28 58 14V42L32 28 6 42zM32 28 18 54H46z" },
  checkValve: { body: "M10 18V46M54 18V46M10 46 54 18", line: "M4 32h6M54 32h6" },
  damper: { body: "M6 16H58V48H6z", cap: "M32 29a3 3 0 1 0 .01 0z", on: "M12 32H52", off: "M32 20V44" },
  pipe: { body: "M0 27H64V37H0z", flow: "M0 32H64" },
  pipeCorner: {
    body: "M0 27H22A15 15 0 0 1 37 42V64H27V42A5 5 0 0 0 22 37H0z",
    flow: "M0 32H22A10 10 0 0 1 32 42V64",
  },
  pipeTee: { body: "M0 27H64V37H37V64H27V37H0z", flow: "M0 32H64" },
  filter: { body: "M10 18H54V46H10z", line: "M10 18 54 46M4 32h6M54 32h6", dash: "M32 18V46" },
  meter: { isReading: true, body: CIRCLE, line: "M4 32h8M52 32h8M24 42 40 22M40 22l-7 2M40 22l0 7" },
  tank: { body: "M12 10H52V56H12z", level: { empty: 56, full: 10 } },
  vessel: {
    body: "M16 18A16 10 0 0 1 48 18V46A16 10 0 0 1 16 46z",
    line: "M20 54v6M44 54v6",
    level: { empty: 56, full: 8 },
  },
  horizontalVessel: {
    body: "M14 18H50A8 14 0 0 1 50 46H14A8 14 0 0 1 14 18z",
    line: "M18 46v8M46 46v8",
    level: { empty: 46, full: 18 },
  },
  silo: {
    body: "M14 10H50V40L36 56H28L14 40z",
    line: "M14 40v20M50 40v20",
    level: { empty: 56, full: 10 },
  },
  hopper: {
    body: "M8 12H56L38 44V54H26V44z",
    level: { empty: 54, full: 12 },
  },
  basin: { body: "M6 22V54H58V22", level: { path: "M6 22H58V54H6z", empty: 54, full: 22 } },
  reactor: {
    body: "M14 20A18 9 0 0 1 50 20V46A18 10 0 0 1 14 46z",
    line: "M32 4V42",
    cap: "M26 2h12v7H26z",
    turn: "M22 42h20M22 39v6M42 39v6",
    at: [32, 42],
    level: { empty: 56, full: 11 },
  },
  column: {
    body: "M20 12A12 8 0 0 1 44 12V52A12 8 0 0 1 20 52z",
    line: "M20 20H36M28 28H44M20 36H36M28 44H44",
    level: { empty: 60, full: 4 },
  },
  bottle: {
    body: "M24 20A8 8 0 0 1 40 20V58H24z",
    cap: "M29 5h6v7h-6z",
    level: { empty: 58, full: 12 },
  },
  motor: { body: CIRCLE, line: "M24 40V24L32 34 40 24V40" },
  mixer: {
    line: "M32 16V48",
    cap: "M24 4h16v12H24z",
    turn: "M14 44 32 48 14 52zM50 44 32 48 50 52z",
    at: [32, 48],
  },
  conveyor: {
    body: "M12 24H52A8 8 0 0 1 52 40H12A8 8 0 0 1 12 24z",
    cap: "M12 28a4 4 0 1 0 .01 0zM32 28a4 4 0 1 0 .01 0zM52 28a4 4 0 1 0 .01 0z",
    flow: "M12 24H52",
  },
  screwConveyor: {
    body: "M4 22H60V42H4z",
    line: "M4 32H60",
    flow: "M8 40 16 24M20 40 28 24M32 40 40 24M44 40 52 24",
  },
  elevator: { body: "M22 12A10 10 0 0 1 42 12V52A10 10 0 0 1 22 52z", line: "M38 14V50", flow: "M26 50V14" },
  press: {
    body: "M8 6H56V16H8zM8 50H56V58H8z",
    line: "M12 16V50M52 16V50",
    cap: "M28 16h8v10h-8z",
    on: "M18 40H46V48H18zM32 26V40",
    off: "M18 26H46V34H18z",
  },
  mill: { body: "M6 16H58L44 52H20z", turn: "M32 32l9 0M32 32l-9 0M32 32l0 9M32 32l0-9", at: [32, 32] },
  centrifuge: { body: "M14 10H50V54H14z", line: "M6 32h8M50 32h8", turn: "M24 24 40 40M40 24 24 40" },
  robot: {
    body: "M14 50H42V58H14z",
    line: "M28 50 20 30 42 16 52 26",
    cap: "M20 27a3.5 3.5 0 1 0 .01 0zM42 12.5a3.5 3.5 0 1 0 .01 0z",
    on: "M48 30l4-4 6 2",
    off: "M47 32l5-6 8 0",
  },
  machine: {
    body: "M6 12H58V54H6z",
    line: "M14 20H38V42H14zM6 48H58",
    on: "M46 22a3 3 0 1 0 .01 0zM46 34h6",
    off: "M43 34h6",
  },
  heater: { body: "M8 14H56V50H8z", line: "M8 32h8l4-10 8 20 8-20 8 20 4-10h8" },
  burner: {
    body: "M18 44H46V56H18z",
    line: "M32 56v6",
    on: "M32 6C40 16 44 22 44 30A12 12 0 0 1 20 30C20 24 26 22 26 14 30 16 31 12 32 6z",
  },
  heatExchanger: { body: CIRCLE, line: "M2 32H20L28 22 36 42 44 32H62" },
  boiler: {
    body: "M12 12H52V58H12z",
    line: "M12 42H52",
    on: "M32 45c4 3 5 6 3 10h-6c-2-4 3-5 3-10z",
    level: { path: "M12 12H52V42H12z", empty: 42, full: 12 },
  },
  chiller: { body: "M10 10H54V54H10z", line: "M32 18V46M20 25 44 39M44 25 20 39" },
  coolingTower: {
    body: "M16 8H48C42 24 42 36 52 56H12C22 36 22 24 16 8z",
    flow: "M24 30V50M32 30V50M40 30V50",
  },
  oven: {
    body: "M6 10H58V56H6z",
    line: "M14 26H50V48H14z",
    cap: "M14 16h8v4h-8z",
    on: "M20 42c-2-4 2-6 0-10M32 42c-2-4 2-6 0-10M44 42c-2-4 2-6 0-10",
  },
  radiator: { body: "M8 16H56V50H8z", line: "M18 22V44M27 22V44M36 22V44M45 22V44" },
  breaker: {
    line: "M32 2V18M32 46V62M28 14l8 8M36 14l-8 8",
    cap: "M32 43a3 3 0 1 0 .01 0z",
    on: "M32 18V46",
    off: "M32 46 16 22",
  },
  switch: {
    line: "M2 32H16M48 32H62",
    cap: "M16 29a3 3 0 1 0 .01 0zM48 29a3 3 0 1 0 .01 0z",
    on: "M16 32H48",
    off: "M16 32 44 14",
  },
  transformer: { body: "M32 6A14 14 0 1 0 32.01 6zM32 26A14 14 0 1 0 32.01 26z", line: "M32 0v6M32 54v10" },
  generator: { body: CIRCLE, line: "M39 25A10 10 0 1 0 42 33H34" },
  battery: {
    body: "M6 20H54V46H6z",
    cap: "M54 28h5v10h-5z",
    level: { empty: 6, full: 54, isAcross: true },
  },
  solarPanel: { body: "M14 14H58L50 48H6z", line: "M28.7 14 20.7 48M43.3 14 35.3 48M11 27H54.5" },
  windTurbine: {
    line: "M32 26V62",
    turn: "M32 26 29 4 32 2zM32 26 52.6 34.4 52.8 38zM32 26 14.4 39.5 11.2 38z",
    at: [32, 26],
  },
  lamp: { body: CIRCLE, line: "M18 18 46 46M46 18 18 46", on: "M32 2v5M32 57v5M2 32h5M57 32h5" },
  sensor: { isReading: true, body: "M32 8A14 14 0 1 0 32.01 8z", line: "M32 36V58M24 58h16" },
  door: { body: "M14 6H50V58H14z", on: "M14 6 38 14V62L14 58", off: "M42 30v6" },
  gate: {
    line: "M6 10H58M8 10V58M56 10V58",
    on: "M8 10H56V22H8z",
    off: "M8 10H56V56H8zM8 22H56M8 33H56M8 44H56",
  },
  beacon: {
    body: "M22 26A10 10 0 0 1 42 26V46H22z",
    cap: "M16 46h32v8H16z",
    on: "M32 4v6M10 12l5 5M54 12l-5 5",
  },
};

/** Shape of a symbol unknown to this version. */
export const UNKNOWN_SHAPE: SymbolShape = { body: "M8 8H56V56H8z", line: "M8 8 56 56M56 8 8 56" };
