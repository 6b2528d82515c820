import type { ConditionScope } from "../../../lib/alarms/condition.ts";
import { type AlarmSeverity, compareSeverities } from "../../../lib/alarms/severity.ts";
import { invalid, limited } from "../../../lib/core/domain-error.ts";
import type { DeviceId, ProfileId, TenantId } from "../../../lib/core/ids.ts";
import { DAY_MS } from "../../../lib/core/units.ts";
import { GATEWAY_PROFILE_NAME } from "../../../lib/devices/gateway-device.ts";
import type { KeyMetadata, KeyMetadataMap } from "../../../lib/keys/key-metadata.ts";
import { workShare } from "../../../platform/load/fair-share.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import type { DevicesService } from "../../devices/devices.service.ts";
import type { IngestDevice } from "../../ingest/ingest.types.ts";
import type { DeviceProfile } from "../../profiles/profiles.resource.ts";
import type { ProfilesService } from "../../profiles/profiles.service.ts";
import type { ScanChunk, TelemetryStore } from "../../telemetry/store/store.types.ts";
import type { TelemetryValue } from "../../telemetry/telemetry.types.ts";
import type { Principal } from "../../users/users.types.ts";
import { renderMessage, tellCondition } from "../actions/alarm-message.ts";
import type { AlarmEngine } from "../engine/alarm-engine.ts";
import { evaluateRule, type Moment, type Outcome, type RuleState } from "../engine/alarm-evaluation.ts";
import { type KnownValue, observeArrival, silentAfterMs } from "../engine/device-state.ts";
import type { createWatchedDevices } from "../engine/watched-devices.repository.ts";
import type { AlarmStatisticsRepository } from "../statistics/alarm-statistics.repository.ts";
import { ensureRange } from "../statistics/alarm-statistics.ts";
import type { ExplainedRule } from "./alarm-explain.ts";
import { type AlarmRule, type CreateTrigger, compileAlarmRules, compileKnownRules } from "./alarm-rule.ts";
import type { ProfileRules } from "./profile-rules.ts";
import { compileScope } from "./rule-scope.ts";

/** Alarm that a rule would have raised. Times in epoch ms. */
interface ReplayedAlarm {
  readonly raisedAt: number;
  /** Time of clearing; `null` if the alarm would still be open. */
  clearedAt: number | null;
  /** Highest severity that the alarm would have had. */
  severity: AlarmSeverity;
  readonly message: string;
}

/**
 * Runs a rule on stored telemetry of one device as if it arrived now: timestamps count as times of arrival, and the rule's timed evaluations run in
 * between.
 */
export class AlarmReplay {
  readonly alarms: ReplayedAlarm[] = [];
  readonly #values = new Map<string, KnownValue>();
  readonly #state: RuleState;
  #open: ReplayedAlarm | undefined;
  #severity: AlarmSeverity | undefined;
  #dueAt: number | undefined;

  constructor(
    readonly rule: AlarmRule,
    readonly device: {
      readonly name: string;
      readonly keys: KeyMetadataMap;
      attribute(scope: string, key: string): unknown;
    },
  ) {
    this.#state = { fingerprint: rule.fingerprint, triggers: [] };
  }

  /** Evaluates a message. Each message must be later than the previous one. */
  take(ts: number, values: ReadonlyArray<readonly [string, TelemetryValue]>): void {
    this.advance(ts);
    const named = new Set<string>();
    for (const [key, value] of values) {
      const knownValue = this.#values.get(key);
      if (knownValue !== undefined) observeArrival(knownValue, ts);
      const hasChanged = knownValue !== undefined && !Bun.deepEquals(knownValue.value, value);
      this.#values.set(key, { ...knownValue, ts, at: ts, value, hasChanged });
      named.add(key);
    }
    this.#evaluate(ts, named);
  }

