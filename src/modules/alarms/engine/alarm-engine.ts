import { DomainError, detail } from "../../../lib/core/domain-error.ts";
import type { DeviceId, TenantId } from "../../../lib/core/ids.ts";
import { RULE_WORK_MAX, WorkBudget } from "../../../lib/expressions/work-budget.ts";
import { partsOf } from "../../../lib/json/count-parts.ts";
import type { KeyMetadataMap } from "../../../lib/keys/key-metadata.ts";
import { FUTURE_MS_MAX } from "../../../lib/time/timestamp.ts";
import type { EventBus } from "../../../platform/core/event-bus.ts";
import type { Logger } from "../../../platform/core/log.ts";
import { DeviceRounds } from "../../../platform/load/device-rounds.ts";
import { type FairShare, workShare } from "../../../platform/load/fair-share.ts";
import { type Clock, createMonotonicNow } from "../../../platform/time/clock.ts";
import type { DomainEvents } from "../../events.types.ts";
import type { IngestDevice } from "../../ingest/ingest.types.ts";
import type { Reading } from "../../telemetry/telemetry.types.ts";
import type { AlarmLifecycle } from "../alarm-lifecycle.ts";
import type { AlarmsRepository } from "../alarms.repository.ts";
import { type ExplainedRule, explainRule } from "../rules/alarm-explain.ts";
import type { AlarmRule } from "../rules/alarm-rule.ts";
import type { ProfileRules } from "../rules/profile-rules.ts";
import { earliest, evaluateRule, isBlank, type Moment, type RuleState } from "./alarm-evaluation.ts";
import { createJumpWatch, type HoldBack } from "./alarm-hold.ts";
import { AlarmIntake, type EvaluatedMessage, keysToEvaluate } from "./alarm-intake.ts";
import { AlarmStates, dueOf } from "./alarm-states.ts";
import { AlarmTimers } from "./alarm-timers.ts";
import { createTransitions } from "./alarm-transitions.ts";
import { changesNothing, clearDeadBand, setDeadBand, takeIn } from "./dead-band.ts";
import { type DeviceState, keepWatched, silentAfterMs } from "./device-state.ts";

/** Alarms cleared before other work gets its turn; all devices of a site may share a profile. */
const ALARMS_PER_STEP = 100;

/** Cleans up after rules that no longer watch a device: clears open alarms, which would never end, and discards counts. */
export function createOrphans(deps: {
  repository: Pick<AlarmsRepository, "listOpen">;
  lifecycle: Pick<AlarmLifecycle, "commit" | "clear">;
  rulesOf: (device: IngestDevice) => ProfileRules | undefined;
  findDevice: (deviceId: DeviceId) => IngestDevice | undefined;
  /** Forgets the in-memory state and counts of such rules. */
  forget: (deviceId: DeviceId) => void;
  guarded: (deviceId: DeviceId, work: () => void) => void;
}) {
  const { repository, lifecycle } = deps;
  const waiting = new Set<DeviceId>();
  let next: NodeJS.Immediate | undefined;

  /** Clears the orphans of a device. Returns their number. */
  function clearOf(deviceId: DeviceId): number {
    const device = deps.findDevice(deviceId);
    if (device === undefined) return 0;
    deps.forget(deviceId);
    const types = new Set(deps.rulesOf(device)?.all.map(({ alarmType }) => alarmType));
    const orphans = repository.listOpen(deviceId).filter(({ alarmType }) => !types.has(alarmType));
    if (orphans.length > 0)
      lifecycle.commit(() => {
        for (const alarm of orphans) lifecycle.clear(alarm, null, detail("alarm_event.rule_gone"));
      });
    return orphans.length;
  }

  function work(): void {
    next = undefined;
    let left = ALARMS_PER_STEP;
    for (const deviceId of waiting) {
      waiting.delete(deviceId);
      deps.guarded(deviceId, () => {
        left -= 1 + clearOf(deviceId);
      });
      if (left <= 0) break;
    }
    if (waiting.size > 0) next = setImmediate(work);
  }

  return {
    /** Clears the orphans of the first devices immediately, and the others soon. */
    clearOrphans(deviceIds: Iterable<DeviceId>): void {
      for (const deviceId of deviceIds) waiting.add(deviceId);
      if (next === undefined) work();
    },
    /** Stops. Remaining devices are checked at the next start. */
    stop(): void {
      clearImmediate(next);
      next = undefined;
      waiting.clear();
    },
  };
}

