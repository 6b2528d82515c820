import type { DeviceId } from "../../lib/ids.ts";
import { type Clock, createSteadyNow } from "../../platform/clock.ts";
import type { EventBus } from "../../platform/event-bus.ts";
import type { Logger } from "../../platform/log.ts";
import type { DomainEvents } from "../events.types.ts";
import type { IngestDevice } from "../ingest/ingest.types.ts";
import type { Reading } from "../telemetry/telemetry.types.ts";
import { earliest, evaluateRule, type Moment, type RuleState } from "./alarm-evaluation.ts";
import { type ExplainedRule, explainRule } from "./alarm-explain.ts";
import { createJumpWatch, type HoldBack } from "./alarm-hold.ts";
import type { AlarmLifecycle } from "./alarm-lifecycle.ts";
import { createOrphans } from "./alarm-orphans.ts";
import type { AlarmRule } from "./alarm-rule.ts";
import { AlarmStates, dueOf } from "./alarm-states.ts";
import { AlarmTimers } from "./alarm-timers.ts";
import { createTransitions } from "./alarm-transitions.ts";
import type { AlarmsRepository } from "./alarms.repository.ts";
import { clearDeadBand, setDeadBand, takeIn } from "./dead-band.ts";
import type { DeviceState } from "./device-state.ts";
import type { ProfileRules } from "./profile-rules.ts";

/** What is held back is on the disk before anything else. */
const remember = () => undefined;

/** Returns `true` if it is sooner than it was. */
function setDue({ due }: DeviceState, alarmType: string, timeMs: number | undefined): boolean {
  const before = due.get(alarmType) ?? Number.POSITIVE_INFINITY;
  if (timeMs === undefined) due.delete(alarmType);
  else due.set(alarmType, timeMs);
  return timeMs !== undefined && timeMs < before;
}

/** Returns what is remembered of the rule as it is now. */
function ownState({ rules }: DeviceState, { alarmType, fingerprint }: AlarmRule): RuleState {
  const ruleState = rules.get(alarmType);
  const own: RuleState = ruleState?.fingerprint === fingerprint ? ruleState : { fingerprint, triggers: [] };
  rules.set(alarmType, own);
  return own;
}