  /** Advances the time to `to`; no value arrives before. */
  advance(to: number): void {
    while (this.#dueAt !== undefined && this.#dueAt <= to) this.#evaluate(this.#dueAt, undefined);
  }

  #evaluate(now: number, named: Moment["named"]): void {
    const values = this.#values;
    const scope: ConditionScope = {
      key: (name) => values.get(name)?.value,
      attribute: (attributeScope, name) => this.device.attribute(attributeScope, name),
      changed: (name) => values.get(name)?.hasChanged ?? false,
      isSilent: (name, forMs = silentAfterMs(values.get(name))) =>
        now - (values.get(name)?.at ?? now) >= forMs,
      silentAfterMs: (name) => silentAfterMs(values.get(name)),
    };
    const cameAt = (key: string) => values.get(key)?.at;
    const outcome = evaluateRule(this.rule, this.#state, { now, named, cameAt, scope });
    const heldMs = this.#act(outcome, now, scope);
    const dueAt =
      heldMs > 0
        ? Math.min(outcome.dueAt ?? Number.POSITIVE_INFINITY, now + heldMs)
        : (outcome.dueAt ?? undefined);
    // What is due now has just been checked.
    this.#dueAt = dueAt !== undefined && dueAt > now ? dueAt : undefined;
  }

  /** Returns the time for which the schedule suppresses the alarm, in ms. */
  #act({ raised, isOver }: Outcome, now: number, scope: ConditionScope): number {
    const open = this.#open;
    if (open !== undefined && isOver) {
      open.clearedAt = now;
      this.#open = undefined;
      return 0;
    }
    if (raised === undefined) return 0;
    const rise = this.#severity === undefined || open === undefined ? 1 : this.#riseTo(raised);
    if (rise <= 0) {
      if (rise < 0 && this.rule.downgrade) this.#severity = raised.severity;
      return 0;
    }
    const { schedule } = this.rule;
    if (schedule !== undefined && !schedule.isOpen(now)) return schedule.staysMs(now);
    this.#severity = raised.severity;
    if (open === undefined) this.#raise(raised, now, scope);
    else if (compareSeverities(raised.severity, open.severity) > 0) open.severity = raised.severity;
    return 0;
  }

  #riseTo({ severity }: CreateTrigger): number {
    return compareSeverities(severity, this.#severity ?? severity);
  }

