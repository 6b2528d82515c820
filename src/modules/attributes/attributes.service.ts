import { invalid } from "../../lib/domain-error.ts";
import type { DeviceId } from "../../lib/ids.ts";
import { isJsonObject, type JsonValue } from "../../lib/json.ts";
import { toPlainJson } from "../../lib/plain-json.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EventBus } from "../../platform/event-bus.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { DeviceActivity } from "../devices/devices.types.ts";
import type { DomainEvents } from "../events.types.ts";
import type { IngestDevice } from "../ingest/ingest.types.ts";
import type { Principal } from "../users/users.types.ts";
import { invalidScope } from "./attributes.errors.ts";
import type { AttributesRepository } from "./attributes.repository.ts";
import { type AttributeEntry, type AttributeScope, attributeScopes } from "./attributes.types.ts";

const KEY_BYTES_MAX = 256;
const KEYS_PER_REQUEST_MAX = 512;

/** Attributes of devices in three scopes, for people and for the devices themselves. */
export interface AttributesService {
  list(principal: Principal, deviceId: string, scope: string | undefined): AttributeEntry[];
  /** Throws `invalid` unless `values` is an object of names to values. */
  set(principal: Principal, deviceId: string, scope: string, values: unknown): void;
  delete(principal: Principal, deviceId: string, scope: string, key: string): void;
  listKeys(principal: Principal, deviceId: string): string[];
  listTenantKeys(principal: Principal): string[];
  /** What a device reports of itself. */
  setClient(device: IngestDevice, values: unknown): void;
  /** What a device may read: SHARED and its own CLIENT scope; all keys when none are named. */
  read(device: IngestDevice, scope: "SHARED" | "CLIENT", keys?: readonly string[]): AttributeEntry[];
  /** For other parts of the program: one SERVER attribute; null deletes. */
  saveServer(deviceId: DeviceId, key: string, value: JsonValue): void;
}

export function parseScope(scope: string): AttributeScope {
  const known = attributeScopes.find((candidate) => candidate === scope);
  if (known === undefined) throw invalidScope();
  return known;
}

/** Validated values by key: a Map, so that a key like `__proto__` is only a key. */
function checkValues(values: unknown): Map<string, JsonValue> {
  if (!isJsonObject(values))
    throw invalid("attribute.body_invalid", "attributes must be an object of names to values");
  const checked = new Map<string, JsonValue>();
  for (const [key, value] of Object.entries(values)) {
    if (key === "" || Buffer.byteLength(key) > KEY_BYTES_MAX)
      throw invalid("attribute.key_invalid", `attribute names have 1 to ${KEY_BYTES_MAX} bytes`);
    if (value !== undefined) checked.set(key, toPlainJson(value, "attribute"));
  }
  if (checked.size > KEYS_PER_REQUEST_MAX)
    throw invalid("attribute.too_many", `at most ${KEYS_PER_REQUEST_MAX} attributes at once`);
  return checked;
}

/** What the gateway itself knows of a device, as SERVER attributes. */
function activityEntries(activity: DeviceActivity): AttributeEntry[] {
  const updatedAt = new Date(activity.lastActivityAt ?? activity.lastConnectedAt ?? 0).toISOString();
  const entry = (key: string, value: number | boolean | null): AttributeEntry[] =>
    value === null ? [] : [{ key, value, scope: "SERVER", updatedAt }];
  return [
    ...entry("active", activity.active),
    ...entry("inactivityAlarmTime", activity.inactivityAlarmAt),
    ...entry("lastActivityTime", activity.lastActivityAt),
    ...entry("lastConnectTime", activity.lastConnectedAt),
    ...entry("lastDisconnectTime", activity.lastDisconnectedAt),
  ];
}

const activityKeys = new Set([
  "active",
  "inactivityAlarmTime",
  "lastActivityTime",
  "lastConnectTime",
  "lastDisconnectTime",
]);

export function createAttributesService(deps: {
  repository: AttributesRepository;
  devices: Pick<DevicesService, "ensureVisible">;
  activityOf: (deviceId: DeviceId) => DeviceActivity | undefined;
  transact: (work: () => void) => void;
  clock: Clock;
  events: EventBus<DomainEvents>;
}): AttributesService {
  const { repository, devices, clock, events } = deps;

  function save(
    device: { tenantId: Principal["tenantId"]; deviceId: DeviceId },
    scope: AttributeScope,
    given: unknown,
  ): void {
    const values = checkValues(given);
    deps.transact(() => repository.save(device.deviceId, scope, values, clock.now()));
    events.emit("attributes.changed", {
      tenantId: device.tenantId,
      deviceId: device.deviceId,
      scope,
      values: Object.fromEntries(values),
      deleted: [],
    });
  }

  return {
    list(principal, deviceId, scope) {
      const scopes = scope === undefined ? attributeScopes : [parseScope(scope)];
      const id = devices.ensureVisible(principal, deviceId);
      const stored = repository.list(id, scopes);
      const activity = scopes.includes("SERVER") ? deps.activityOf(id) : undefined;
      if (activity === undefined) return stored;
      const own = stored.filter((entry) => entry.scope !== "SERVER" || !activityKeys.has(entry.key));
      return [...own, ...activityEntries(activity)];
    },
    set(principal, deviceId, scope, values) {
      const parsed = parseScope(scope);
      if (
        parsed === "SERVER" &&
        isJsonObject(values) &&
        Object.keys(values).some((key) => activityKeys.has(key))
      )
        throw invalid(
          "attribute.read_only",
          "attributes: what the gateway itself observes (active, last… times) cannot be set",
        );
      save(
        { tenantId: principal.tenantId, deviceId: devices.ensureVisible(principal, deviceId) },
        parsed,
        values,
      );
    },
    delete(principal, deviceId, scope, key) {
      const parsed = parseScope(scope);
      const id = devices.ensureVisible(principal, deviceId);
      if (repository.delete(id, parsed, key))
        events.emit("attributes.changed", {
          tenantId: principal.tenantId,
          deviceId: id,
          scope: parsed,
          values: {},
          deleted: [key],
        });
    },
    listKeys: (principal, deviceId) => repository.listKeys(devices.ensureVisible(principal, deviceId)),
    listTenantKeys: ({ tenantId, devices: visible }) => repository.listTenantKeys(tenantId, visible),
    setClient(device, values) {
      if (!isJsonObject(values))
        throw invalid("attribute.body_invalid", "attributes must be an object of names to values");
      save(device, "CLIENT", values);
    },
    read: (device, scope, keys) =>
      repository.list(device.deviceId, [scope]).filter((entry) => keys?.includes(entry.key) ?? true),
    saveServer(deviceId, key, value) {
      if (value === null) repository.delete(deviceId, "SERVER", key);
      else repository.save(deviceId, "SERVER", new Map([[key, value]]), clock.now());
    },
  };
}
