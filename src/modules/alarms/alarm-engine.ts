import type { DeviceId } from "../../lib/ids.ts";
import { type Clock, createSteadyNow } from "../../platform/clock.ts";
import type { EventBus } from "../../platform/event-bus.ts";
import type { Logger } from "../../platform/log.ts";
import { createPeriodic } from "../../platform/periodic.ts";
import type { DomainEvents } from "../events.types.ts";
import type { IngestDevice } from "../ingest/ingest.types.ts";
import type { Reading } from "../telemetry/telemetry.types.ts";
import { createActs } from "./alarm-acts.ts";
import { earliest, evaluateRule, type Moment, type RuleState } from "./alarm-evaluation.ts";
import { createJumpWatch, type HoldBack } from "./alarm-hold.ts";
import type { AlarmLife } from "./alarm-life.ts";
import type { AlarmRule } from "./alarm-rule.ts";
import { AlarmTimers } from "./alarm-timers.ts";
import type { AlarmsRepository } from "./alarms.repository.ts";
import { type DeviceState, readState, writeState } from "./device-state.ts";
import type { ProfileRules } from "./profile-rules.ts";

/** What was counted is on the disk after this long at most. */
const WRITE_INTERVAL_MS = 1_000;
/** Devices kept in memory; others are read again when they speak. */
const STATES_MAX = 20_000;

/** What is held back is on the disk before anything else. */
const remember = () => undefined;

/** Holds what devices send against the rules of their profiles. */
export interface AlarmEngine {
  start(): void;
  stop(): void;
  /** Never throws and never waits. A device without rules costs one look. */
  onTelemetry(device: IngestDevice, readings: readonly Reading[]): void;
}