const WARNING_INTERVAL_MS = 60_000;
/** Max. characters of strings that are not counted, because comparing them takes no noticeable time. */
const SHORT_CHARACTERS_MAX = 256;

/*
 * Work of rules, in searched characters.
 */

/** An attribute that is read from the database. */
const ATTRIBUTE_WORK = 20_000;
/** A character of an attribute's JSON, which is parsed. */
const PARSED_CHARACTER_WORK = 100;
/** A part of a list or object, which is compared. */
const PART_WORK = 500;

/** Counts a long string, or a list or object, that a comparison may search. @throws DomainError if the message's rules exceed the budget */
function counted<Value>(value: Value, work: WorkBudget): Value {
  if (typeof value === "string") {
    if (value.length > SHORT_CHARACTERS_MAX) work.spend(value.length);
  } else if (typeof value === "object" && value !== null) work.spend(partsOf(value) * PART_WORK);
  return value;
}

/** Does nothing: suppressed alarms are on disk before anything else. */
const remember = () => undefined;

/** Sets the due time. Returns `true` if it is earlier than before. */
function setDue({ due }: DeviceState, alarmType: string, timeMs: number | undefined): boolean {
  const before = due.get(alarmType) ?? Number.POSITIVE_INFINITY;
  if (timeMs === undefined) due.delete(alarmType);
  else due.set(alarmType, timeMs);
  return timeMs !== undefined && timeMs < before;
}

/** Returns the device's state for the current version of the rule; new if the rule has changed. */
function ownState({ rules }: DeviceState, { alarmType, fingerprint }: AlarmRule): RuleState {
  const ruleState = rules.get(alarmType);
  const own: RuleState = ruleState?.fingerprint === fingerprint ? ruleState : { fingerprint, triggers: [] };
  rules.set(alarmType, own);
  return own;
}

interface AlarmEngineDeps {
  readonly repository: AlarmsRepository;
  readonly lifecycle: AlarmLifecycle;
  readonly rulesOf: (device: IngestDevice) => ProfileRules | undefined;
  /** Returns the metadata of the device's keys, for messages. */
  readonly keysOf: (device: IngestDevice) => KeyMetadataMap;
  readonly findDevice: (deviceId: DeviceId) => IngestDevice | undefined;
  /** Calls `onText` with the characters of the attribute's JSON before it is parsed. */
  readonly attribute: (
    device: IngestDevice,
    scope: string,
    key: string,
    onText: (characters: number) => void,
  ) => unknown;
  readonly holdBack: HoldBack;
  /** Returns the child devices of a gateway. */
  readonly childrenOf: (deviceId: DeviceId) => readonly DeviceId[];
  readonly transact: (work: () => void) => void;
  /** Resolves when a tenant may cause more events of alarms; undefined if it may now. */
  readonly roomForEvents: (tenantId: TenantId) => Promise<void> | undefined;
  /** Default: the share used by all expensive messages and requests. */
  readonly share?: Pick<FairShare, "pause">;
  readonly clock: Clock;
  readonly events: EventBus<DomainEvents>;
  readonly log: Logger;
}

/** Evaluates the alarm rules of profiles on the data of their devices. */
export class AlarmEngine {
  /** Returns monotonic epoch ms. */
  readonly #now: () => number;
  readonly #startedAt: number;
  readonly #actOn: ReturnType<typeof createTransitions>;
  readonly #states: AlarmStates;
  readonly #intake: AlarmIntake;
  readonly #timers: AlarmTimers<DeviceId>;
  readonly #orphans: ReturnType<typeof createOrphans>;
  readonly #jumps: ReturnType<typeof createJumpWatch>;
  /** Devices whose suppressed rules are to be evaluated, in turns. */
  readonly #held = new Set<DeviceId>();
  readonly #rounds: DeviceRounds;
  /** Monotonic time of the last warning about rules over the budget. */
  #warnedAt = Number.NEGATIVE_INFINITY;
  /** True if the current reading changed more than values. */
  #hasWritten = false;
  /** Number of alarms changed by the current reading. */
  #transitions = 0;

