import { HOUR_MS } from "../core/units.ts";
import { createRandom, normal } from "../data/random.ts";

/*
 * Model of a plausible small factory: machines in lines that follow shifts, warm up and cool down, wear, sometimes fail and are repaired.
 * Deterministic for a seed, so that demonstrations and benchmarks use the same plant.
 */

export type MachineKind = "press" | "conveyor" | "oven" | "compressor" | "climate" | "meter";
export type MachineValues = Record<string, number | boolean | string>;

export interface Machine {
  readonly name: string;
  readonly kind: MachineKind;
  /** Number of the production line, from 1. */
  readonly line: number;
  /** Returns the readings at `ts` (epoch ms). Time only moves forward. */
  sample(ts: number): MachineValues;
  /** Makes the machine fail now and be repaired at `until` (epoch ms), if its kind can fail. */
  fail(until: number): void;
}

/** `shifts`: by the clock, like a real plant; `always`: with short breaks only, at any time. */
export type Pace = "shifts" | "always";

type State = "running" | "idle" | "fault";

/** Input of the formula of a kind. */
interface Situation {
  readonly state: State;
  /** From 0 (cold and idle) to 1 (at working temperature). */
  readonly warmth: number;
  /** Daily outdoor cycle, from -1 to 1. */
  readonly day: number;
  /** Scheduled working hours so far. */
  readonly hours: number;
  readonly noise: (deviation: number) => number;
}

const round = (value: number, decimals: number): number => Number(value.toFixed(decimals));
const byState = (state: State, running: number, idle: number): number =>
  state === "running" ? running : idle;

const formulas: Record<MachineKind, (situation: Situation) => MachineValues> = {
  press: ({ state, warmth, hours, noise }) => ({
    temperature: round(22 + 38 * warmth + (state === "fault" ? 18 : 0) + noise(0.3), 1),
    vibration: round(Math.abs(byState(state, 2.4, 0.2) + (state === "fault" ? 5 : 0) + noise(0.15)), 2),
    power: round(byState(state, 18.5, 0.8) + noise(state === "running" ? 0.9 : 0.02), 2),
    cycles: Math.floor(hours * 1440),
    state,
  }),
  conveyor: ({ state, warmth, noise }) => ({
    speed: round(Math.max(0, byState(state, 0.85, 0) + noise(state === "running" ? 0.01 : 0)), 3),
    current: round(Math.max(0, byState(state, 6.2, 0.3) + noise(0.08)), 2),
    motor_temperature: round(21 + 24 * warmth + noise(0.2), 1),
    running: state === "running",
  }),
  oven: ({ state, warmth, noise }) => ({
    zone1: round(24 + 156 * warmth + noise(0.4), 1),
    zone2: round(24 + 186 * warmth + noise(0.4), 1),
    zone3: round(24 + 166 * warmth + noise(0.4), 1),
    setpoint: state === "idle" ? 60 : 210,
    door_open: state === "fault",
  }),
  compressor: ({ state, warmth, noise }) => ({
    pressure: round(byState(state, 7.1, 6.2) - (state === "fault" ? 2.4 : 0) + noise(0.05), 2),
    oil_temperature: round(23 + 52 * warmth + noise(0.3), 1),
    power: round(byState(state, 22, 1.4) + noise(0.5), 2),
    hours_to_service: 2000,
  }),
  climate: ({ day, state, noise }) => ({
    temperature: round(20.5 + 2.5 * day + byState(state, 1.5, 0) + noise(0.05), 1),
    humidity: round(46 - 7 * day + noise(0.2), 1),
    co2: Math.round(byState(state, 720, 430) + noise(12)),
  }),
  meter: ({ state, hours, noise }) => ({
    power: round(byState(state, 64, 9) + noise(2), 1),
    energy: round(hours * 64, 1),
    voltage: round(231 + noise(0.6), 1),
  }),
};

const KINDS_OF_LINE: readonly MachineKind[] = ["press", "conveyor", "oven", "compressor", "climate", "meter"];
/** Mean running time between faults, and duration of a repair, in hours. */
const MEAN_HOURS_BETWEEN_FAULTS = 30;
const MEAN_FAULT_MINUTES = 12;
/** Temperature in each state, as a share of the working temperature. */
const warmthTargets: Record<State, number> = { running: 1, idle: 0.05, fault: 0.7 };
const WARM_UP_MS = 25 * 60_000;