export function createAlarmEngine(deps: {
  repository: AlarmsRepository;
  life: AlarmLife;
  rulesOf: (device: IngestDevice) => ProfileRules | undefined;
  findDevice: (deviceId: DeviceId) => IngestDevice | undefined;
  attribute: (device: IngestDevice, scope: string, key: string) => unknown;
  holdBack: HoldBack;
  /** Of a gateway. */
  childrenOf: (deviceId: DeviceId) => readonly DeviceId[];
  transact: (work: () => void) => void;
  clock: Clock;
  events: EventBus<DomainEvents>;
  log: Logger;
}): AlarmEngine {
  const { repository, life, events, log } = deps;
  const now = createSteadyNow(deps.clock);
  const startedAt = now();
  const actOn = createActs(life);
  const states = new Map<DeviceId, DeviceState>();
  /** Not written yet. */
  const unwritten = new Set<DeviceId>();

  function stateOf(deviceId: DeviceId): DeviceState {
    const known = states.get(deviceId);
    if (known !== undefined) return known;
    if (states.size >= STATES_MAX)
      for (const candidate of states.keys())
        if (!unwritten.has(candidate)) {
          states.delete(candidate);
          break;
        }
    const text = repository.findState(deviceId);
    const state = readState(text, repository.listOpen(deviceId), { now: now(), startedAt });
    states.set(deviceId, state);
    return state;
  }

  const dueOf = ({ due }: DeviceState): number | undefined =>
    due.size === 0 ? undefined : Math.min(...due.values());

  const save = (deviceId: DeviceId, state: DeviceState) =>
    repository.saveState(deviceId, writeState(state, now()), dueOf(state));

  function momentOf(device: IngestDevice, { values }: DeviceState, named: Moment["named"]): Moment {
    const at = now();
    const cameAt = (key: string) => values.get(key)?.at;
    return {
      now: at,
      named,
      cameAt,
      scope: {
        key: (name) => values.get(name)?.value,
        attribute: (scope, name) => deps.attribute(device, scope, name),
        changed: (name) => values.get(name)?.hasChanged ?? false,
        isSilent: (name, forMs) => at - (cameAt(name) ?? at) >= forMs,
      },
    };
  }

  /** What is to be done about the rule now. */
  function lookAtRule(device: IngestDevice, rule: AlarmRule, of: { state: DeviceState; moment: Moment }) {
    const { state, moment } = of;
    const { alarmType, fingerprint } = rule;
    const known = state.rules.get(alarmType);
    const own: RuleState = known?.fingerprint === fingerprint ? known : { fingerprint, triggers: [] };
    state.rules.set(alarmType, own);
    const outcome = evaluateRule(rule, own, moment);
    const act = actOn(device, rule, { outcome, state });
    const heldMs = act?.rises ? deps.holdBack(device, rule) : 0;
    const dueAt = heldMs > 0 ? earliest(outcome.dueAt, moment.now + heldMs) : outcome.dueAt;
    if (dueAt === undefined) state.due.delete(alarmType);
    else state.due.set(alarmType, dueAt);
    const wasHeld = own.isHeld;
    if (heldMs > 0) own.isHeld = true;
    else delete own.isHeld;
    if (heldMs === 0) return act?.run;
    return wasHeld ? undefined : remember;
  }

  /** `named`: keys that a message brought. */
  function look(device: IngestDevice, rules: Iterable<AlarmRule>, named?: ReadonlySet<string>): void {
    const { deviceId } = device;
    const state = stateOf(deviceId);
    const moment = momentOf(device, state, named);
    const acts = [...rules].flatMap((rule) => lookAtRule(device, rule, { state, moment }) ?? []);
    if (acts.length === 0) unwritten.add(deviceId);
    else
      life.commit(() => {
        for (const act of acts) act();
        save(deviceId, state);
      });
    const dueAt = dueOf(state);
    if (dueAt !== undefined) timers.set(deviceId, dueAt);
  }

  /** What cannot be written is forgotten: what is on the disk counts, and the next message is held against it. */
  function guarded(deviceId: DeviceId, work: () => void): void {
    try {
      work();
    } catch (error) {
      states.delete(deviceId);
      unwritten.delete(deviceId);
      log.error("alarm rules could not be evaluated", { deviceId, error });
    }
  }

  function take(device: IngestDevice, { byKey }: ProfileRules, reading: Reading): void {
    const named = Object.keys(reading.values).filter((key) => byKey.has(key));
    if (named.length === 0) return;
    const { values } = stateOf(device.deviceId);
    const fresh = named.filter((key) => (values.get(key)?.ts ?? Number.NEGATIVE_INFINITY) <= reading.ts);
    if (fresh.length === 0) return;
    const at = now();
    for (const key of fresh) {
      const value = reading.values[key];
      if (value === undefined) continue;
      const known = values.get(key);
      const hasChanged = known !== undefined && !Bun.deepEquals(known.value, value);
      values.set(key, { ts: reading.ts, at, value, hasChanged });
    }
    const rules = new Set(fresh.flatMap((key) => byKey.get(key) ?? []));
    look(device, rules, new Set(fresh));
  }

  /** Only rules whose time it is: another one may have been cleared by hand and waits for a message. */
  function lookAtDue(deviceId: DeviceId): void {
    const device = deps.findDevice(deviceId);
    const rules = device && deps.rulesOf(device);
    if (device === undefined || rules === undefined) {
      states.delete(deviceId);
      unwritten.delete(deviceId);
      repository.deleteState(deviceId);
      return;
    }
    const { due } = stateOf(deviceId);
    const at = now();
    const types = [...due].flatMap(([alarmType, dueAt]) => (dueAt <= at ? alarmType : []));
    for (const alarmType of types) due.delete(alarmType);
    look(
      device,
      rules.all.filter(({ alarmType }) => types.includes(alarmType)),
    );
  }

  /** What was held back may be raised, or for longer not: the time for it has changed. */
  function lookAtHeld(deviceId: DeviceId): void {
    const device = deps.findDevice(deviceId);
    const rules = device && deps.rulesOf(device);
    if (device === undefined || rules === undefined) return;
    guarded(deviceId, () => {
      const known = stateOf(deviceId).rules;
      const held = rules.all.filter(({ alarmType }) => known.get(alarmType)?.isHeld === true);
      if (held.length > 0) look(device, held);
    });
  }

  const timers = new AlarmTimers(deps.clock, now, (deviceId) => guarded(deviceId, () => lookAtDue(deviceId)));

  function write(): void {
    if (unwritten.size === 0) return;
    deps.transact(() => {
      for (const deviceId of unwritten) {
        const state = states.get(deviceId);
        if (state !== undefined && deps.findDevice(deviceId) !== undefined) save(deviceId, state);
      }
    });
    unwritten.clear();
  }

  /** An alarm whose rule is not there any more would never end. */
  function clearOrphans(deviceId: DeviceId): void {
    const device = deps.findDevice(deviceId);
    if (device === undefined) return;
    const types = new Set(deps.rulesOf(device)?.all.map(({ alarmType }) => alarmType));
    const orphans = repository.listOpen(deviceId).filter(({ alarmType }) => !types.has(alarmType));
    if (orphans.length === 0) return;
    guarded(deviceId, () =>
      life.commit(() => {
        for (const alarm of orphans) life.clear(alarm, null, "Its rule is not there any more");
      }),
    );
  }

  events.on("profile.changed", ({ profileId }) => {
    for (const deviceId of new Set(repository.listOpenOfProfile(profileId).map((alarm) => alarm.deviceId)))
      clearOrphans(deviceId);
  });
  events.on("device.updated", ({ deviceId }) => {
    clearOrphans(deviceId);
    lookAtHeld(deviceId); // it may have left a gateway that is worked on
  });
  events.on("device.maintenance", ({ deviceId }) => {
    for (const one of [deviceId, ...deps.childrenOf(deviceId)]) lookAtHeld(one);
  });
  events.on("device.deleted", ({ deviceId }) => {
    states.delete(deviceId);
    unwritten.delete(deviceId);
  });
  events.on("alarm.changed", ({ event, ...alarm }) => {
    const { deviceId, alarmType } = alarm;
    // Whoever clears by hand wants to hear of it again only when it comes to it anew.
    const startsAnew = event === "CLEARED" && alarm.clearedBy !== null;
    const state = startsAnew ? stateOf(deviceId) : states.get(deviceId);
    if (state === undefined) return;
    if (alarm.clearedAt === null) state.open.set(alarmType, alarm);
    else state.open.delete(alarmType);
    if (!startsAnew) return;
    state.rules.delete(alarmType);
    state.due.delete(alarmType);
    unwritten.add(deviceId);
  });
  events.on("attributes.changed", ({ deviceId, scope, values, deleted }) => {
    const device = deps.findDevice(deviceId);
    const rules = device && deps.rulesOf(device);
    if (device === undefined || rules === undefined || rules.byAttribute.size === 0) return;
    const names = [...Object.keys(values), ...deleted];
    const meant = new Set(names.flatMap((name) => rules.byAttribute.get(`${scope}/${name}`) ?? []));
    if (meant.size > 0) guarded(deviceId, () => look(device, meant));
  });
  const jumps = createJumpWatch(deps.clock, () => {
    for (const { deviceId } of repository.listDue()) lookAtHeld(deviceId);
  });
  const writing = createPeriodic({ clock: deps.clock, log, intervalMs: WRITE_INTERVAL_MS, work: write });

  return {
    start() {
      for (const { deviceId, dueAt } of repository.listDue())
        timers.set(deviceId, Math.max(dueAt, startedAt));
      timers.start();
      writing.start();
      jumps.start();
    },
    stop() {
      timers.stop();
      writing.stop();
      jumps.stop();
      for (const deviceId of states.keys()) unwritten.add(deviceId);
      write();
    },
    onTelemetry(device, readings) {
      const rules = deps.rulesOf(device);
      if (rules === undefined) return;
      guarded(device.deviceId, () => {
        for (const reading of readings) take(device, rules, reading);
      });
    },
  };
}