  readonly #deps: AlarmEngineDeps;

  constructor(deps: AlarmEngineDeps) {
    this.#deps = deps;
    const { repository, lifecycle, rulesOf, findDevice, transact, clock, log } = deps;
    const guarded = (deviceId: DeviceId, work: () => void) => this.#guarded(deviceId, work);
    const isKnown = (deviceId: DeviceId) => findDevice(deviceId) !== undefined;
    this.#now = createMonotonicNow(clock);
    this.#startedAt = this.#now();
    this.#actOn = createTransitions({ lifecycle, keysOf: deps.keysOf });
    this.#states = new AlarmStates({ repository, isKnown, transact, now: this.#now, clock, log });
    this.#intake = new AlarmIntake({
      share: deps.share ?? workShare,
      room: (message) => this.#roomFor(message),
      takeNext: (message) => this.#takeNext(message),
    });
    this.#rounds = new DeviceRounds({
      devices: () => this.#held,
      visit: (deviceId) => this.#evaluateHeld(deviceId),
      isRunning: () => true,
      onError: (error) => log.error("suppressed rules could not be evaluated", { error }),
      share: deps.share ?? workShare,
    });
    this.#timers = new AlarmTimers(clock, this.#now, (deviceId) =>
      guarded(deviceId, () => this.#evaluateDue(deviceId)),
    );
    this.#orphans = createOrphans({
      repository,
      lifecycle,
      rulesOf,
      findDevice,
      forget: (deviceId) => {
        if (this.#states.peek(deviceId) !== undefined) this.#forgetUnwatched(deviceId);
      },
      guarded,
    });
    this.#jumps = createJumpWatch(clock, () =>
      this.#evaluateAllHeld(repository.listDue().map(({ deviceId }) => deviceId)),
    );
  }

  /** Subscribes to changes of rules, devices and alarms. The module calls it once, before anything is started. */
  subscribe(): void {
    const { events, repository } = this.#deps;
    events.on("profile.changed", ({ profileId }) => {
      this.#orphans.clearOrphans([...repository.listDevicesWithOpenOf(profileId), ...this.#states.loaded()]);
    });
    events.on("device.updated", ({ deviceId }) => {
      this.#forgetUnwatched(deviceId);
      this.#orphans.clearOrphans([deviceId]);
      this.#evaluateHeld(deviceId); // it may have left a gateway under maintenance
    });
    events.on("device.maintenance", ({ deviceId }) => {
      this.#evaluateAllHeld([deviceId, ...this.#deps.childrenOf(deviceId)]);
    });
    events.on("device.deleted", ({ deviceId }) => {
      this.#states.forget(deviceId);
      repository.forgetDevice(deviceId);
    });
    events.on("alarm.changed", (change) => this.#noteAlarm(change));
    events.on("attributes.changed", (change) => this.#evaluateAttributes(change));
  }

  start(): void {
    const { repository } = this.#deps;
    for (const { deviceId, dueAt } of repository.listDue())
      this.#timers.set(deviceId, Math.max(dueAt, this.#startedAt));
    this.#timers.start();
    this.#states.start();
    this.#jumps.start();
    // A profile may have changed right before a power failure.
    this.#orphans.clearOrphans(repository.listDevicesWithOpen());
  }

  stop(): void {
    this.#intake.finish();
    for (const deviceId of this.#held) this.#evaluateHeld(deviceId);
    this.#held.clear();
    this.#timers.stop();
    this.#jumps.stop();
    this.#orphans.stop();
    this.#states.stop();
  }

  /** Returns the current state of a rule of the device's profile; `node` is the stored rule. */
  explain(device: IngestDevice, rule: AlarmRule, node: unknown): ExplainedRule {
    const { alarmType } = rule;
    const state = this.#states.of(device.deviceId);
    return explainRule(rule, {
      node,
      state: state.rules.get(alarmType),
      moment: this.#momentOf(device, state, undefined),
      open: state.open.get(alarmType),
      heldMs: this.#deps.holdBack(device, rule),
      dueAt: state.due.get(alarmType),
    });
  }

  /**
   * Evaluates the rules of a device; a device without rules costs one look-up. Never throws. Returns `true` (or a promise of it if the message has
   * to wait) if an alarm or a count changed; this is written at the end of the turn and must be on disk before the message is acknowledged.
   */
  onTelemetry(device: IngestDevice, readings: readonly Reading[]): boolean | Promise<boolean> {
    return this.#deps.rulesOf(device) === undefined ? false : this.#intake.take(device, readings);
  }

  /** Messages that change nothing wait for nobody. */
  #roomFor({ device, readings, next, left }: EvaluatedMessage): Promise<void> | undefined {
    const room = this.#deps.roomForEvents(device.tenantId);
    const reading = readings[next];
    if (room === undefined || reading === undefined) return room;
    const state = this.#states.peek(device.deviceId);
    const rules = this.#deps.rulesOf(device);
    const isCurrent = state !== undefined && rules !== undefined && state.deadBandFor === rules;
    return left === undefined && isCurrent && changesNothing(state.values, rules, reading) ? undefined : room;
  }

  /** Processes the next reading of a message. Returns `true` if rules were evaluated. */
  #takeNext(message: EvaluatedMessage): boolean {
    const { device, readings } = message;
    const reading = readings[message.next++];
    this.#hasWritten = false;
    this.#transitions = 0;
    let isEvaluated = false;
    const isDone = this.#guarded(device.deviceId, () => {
      // Both may have changed while the message waited.
      const rules = this.#findWithRules(device.deviceId)?.rules;
      if (reading === undefined || rules === undefined) message.next = readings.length;
      else isEvaluated = this.#take(message, rules, reading);
    });
    if (!isDone) message.next = readings.length;
    message.hasWritten ||= this.#hasWritten;
    message.transitions += this.#transitions;
    return isEvaluated;
  }

  #take(message: EvaluatedMessage, rules: ProfileRules, reading: Reading): boolean {
    const { device, readings } = message;
    const { deviceId } = device;
    const state = this.#states.of(deviceId);
    if (state.deadBandFor !== rules) {
      if (keepWatched(state, rules)) this.#states.changed(deviceId);
      for (const knownValue of state.values.values()) knownValue.deadBand = undefined;
      state.deadBandFor = rules;
    }
    const crossed = takeIn(state.values, rules, reading, {
      at: this.#now(),
      believedUntil: this.#deps.clock.now() + FUTURE_MS_MAX,
    });
    const keys = keysToEvaluate(message, crossed?.keys);
    if (keys === undefined) {
      this.#states.markSeen(deviceId);
      return false;
    }
    if (message.left !== undefined && message.next === readings.length) this.#reportSkipped(message);
    if (crossed?.hasNewValue === true) this.#states.changed(deviceId);
    const affected = new Set([...keys].flatMap((key) => rules.byKey.get(key) ?? []));
    const { attribute, isSteady } = this.#evaluate(device, affected, keys);
    if (state.deadBandFor !== rules) return true; // somebody cleared one of its alarms meanwhile
    setDeadBand(state, rules, { keys, attribute, isSteady });
    return true;
  }

  #reportSkipped({ device, skipped: count, transitions: changes }: EvaluatedMessage): void {
    const { tenantId, deviceId } = device;
    const subject = { kind: "device", id: deviceId } as const;
    const fault = detail("fault.readings_not_evaluated", { count, changes });
    this.#deps.events.emit("fault.occurred", { ...fault, source: "alarm", tenantId, subject });
  }

  /** Evaluates rules of a device; `named` holds the keys of the message. Returns what the rules have read, and which of them are steady. */
  #evaluate(device: IngestDevice, rules: Iterable<AlarmRule>, named?: ReadonlySet<string>) {
    const { deviceId } = device;
    const state = this.#states.of(deviceId);
    const moment = this.#momentOf(device, state, named);
    const evaluations = Array.from(rules, (rule) => this.#evaluateOne(device, rule, { state, moment }));
    if (evaluations.every(({ run }) => run === undefined)) this.#states.markSeen(deviceId);
    else {
      this.#hasWritten = true;
      this.#deps.lifecycle.commit(() => {
        for (const { run } of evaluations) {
          if (run !== undefined) this.#transitions++;
          run?.();
        }
        this.#states.save(deviceId, state);
      });
    }
    const { scope } = moment;
    const unsteady = new Set<AlarmRule>();
    for (const { rule, own, outcome } of evaluations) {
      const isSteady =
        !outcome.counts && (own.isHeld || this.#actOn(device, rule, { outcome, state, scope }) === undefined);
      if (!isSteady) unsteady.add(rule);
      if (!isSteady || named === undefined) clearDeadBand(state, rule);
      // Thousands of devices have hundreds of rules each.
      if (isSteady && isBlank(own)) state.rules.delete(rule.alarmType);
    }
    const dueAt = dueOf(state);
    if (dueAt !== undefined) this.#timers.set(deviceId, dueAt);
    return { attribute: scope.attribute, isSteady: (rule: AlarmRule) => !unsteady.has(rule) };
  }

  #evaluateOne(device: IngestDevice, rule: AlarmRule, of: { state: DeviceState; moment: Moment }) {
    const { state, moment } = of;
    const { alarmType } = rule;
    const ruleState = state.rules.get(alarmType);
    const own = ownState(state, rule);
    const outcome = evaluateRule(rule, own, moment);
    const act = this.#actOn(device, rule, { outcome, state, scope: moment.scope });
    const heldMs = act?.rises ? this.#deps.holdBack(device, rule) : 0;
    const dueAt = heldMs > 0 ? earliest(outcome.dueAt, moment.now + heldMs) : outcome.dueAt;
    // A later time is not written: an early check finds nothing.
    const isCounted = setDue(state, alarmType, dueAt) || outcome.hasChanged;
    this.#hasWritten ||= isCounted;
    if (isCounted || (ruleState !== undefined && own !== ruleState))
      this.#states.changed(device.deviceId, isCounted);
    const wasHeld = own.isHeld;
    if (heldMs > 0) own.isHeld = true;
    else delete own.isHeld;
    const run = heldMs === 0 ? act?.run : wasHeld ? undefined : remember;
    return { rule, own, outcome, run };
  }

  /** Returns a reader that reads each attribute once. */
  #attributesOf(device: IngestDevice, work: WorkBudget): (scope: string, name: string) => unknown {
    const read = new Map<string, unknown>();
    return (scope, name) => {
      const path = `${scope}/${name}`;
      if (!read.has(path)) {
        work.spend(ATTRIBUTE_WORK);
        const onText = (characters: number) => work.spend(characters * PARSED_CHARACTER_WORK);
        read.set(path, this.#deps.attribute(device, scope, name, onText));
      }
      return counted(read.get(path), work);
    };
  }

  #momentOf(device: IngestDevice, { values }: DeviceState, named: Moment["named"]): Moment {
    const timeMs = this.#now();
    const cameAt = (key: string) =>
      this.#intake.hasWaiting(device.deviceId, key) ? timeMs : values.get(key)?.at;
    const work = new WorkBudget(RULE_WORK_MAX);
    return {
      now: timeMs,
      named,
      cameAt,
      scope: {
        key: (name) => counted(values.get(name)?.value, work),
        attribute: this.#attributesOf(device, work),
        changed: (name) => values.get(name)?.hasChanged ?? false,
        isSilent: (name, forMs = silentAfterMs(values.get(name))) =>
          timeMs - (cameAt(name) ?? timeMs) >= forMs,
        silentAfterMs: (name) => silentAfterMs(values.get(name)),
      },
    };
  }

  /** Evaluates the due rules. Rules of manually cleared alarms wait for a message. */
  #evaluateDue(deviceId: DeviceId): void {
    const target = this.#findWithRules(deviceId);
    if (target === undefined) {
      this.#forgetUnwatched(deviceId);
      return;
    }
    const { due } = this.#states.of(deviceId);
    const timeMs = this.#now();
    const types = [...due].flatMap(([alarmType, dueAt]) => (dueAt <= timeMs ? alarmType : []));
    for (const alarmType of types) due.delete(alarmType);
    this.#evaluate(
      target.device,
      target.rules.all.filter(({ alarmType }) => types.includes(alarmType)),
    );
  }

  /** Evaluates suppressed rules after the time of their suppression has changed. */
  #evaluateHeld(deviceId: DeviceId): void {
    const target = this.#findWithRules(deviceId);
    if (target === undefined) return;
    this.#guarded(deviceId, () => {
      const states = this.#states.of(deviceId).rules;
      const held = target.rules.all.filter(({ alarmType }) => states.get(alarmType)?.isHeld === true);
      if (held.length > 0) this.#evaluate(target.device, held);
    });
  }

  /** Evaluates them in turns: a gateway has up to 10,000 children. */
  #evaluateAllHeld(deviceIds: readonly DeviceId[]): void {
    for (const deviceId of deviceIds) this.#held.add(deviceId);
    this.#rounds.start("held", (deviceId) => this.#held.delete(deviceId));
  }

  /** Evaluates the rules that refer to a changed attribute. */
  #evaluateAttributes({ deviceId, scope, values, deleted }: DomainEvents["attributes.changed"]): void {
    const target = this.#findWithRules(deviceId);
    if (target === undefined || target.rules.byAttribute.size === 0) return;
    const { device, rules } = target;
    const names = [...Object.keys(values), ...deleted];
    const affected = new Set(names.flatMap((name) => rules.byAttribute.get(`${scope}/${name}`) ?? []));
    if (affected.size > 0) this.#guarded(deviceId, () => this.#evaluate(device, affected));
  }

  #noteAlarm({ event, ...alarm }: DomainEvents["alarm.changed"]): void {
    const { deviceId, alarmType } = alarm;
    // After clearing by hand, the alarm is raised again only once the condition was false in between.
    const startsAnew = event === "CLEARED" && alarm.clearedBy !== null;
    const state = startsAnew ? this.#states.of(deviceId) : this.#states.peek(deviceId);
    if (state === undefined) return;
    if (alarm.clearedAt === null) state.open.set(alarmType, alarm);
    else state.open.delete(alarmType);
    if (!startsAnew) return;
    state.deadBandFor = undefined;
    state.rules.delete(alarmType);
    state.due.delete(alarmType);
    this.#states.changed(deviceId);
  }

  /** Forgets values and counts of rules that no longer watch the device. */
  #forgetUnwatched(deviceId: DeviceId): void {
    const target = this.#findWithRules(deviceId);
    if (target === undefined) {
      this.#states.forget(deviceId);
      this.#deps.repository.deleteState(deviceId);
    } else if (keepWatched(this.#states.of(deviceId), target.rules)) this.#states.changed(deviceId);
  }

  #findWithRules(deviceId: DeviceId): { device: IngestDevice; rules: ProfileRules } | undefined {
    const device = this.#deps.findDevice(deviceId);
    const rules = device && this.#deps.rulesOf(device);
    return device === undefined || rules === undefined ? undefined : { device, rules };
  }

  /** Runs `work`. If it fails, the state of the device in memory is discarded in favor of the stored state, and `false` is returned. */
  #guarded(deviceId: DeviceId, work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      this.#states.forget(deviceId);
      if (!(error instanceof DomainError)) {
        this.#deps.log.error("alarm rules could not be evaluated", { deviceId, error });
        return false;
      }
      const timeMs = this.#deps.clock.monotonic();
      if (timeMs < this.#warnedAt + WARNING_INTERVAL_MS) return false;
      this.#warnedAt = timeMs;
      this.#deps.log.warn("alarm rules not evaluated for a message", { deviceId, error: error.message });
      return false;
    }
  }
}