/** Holds what devices send against the rules of their profiles. */
export function createAlarmEngine(deps: {
  repository: AlarmsRepository;
  lifecycle: AlarmLifecycle;
  rulesOf: (device: IngestDevice) => ProfileRules | undefined;
  findDevice: (deviceId: DeviceId) => IngestDevice | undefined;
  attribute: (device: IngestDevice, scope: string, key: string) => unknown;
  holdBack: HoldBack;
  /** Returns the children of a gateway. */
  childrenOf: (deviceId: DeviceId) => readonly DeviceId[];
  transact: (work: () => void) => void;
  clock: Clock;
  events: EventBus<DomainEvents>;
  log: Logger;
}) {
  const { repository, lifecycle, events, log } = deps;
  const now = createSteadyNow(deps.clock);
  const startedAt = now();
  const actOn = createTransitions(lifecycle);
  /** Whether the present message changed more than values. */
  let hasWritten = false;
  const states = new AlarmStates({
    ...deps,
    now,
    isKnown: (deviceId) => deps.findDevice(deviceId) !== undefined,
  });

  function momentOf(device: IngestDevice, { values }: DeviceState, named: Moment["named"]): Moment {
    const timeMs = now();
    const cameAt = (key: string) => values.get(key)?.at;
    return {
      now: timeMs,
      named,
      cameAt,
      scope: {
        key: (name) => values.get(name)?.value,
        attribute: (scope, name) => deps.attribute(device, scope, name),
        changed: (name) => values.get(name)?.hasChanged ?? false,
        isSilent: (name, forMs) => timeMs - (cameAt(name) ?? timeMs) >= forMs,
      },
    };
  }

  /** Evaluates one rule of a device. */
  function evaluateOne(device: IngestDevice, rule: AlarmRule, of: { state: DeviceState; moment: Moment }) {
    const { state, moment } = of;
    const { alarmType } = rule;
    const ruleState = state.rules.get(alarmType);
    const own = ownState(state, rule);
    const outcome = evaluateRule(rule, own, moment);
    const act = actOn(device, rule, { outcome, state });
    const heldMs = act?.rises ? deps.holdBack(device, rule) : 0;
    const dueAt = heldMs > 0 ? earliest(outcome.dueAt, moment.now + heldMs) : outcome.dueAt;
    // A time that moves on is not worth a write: looked at too early, nothing is found.
    const isCounted = setDue(state, alarmType, dueAt) || outcome.hasChanged;
    hasWritten ||= isCounted;
    if (isCounted || own !== ruleState) states.changed(device.deviceId, isCounted);
    const wasHeld = own.isHeld;
    if (heldMs > 0) own.isHeld = true;
    else delete own.isHeld;
    const run = heldMs === 0 ? act?.run : wasHeld ? undefined : remember;
    return { rule, own, outcome, run };
  }

  /** `named`: keys that a message brought. */
  function evaluate(device: IngestDevice, rules: Iterable<AlarmRule>, named?: ReadonlySet<string>): void {
    const { deviceId } = device;
    const state = states.of(deviceId);
    const moment = momentOf(device, state, named);
    const evaluations = Array.from(rules, (rule) => evaluateOne(device, rule, { state, moment }));
    if (evaluations.every(({ run }) => run === undefined)) states.markSeen(deviceId);
    else {
      hasWritten = true;
      lifecycle.commit(() => {
        for (const { run } of evaluations) run?.();
        states.save(deviceId, state);
      });
    }
    for (const { rule, own, outcome } of evaluations) {
      own.isSteady = !outcome.counts && (own.isHeld || actOn(device, rule, { outcome, state }) === undefined);
      if (!own.isSteady || named === undefined) clearDeadBand(state, rule);
    }
    const dueAt = dueOf(state);
    if (dueAt !== undefined) timers.set(deviceId, dueAt);
  }

  /** Runs `work`, and forgets the state of the device if it cannot be written: the state on the disk counts then. */
  function guarded(deviceId: DeviceId, work: () => void): void {
    try {
      work();
    } catch (error) {
      states.forget(deviceId);
      log.error("alarm rules could not be evaluated", { deviceId, error });
    }
  }

  function take(device: IngestDevice, rules: ProfileRules, reading: Reading): void {
    const { deviceId } = device;
    const state = states.of(deviceId);
    if (state.deadBandFor !== rules) {
      for (const knownValue of state.values.values()) knownValue.deadBand = undefined;
      state.deadBandFor = rules;
    }
    const crossed = takeIn(state.values, rules, reading, now());
    if (crossed === undefined) {
      states.markSeen(deviceId);
      return;
    }
    if (crossed.isNews) states.changed(deviceId);
    evaluate(device, new Set([...crossed.keys].flatMap((key) => rules.byKey.get(key) ?? [])), crossed.keys);
    if (state.deadBandFor !== rules) return; // somebody cleared one of its alarms meanwhile
    const attribute = (scope: string, name: string) => deps.attribute(device, scope, name);
    setDeadBand(state, rules, { keys: crossed.keys, attribute });
  }

  /** Evaluates the rules whose time has come. Others may have been cleared by hand and wait for a message. */
  function evaluateDue(deviceId: DeviceId): void {
    const device = deps.findDevice(deviceId);
    const rules = device && deps.rulesOf(device);
    if (device === undefined || rules === undefined) {
      states.forget(deviceId);
      repository.deleteState(deviceId);
      return;
    }
    const { due } = states.of(deviceId);
    const timeMs = now();
    const types = [...due].flatMap(([alarmType, dueAt]) => (dueAt <= timeMs ? alarmType : []));
    for (const alarmType of types) due.delete(alarmType);
    evaluate(
      device,
      rules.all.filter(({ alarmType }) => types.includes(alarmType)),
    );
  }

  /** Evaluates the rules that were held back: the time for which they are held has changed. */
  function evaluateHeld(deviceId: DeviceId): void {
    const device = deps.findDevice(deviceId);
    const rules = device && deps.rulesOf(device);
    if (device === undefined || rules === undefined) return;
    guarded(deviceId, () => {
      const existing = states.of(deviceId).rules;
      const held = rules.all.filter(({ alarmType }) => existing.get(alarmType)?.isHeld === true);
      if (held.length > 0) evaluate(device, held);
    });
  }

  const timers = new AlarmTimers<DeviceId>(deps.clock, now, (deviceId) =>
    guarded(deviceId, () => evaluateDue(deviceId)),
  );

  const orphans = createOrphans({ ...deps, guarded });
  events.on("profile.changed", ({ profileId }) =>
    orphans.clearOrphans(repository.listOpenOfProfile(profileId).map(({ deviceId }) => deviceId)),
  );
  events.on("device.updated", ({ deviceId }) => {
    orphans.clearOrphans([deviceId]);
    evaluateHeld(deviceId); // it may have left a gateway that is worked on
  });
  events.on("device.maintenance", ({ deviceId }) => {
    for (const candidate of [deviceId, ...deps.childrenOf(deviceId)]) evaluateHeld(candidate);
  });
  events.on("device.deleted", ({ deviceId }) => {
    states.forget(deviceId);
  });
  events.on("alarm.changed", ({ event, ...alarm }) => {
    const { deviceId, alarmType } = alarm;
    // Whoever clears by hand wants to hear of it again only when it comes to it anew.
    const startsAnew = event === "CLEARED" && alarm.clearedBy !== null;
    const state = startsAnew ? states.of(deviceId) : states.peek(deviceId);
    if (state === undefined) return;
    if (alarm.clearedAt === null) state.open.set(alarmType, alarm);
    else state.open.delete(alarmType);
    if (!startsAnew) return;
    state.deadBandFor = undefined;
    state.rules.delete(alarmType);
    state.due.delete(alarmType);
    states.changed(deviceId);
  });
  events.on("attributes.changed", ({ deviceId, scope, values, deleted }) => {
    const device = deps.findDevice(deviceId);
    const rules = device && deps.rulesOf(device);
    if (device === undefined || rules === undefined || rules.byAttribute.size === 0) return;
    const names = [...Object.keys(values), ...deleted];
    const meant = new Set(names.flatMap((name) => rules.byAttribute.get(`${scope}/${name}`) ?? []));
    if (meant.size > 0) guarded(deviceId, () => evaluate(device, meant));
  });
  const jumps = createJumpWatch(deps.clock, () => {
    for (const { deviceId } of repository.listDue()) evaluateHeld(deviceId);
  });

  return {
    start(): void {
      for (const { deviceId, dueAt } of repository.listDue())
        timers.set(deviceId, Math.max(dueAt, startedAt));
      timers.start();
      states.start();
      jumps.start();
      // A profile may have been changed in the moment in which the power went.
      orphans.clearOrphans(repository.listDevicesWithOpen());
    },
    stop(): void {
      timers.stop();
      jumps.stop();
      orphans.stop();
      states.stop();
    },
    /** Returns how a rule of the device's profile stands; `node` is the rule as it was written. */
    explain(device: IngestDevice, rule: AlarmRule, node: unknown): ExplainedRule {
      const { alarmType } = rule;
      const state = states.of(device.deviceId);
      return explainRule(rule, {
        node,
        state: state.rules.get(alarmType),
        moment: momentOf(device, state, undefined),
        open: state.open.get(alarmType),
        heldMs: deps.holdBack(device, rule),
        dueAt: state.due.get(alarmType),
      });
    },
    /**
     * Never throws and never waits. A device without rules costs one look. Returns `true` if an alarm was changed or something counted: that is to
     * be on the disk before the message is acknowledged, and is written at the end of this turn.
     */
    onTelemetry(device: IngestDevice, readings: readonly Reading[]): boolean {
      const rules = deps.rulesOf(device);
      if (rules === undefined) return false;
      hasWritten = false;
      guarded(device.deviceId, () => {
        for (const reading of readings) take(device, rules, reading);
      });
      return hasWritten;
    },
  };
}

export type AlarmEngine = ReturnType<typeof createAlarmEngine>;