/** Returns whether a time is in a shift: two shifts on working days (UTC), one on Saturdays. */
function isShift(ts: number): boolean {
  const date = new Date(ts);
  const hour = date.getUTCHours();
  const weekday = date.getUTCDay();
  if (weekday === 0) return false;
  return hour >= 6 && hour < (weekday === 6 ? 14 : 22);
}

/** Returns whether a line pauses: six minutes of every hour, at different times per line. */
const isBreak = (ts: number, line: number): boolean => (Math.floor(ts / 60_000) + line * 23) % 60 < 6;

/** Time at which counters began. A machine that is created again continues from there. */
const BUILT_AT = Date.UTC(2025, 0, 1);
/** Period after which a working plan repeats, and the shortest time between two changes. */
const plans: Record<Pace, { readonly periodMs: number; readonly stepMs: number }> = {
  shifts: { periodMs: 7 * 24 * HOUR_MS, stepMs: HOUR_MS },
  always: { periodMs: HOUR_MS, stepMs: 60_000 },
};

/** Returns the function for the scheduled working hours of a machine until a time, which depend on the time alone. */
function createHourMeter(pace: Pace, isWorking: (ts: number) => boolean): (ts: number) => number {
  const { periodMs, stepMs } = plans[pace];
  const worked = (from: number, steps: number): number => {
    let ms = 0;
    for (let step = 0; step < steps; step++) if (isWorking(from + step * stepMs)) ms += stepMs;
    return ms;
  };
  const inPeriod = worked(BUILT_AT, periodMs / stepMs);
  let last = { step: -1, ms: 0 };
  return (ts) => {
    const since = Math.max(0, ts - BUILT_AT);
    const step = Math.floor(since / stepMs);
    if (step !== last.step) {
      const periods = Math.floor(since / periodMs);
      const begin = BUILT_AT + periods * periodMs;
      last = { step, ms: periods * inPeriod + worked(begin, step - (periods * periodMs) / stepMs) };
    }
    return (last.ms + (isWorking(ts) ? since - step * stepMs : 0)) / HOUR_MS;
  };
}

interface MachinePosition {
  readonly line: number;
  readonly index: number;
  readonly seed: number;
  readonly pace: Pace;
}

function createMachine(kind: MachineKind, position: MachinePosition): Machine {
  const random = createRandom(position.seed);
  let lastTs: number | undefined;
  let state: State = "idle";
  let faultUntil = 0;
  let warmth = 0;
  const hoursBefore = random() * 500;
  const canFail = kind !== "climate" && kind !== "meter";
  const isWorking = (ts: number) => (position.pace === "shifts" ? isShift(ts) : !isBreak(ts, position.line));

  const hourMeter = createHourMeter(position.pace, isWorking);

  function step(ts: number): void {
    const elapsed = lastTs === undefined ? 0 : Math.max(0, ts - lastTs);
    lastTs = ts;
    if (state === "running" && canFail && random() < elapsed / HOUR_MS / MEAN_HOURS_BETWEEN_FAULTS)
      faultUntil = ts + (0.3 + random() * 1.4) * MEAN_FAULT_MINUTES * 60_000;
    if (ts < faultUntil) state = "fault";
    else state = isWorking(ts) ? "running" : "idle";
    const target = warmthTargets[state];
    warmth += (target - warmth) * (1 - Math.exp(-elapsed / WARM_UP_MS));
  }

  return {
    name: `Line ${position.line} ${kind} ${position.index}`,
    kind,
    line: position.line,
    fail(until) {
      if (canFail) faultUntil = until;
    },
    sample(ts) {
      step(ts);
      const day = Math.sin(((ts % (24 * HOUR_MS)) / (24 * HOUR_MS) - 0.375) * 2 * Math.PI);
      const hours = hoursBefore + hourMeter(ts);
      return formulas[kind]({ state, warmth, day, hours, noise: (deviation) => normal(random) * deviation });
    },
  };
}

/** Creates `count` machines, by default on lines of twelve. */
export function createFactory(
  count: number,
  seed = 1,
  { machinesPerLine = 12, pace = "shifts" }: { machinesPerLine?: number; pace?: Pace } = {},
): Machine[] {
  return Array.from({ length: count }, (_, index) => {
    const kind = KINDS_OF_LINE[index % KINDS_OF_LINE.length] ?? "press";
    return createMachine(kind, {
      line: Math.floor(index / machinesPerLine) + 1,
      index: Math.floor((index % machinesPerLine) / KINDS_OF_LINE.length) + 1,
      seed: seed * 7919 + index,
      pace,
    });
  });
}
