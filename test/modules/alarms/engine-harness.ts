import { detail } from "../../../src/lib/core/domain-error.ts";
import type { DeviceId, ProfileId, TenantId } from "../../../src/lib/core/ids.ts";
import { AlarmLifecycle } from "../../../src/modules/alarms/alarm-lifecycle.ts";
import { createAlarmsRepository } from "../../../src/modules/alarms/alarms.repository.ts";
import { escalationDefaults } from "../../../src/modules/alarms/alarms.types.ts";
import { AlarmEngine } from "../../../src/modules/alarms/engine/alarm-engine.ts";
import { createHoldBack } from "../../../src/modules/alarms/engine/alarm-hold.ts";
import { AlarmTime } from "../../../src/modules/alarms/engine/alarm-time.ts";
import { createProfileRules } from "../../../src/modules/alarms/rules/profile-rules.ts";
import type { Device } from "../../../src/modules/devices/devices.types.ts";
import type { DomainEvents } from "../../../src/modules/events.types.ts";
import type { IngestDevice } from "../../../src/modules/ingest/ingest.types.ts";
import type { Reading, TelemetryValue } from "../../../src/modules/telemetry/telemetry.types.ts";
import { createEventBus } from "../../../src/platform/core/event-bus.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { type MainDatabase, openMainDatabase } from "../../../src/platform/database/database.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const log = createLogger("test");
const deviceId = "device" as DeviceId;
const tenantId = "tenant" as TenantId;
// The parts of a device that the engine looks at.
const device = { deviceId, tenantId, profileId: "profile" as ProfileId, name: "Kiln" } as IngestDevice;

export interface SeenAlarm {
  readonly alarmType: string;
  readonly severity: string;
  readonly status: string;
  readonly events: readonly string[];
}
export type Harness = ReturnType<typeof startEngine>;

export function openAlarmDatabase(file: string): MainDatabase {
  const database = openMainDatabase(file, "lineside", log);
  database.sqlite.run("PRAGMA foreign_keys=OFF"); // there is only one device, and no tenant
  return database;
}

/** Preparing its statements takes longer than a whole sequence. */
const repositories = new WeakMap<MainDatabase, ReturnType<typeof createAlarmsRepository>>();

function repositoryOf(database: MainDatabase) {
  const repository = repositories.get(database) ?? createAlarmsRepository(database);
  repositories.set(database, repository);
  return repository;
}

/** The engine of one device, which has had no alarm yet, with time that moves when it is told. */
export function startEngine(
  database: MainDatabase,
  rules: readonly unknown[],
  /** Who shares the event loop; nobody unless given, so that messages are evaluated immediately. */
  share: { pause(): Promise<void> | undefined; room?(): Promise<void> | undefined } = {
    pause: () => undefined,
  },
) {
  /** As a maintenance does; it lasts by the wall clock. */
  let mutedUntil = 0;
  let isDeleted = false;
  const faults: unknown[] = [];
  for (const table of ["alarms", "alarm_events", "alarm_states"]) database.sqlite.run(`DELETE FROM ${table}`);
  const repository = repositoryOf(database);
  const { transact } = database;

  function start(clock: FakeClock) {
    const events = createEventBus<DomainEvents>(log);
    const lifecycle = new AlarmLifecycle({
      repository,
      transact,
      hooks: [],
      escalationOf: () => escalationDefaults,
      clock,
      time: new AlarmTime(clock),
      events,
    });
    const describe = () => ({ deviceId, deviceType: "pump", tags }) as unknown as Device; // what scopes look at
    const rulesOf = createProfileRules({ rulesOf: () => rules, describe, events, log });
    const engine = new AlarmEngine({
      repository,
      lifecycle,
      rulesOf,
      keysOf: () => new Map(),
      findDevice: () => (isDeleted ? undefined : device),
      attribute: (_, __, key) => attributes.get(key),
      holdBack: createHoldBack({
        maintenance: { remainingMs: () => Math.max(0, mutedUntil - clock.now()) },
        clock,
      }),
      childrenOf: () => [],
      transact,
      share,
      roomForEvents: () => share.room?.(),
      clock,
      events,
      log,
    });
    events.on("fault.occurred", ({ code, params }) => {
      faults.push({ code, params });
    });
    engine.subscribe();
    engine.start();
    clock.advance(0);
    return { clock, lifecycle, engine, events };
  }

  const attributes = new Map<string, number>();
  let tags: readonly string[] = [];
  let running = start(new FakeClock());
  const openOf = (alarmType: string) => {
    const alarm = repository.listOpen(deviceId).find((open) => open.alarmType === alarmType);
    if (alarm === undefined) throw new Error(`no open alarm of ${alarmType}`);
    return alarm;
  };
  return {
    now: () => running.clock.now(),
    sendMessage: async (readings: readonly Reading[]) => running.engine.onTelemetry(device, readings),
    faults,
    deleteDevice() {
      isDeleted = true;
      running.events.emit("device.deleted", { tenantId, deviceId } as DomainEvents["device.deleted"]); // the parts that the engine looks at
    },
    send: (ts: number, values: Record<string, TelemetryValue>) =>
      running.engine.onTelemetry(device, [{ ts, values }]),
    setAttribute(key: string, value: number) {
      attributes.set(key, value);
      running.events.emit("attributes.changed", {
        tenantId,
        deviceId,
        scope: "SERVER",
        values: { [key]: value },
        deleted: [],
      } as unknown as DomainEvents["attributes.changed"]); // the parts that the engine looks at
    },
    setTags(changed: readonly string[]) {
      tags = changed;
      running.events.emit("device.updated", { tenantId, deviceId });
    },
    advance: (ms: number) => running.clock.advance(ms),
    restart(stoppedMs: number) {
      running.engine.stop();
      running = start(new FakeClock(running.clock.now() + stoppedMs));
    },
    /** As if the power had failed: what was not written is gone. */
    kill(stoppedMs: number) {
      running = start(new FakeClock(running.clock.now() + stoppedMs));
    },
    acknowledge: (alarmType: string) =>
      running.lifecycle.commit(() => running.lifecycle.acknowledge(openOf(alarmType), "somebody")),
    clear: (alarmType: string) =>
      running.lifecycle.commit(() =>
        running.lifecycle.clear(
          openOf(alarmType),
          "somebody",
          detail("alarm_event.cleared", { by: "somebody" }),
        ),
      ),
    /** The wall clock alone. */
    jump: (ms: number) => running.clock.jump(ms),
    /** Tells the engine that `rules` has changed. */
    rulesChanged: () => running.events.emit("profile.changed", { tenantId, profileId: device.profileId }),
    countStates: () => database.sqlite.query("SELECT * FROM alarm_states").all().length,
    mute(until: number) {
      mutedUntil = until;
      running.events.emit("device.maintenance", { tenantId, deviceId, until });
    },
    /** The oldest first. */
    alarms: (): SeenAlarm[] =>
      database.sqlite
        .query<{ alarm_type: string; severity: string; status: string; events: string }, []>(
          "SELECT alarm_type, severity, status, (SELECT group_concat(event_type ORDER BY sequence) FROM alarm_events WHERE alarm_events.alarm_id = alarms.alarm_id) AS events FROM alarms ORDER BY sequence",
        )
        .all()
        .map(({ alarm_type, severity, status, events }) => ({
          alarmType: alarm_type,
          severity,
          status,
          events: events.split(","),
        }))
        .sort((a, b) => (a.alarmType < b.alarmType ? -1 : a.alarmType > b.alarmType ? 1 : 0)),
    end: () => running.engine.stop(),
  };
}