  #raise({ severity, message, comparisons }: CreateTrigger, now: number, scope: ConditionScope): void {
    const { alarmType } = this.rule;
    const names = { deviceName: this.device.name, alarmType, severity };
    const told = () => tellCondition(comparisons, scope, this.device.keys);
    this.#open = {
      raisedAt: now,
      clearedAt: null,
      severity,
      message: renderMessage(message, names, { values: this.#values, keys: this.device.keys, told }).message,
    };
    this.alarms.push(this.#open);
  }
}

const DEVICES_MAX = 100;
/** Max. rows per test, which take some seconds. */
const ROWS_MAX = 500_000;
/** Max. simultaneous tests per tenant; each takes its share of the processor. */
const TESTS_PARALLEL_MAX = 3;
/** Max. time in ms for which a test blocks other work, whatever the rule costs. */
const TURN_MS_MAX = 10;
const ROWS_PER_CHECK = 16;
/** Max. listed alarms; further alarms are only counted. */
const ALARMS_LISTED_MAX = 500;

export interface BackTestRequest {
  readonly rule: unknown;
  readonly deviceIds?: readonly string[] | undefined;
  readonly profileId?: string | undefined;
  /** Epoch ms. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export interface BackTest {
  readonly from: number;
  readonly to: number;
  readonly deviceCount: number;
  readonly rowCount: number;
  readonly alarmCount: number;
  /** Alarms, newest first. */
  readonly alarms: ReadonlyArray<ReplayedAlarm & { deviceId: DeviceId; deviceName: string }>;
  /** True if the profile had more devices or data than the limits of a test; only the newest part was left out. */
  readonly isCut: boolean;
  /** True if the rule uses attributes, whose current values are taken. */
  readonly usesAttributes: boolean;
}

const valuesAt = (columns: ScanChunk["columns"], row: number) =>
  columns.flatMap((column): Array<readonly [string, TelemetryValue]> => {
    const value = column.at(row);
    return value === undefined ? [] : [[column.key, value]];
  });

/** Rule of a profile. */
export interface ListedRule {
  readonly profileId: ProfileId;
  readonly profileName: string;
  readonly alarmType: string;
  readonly isEnabled: boolean;
  /** Rule as stored. */
  readonly rule: unknown;
}

/** Effects of a rule on devices that the caller sees. */
export interface RuleEffect {
  /** False for a rule of another version, which is unreadable and raises nothing. */
  readonly isReadable: boolean;
  readonly deviceCount: number;
  readonly openCount: number;
  /** Epoch ms; null if no kept alarm was raised by the rule. */
  readonly lastRaisedAt: number | null;
  readonly keyMetadata: readonly KeyMetadata[];
}

/** Returns states of alarm rules, and tests rules on stored telemetry. */
export interface AlarmRulesService {
  /** Lists the rules of all profiles, by profile, in stored order; rules about the gateway itself come last. */
  list(principal: Principal): Promise<ListedRule[]>;
  /** Adds effects to listed rules. */
  withEffects<Rule extends ListedRule>(
    principal: Principal,
    rules: readonly Rule[],
  ): Promise<Array<Rule & RuleEffect>>;
  /** Returns the current state of each rule of the device's profile. */
  explain(principal: Principal, deviceId: string): ExplainedRule[];
  /** Evaluates a rule on stored telemetry without raising alarms. @throws DomainError `invalid` for an invalid rule */
  backTest(principal: Principal, request: BackTestRequest, signal?: AbortSignal): Promise<BackTest>;
  /**
   * Returns the number of devices of a profile that a rule with the scope watches. @throws DomainError `invalid` for an invalid scope, `not_found`
   * for an unknown profile
   */
  countWatched(principal: Principal, profileId: string, appliesTo: unknown): Promise<number>;
}

function listedRules({ profileId, name, alarmRules }: DeviceProfile): ListedRule[] {
  return alarmRules.map((rule) => {
    const { alarmType, enabled } = Object(rule) as { alarmType?: unknown; enabled?: unknown };
    return {
      profileId,
      profileName: name,
      alarmType: String(alarmType),
      isEnabled: enabled !== false,
      rule,
    };
  });
}

export function createAlarmRulesService(deps: {
  engine: AlarmEngine;
  devices: Pick<DevicesService, "ensureVisible" | "ensureAllVisible">;
  watchedDevices: ReturnType<typeof createWatchedDevices>;
  /** `ensure` throws `not_found` for a profile that the tenant does not have. */
  profiles: Pick<ProfilesService, "read" | "ensure" | "keysOf">;
  statistics: AlarmStatisticsRepository;
  store: Pick<TelemetryStore, "scan">;
  findDevice: (deviceId: DeviceId) => IngestDevice | undefined;
  rulesOf: (device: IngestDevice) => ProfileRules | undefined;
  writtenRulesOf: (device: {
    tenantId: TenantId;
    profileId: IngestDevice["profileId"];
  }) => readonly unknown[];
  attribute: (device: IngestDevice, scope: string, key: string) => unknown;
  keysOf: (device: IngestDevice) => KeyMetadataMap;
  clock: Clock;
}): AlarmRulesService {
  const { devices, store, clock } = deps;
  /** Tests in progress, by tenant. */
  const running = new Map<TenantId, number>();

  /** Returns the named devices, or the first devices of the profile that the rule would watch, and their number. */
  async function devicesOf(
    principal: Principal,
    { deviceIds, profileId }: BackTestRequest,
    scope: AlarmRule["appliesTo"],
  ): Promise<{ deviceIds: readonly DeviceId[]; total: number }> {
    if (deviceIds === undefined && profileId === undefined) throw invalid("alarm.test_devices");
    if (deviceIds === undefined)
      return deps.watchedDevices(principal, { profileId: profileId ?? "", scope, limit: DEVICES_MAX });
    const named = devices.ensureAllVisible(principal, [...new Set(deviceIds)]);
    return { deviceIds: named, total: named.length };
  }

  /** Processes rows of the chunk, letting other work run in between and at the end. Returns their number. */
  async function take(
    run: AlarmReplay,
    { ts, columns }: ScanChunk,
    { rowsMax, signal }: { rowsMax: number; signal: AbortSignal | undefined },
  ): Promise<number> {
    const rows = Math.min(ts.length, rowsMax);
    let turnBegan = clock.monotonic();
    for (let row = 0; row < rows; row++) {
      run.take(ts[row] as number, valuesAt(columns, row)); // within its bounds
      if (row % ROWS_PER_CHECK > 0 || clock.monotonic() - turnBegan <= TURN_MS_MAX) continue;
      await workShare.next();
      if (signal?.aborted) return row + 1;
      turnBegan = clock.monotonic();
    }
    await workShare.next();
    return rows;
  }

  async function replay(
    rule: AlarmRule,
    device: IngestDevice,
    input: { from: number; to: number; rowsMax: number; signal: AbortSignal | undefined },
  ) {
    const { from, to, rowsMax, signal } = input;
    const attribute = (scope: string, key: string) => deps.attribute(device, scope, key);
    const run = new AlarmReplay(rule, { name: device.name, keys: deps.keysOf(device), attribute });
    const query = { deviceIds: [device.deviceId], keys: [...rule.keys], from, to };
    let rows = 0;
    for await (const chunk of store.scan(query, signal)) {
      rows += await take(run, chunk, { rowsMax: rowsMax - rows, signal });
      if (rows >= rowsMax || signal?.aborted) return { rows, alarms: run.alarms };
    }
    run.advance(to);
    return { rows, alarms: run.alarms };
  }

  return {
    explain(principal, deviceId) {
      const device = deps.findDevice(devices.ensureVisible(principal, deviceId));
      const rules = device && deps.rulesOf(device);
      if (device === undefined || rules === undefined) return [];
      const written = deps.writtenRulesOf(device);
      return rules.all.map((rule) =>
        deps.engine.explain(
          device,
          rule,
          written.find((node) => (node as { alarmType?: unknown } | null)?.alarmType === rule.alarmType),
        ),
      );
    },
    async list(principal) {
      const { keys, read } = deps.profiles.read(principal);
      const isOwn = ({ name }: { readonly name?: string }) => Number(name === GATEWAY_PROFILE_NAME);
      const listed: ListedRule[] = [];
      for (const key of keys.toSorted((a, b) => isOwn(a) - isOwn(b))) {
        const profile = read(key);
        if (profile !== undefined) listed.push(...listedRules(profile));
        await workShare.pause();
      }
      return listed;
    },
    async withEffects(principal, rules) {
      const open = deps.statistics.countOpenByRule(principal);
      const effects = [];
      for (const rule of rules) {
        await workShare.pause(); // no owner: otherwise the user's other requests would queue behind this one
        effects.push({ ...rule, ...(await effectOf(principal, rule, open)) });
      }
      return effects;
    },
    async countWatched(principal, profileId, appliesTo) {
      const scope = compileScope(appliesTo, "appliesTo");
      deps.profiles.ensure(principal.tenantId, profileId);
      return (await deps.watchedDevices(principal, { profileId, scope, limit: 0 })).total;
    },
    backTest: (principal, request, signal) => oneOfFew(principal, () => backTest(principal, request, signal)),
  };

  async function effectOf(
    principal: Principal,
    { profileId, alarmType, rule }: ListedRule,
    open: ReturnType<AlarmStatisticsRepository["countOpenByRule"]>,
  ): Promise<RuleEffect> {
    const [readable] = compileKnownRules([rule], () => undefined);
    const scope = readable?.appliesTo;
    const keys = deps.profiles.keysOf(principal.tenantId, profileId);
    const isSame = (other: { profileId: string; alarmType: string }) =>
      other.profileId === profileId && other.alarmType === alarmType;
    return {
      isReadable: readable !== undefined,
      deviceCount:
        readable === undefined
          ? 0
          : (await deps.watchedDevices(principal, { profileId, scope, limit: 0 })).total,
      openCount: open.find(isSame)?.openCount ?? 0,
      lastRaisedAt: deps.statistics.lastRaisedBy(principal, { profileId, alarmType }),
      keyMetadata: [...(readable?.keys ?? [])].flatMap((key) => keys.get(key) ?? []),
    };
  }

  async function oneOfFew<Result>({ tenantId }: Principal, test: () => Promise<Result>): Promise<Result> {
    const inFlight = running.get(tenantId) ?? 0;
    if (inFlight >= TESTS_PARALLEL_MAX) throw limited("alarm.tests", 5);
    running.set(tenantId, inFlight + 1);
    try {
      return await test();
    } finally {
      const left = (running.get(tenantId) ?? 1) - 1;
      if (left > 0) running.set(tenantId, left);
      else running.delete(tenantId);
    }
  }

  async function backTest(
    principal: Principal,
    request: BackTestRequest,
    signal?: AbortSignal,
  ): Promise<BackTest> {
    const [rule] = compileAlarmRules([request.rule]);
    const { from, to } = ensureRange(request, { now: clock.now(), spanMs: DAY_MS });
    const meant = await devicesOf(principal, request, rule?.appliesTo);
    const found = meant.deviceIds.flatMap((deviceId) => deps.findDevice(deviceId) ?? []);
    let rowCount = 0;
    const alarms: Array<BackTest["alarms"][number]> = [];
    for (const device of found) {
      if (rule === undefined || rowCount >= ROWS_MAX || signal?.aborted) break;
      const seen = await replay(rule, device, { from, to, rowsMax: ROWS_MAX - rowCount, signal });
      rowCount += seen.rows;
      for (const alarm of seen.alarms)
        alarms.push({ ...alarm, deviceId: device.deviceId, deviceName: device.name });
    }
    return {
      from,
      to,
      deviceCount: found.length,
      rowCount,
      alarmCount: alarms.length,
      alarms: alarms.sort((a, b) => b.raisedAt - a.raisedAt).slice(0, ALARMS_LISTED_MAX),
      isCut: rowCount >= ROWS_MAX || meant.total > found.length,
      usesAttributes: (rule?.attributes.size ?? 0) > 0,
    };
  }
}
