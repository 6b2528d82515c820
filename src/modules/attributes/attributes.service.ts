import { detail, forbidden, invalid, unavailable } from "../../lib/core/domain-error.ts";
import type { DeviceId } from "../../lib/core/ids.ts";
import { OBSERVED_ATTRIBUTES } from "../../lib/devices/observed-attributes.ts";
import { isJsonObject, type JsonValue } from "../../lib/json/json.ts";
import { NestedValues, toPlainJson } from "../../lib/json/plain-json.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import { PARSED_MAX } from "../../platform/database/parsed-together.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import { Lanes } from "../../platform/load/lanes.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { Waiters } from "../../platform/time/waiters.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { DeviceActivity } from "../devices/devices.types.ts";
import type { DomainEvents } from "../events.types.ts";
import type { IngestDevice } from "../ingest/ingest.types.ts";
import type { Principal } from "../users/users.types.ts";
import type { AttributeChangesRepository, ChangeFilter } from "./attribute-changes.repository.ts";
import { invalidScope } from "./attributes.errors.ts";
import type { AttributesRepository } from "./attributes.repository.ts";
import {
  ATTRIBUTE_SCOPES,
  type AttributeEntry,
  type AttributeHead,
  type AttributeScope,
  type AttributeText,
  type ChangedBy,
  type DesiredState,
  type SharedTexts,
  type SharedUpdate,
} from "./attributes.types.ts";

/** Prefix of SERVER attributes by which integrations find a device. */
const INTEGRATION_PREFIX = "integration.";
const KEY_BYTES_MAX = 256;
const KEYS_PER_REQUEST_MAX = 512;
/** Max. bytes of a value, so that it fits into one MQTT message. Hundreds of earlier values are kept of each attribute. */
const VALUE_BYTES_MAX = 64 * 1024;
/** Max. bytes of values that cannot exceed the limit of a scope, because their number is limited. */
const VALUE_BYTES_SMALL = 1024;

function checkValue(value: unknown, nested: NestedValues): JsonValue {
  nested.add(value);
  const plain = toPlainJson(value, "attribute");
  if (Buffer.byteLength(JSON.stringify(plain)) > VALUE_BYTES_MAX)
    throw invalid("attribute.value_too_large", { max: VALUE_BYTES_MAX / 1024 });
  return plain;
}

/** Returns validated values by key, as a Map so that keys such as `__proto__` are safe. */
function checkValues(values: unknown): Map<string, JsonValue> {
  if (!isJsonObject(values)) throw invalid("attribute.body_invalid");
  const checked = new Map<string, JsonValue>();
  const nested = new NestedValues();
  for (const [key, value] of Object.entries(values)) {
    if (key === "" || Buffer.byteLength(key) > KEY_BYTES_MAX)
      throw invalid("attribute.key_invalid", { max: KEY_BYTES_MAX });
    if (value !== undefined) checked.set(key, checkValue(value, nested));
    if (checked.size > KEYS_PER_REQUEST_MAX)
      throw invalid("attribute.too_many", { max: KEYS_PER_REQUEST_MAX });
  }
  return checked;
}

/** Returns whether the size limit of a scope must be checked. */
function hasLarge(values: ReadonlyMap<string, JsonValue>): boolean {
  for (const value of values.values()) {
    const characters = typeof value === "string" ? value.length : JSON.stringify(value).length;
    if (characters > VALUE_BYTES_SMALL / 3) return true;
  }
  return false;
}

const valueIn = (text: string) => JSON.parse(text) as JsonValue; // written by the repository

/** Compares two values independently of key order. */
const isSame = (left: string, right: string): boolean =>
  left === right || Bun.deepEquals(JSON.parse(left), JSON.parse(right));

/** Compares SHARED with CLIENT attributes. */
async function comparedWith(repository: AttributesRepository, deviceId: DeviceId) {
  function compare(key: string) {
    const [wanted] = repository.texts(deviceId, "SHARED", [key]);
    const [response] = repository.texts(deviceId, "CLIENT", [key]);
    if (wanted === undefined) return undefined;
    if (response === undefined) return { state: "NOT_REPORTED", wanted, response } as const;
    return { state: isSame(wanted.text, response.text) ? "IN_SYNC" : "DIFFERENT", wanted, response } as const;
  }

  const keys: Array<Pick<DesiredState, "key" | "state">> = [];
  for (const { key } of repository.heads(deviceId, ["SHARED"])) {
    const compared = compare(key);
    if (compared !== undefined) keys.push({ key, state: compared.state });
    await workShare.pause();
  }
  return {
    keys,
    read({ key }: { readonly key: string }): DesiredState | undefined {
      const compared = compare(key);
      if (compared === undefined) return undefined;
      const { state, wanted, response } = compared;
      return {
        key,
        desired: valueIn(wanted.text),
        desiredAt: wanted.updatedAt,
        ...(response && { reported: valueIn(response.text), reportedAt: response.updatedAt }),
        state,
      };
    },
  };
}

/** Requests of a tenant that wait until long attributes are parsed for them. */
const WAITING_MAX = 100;

/** Creates the reader of attributes for devices. */
function createReader(repository: AttributesRepository) {
  /** Long values take many times their room when they are parsed. */
  const parsing = new Lanes(1);

  function readEach<Value>(
    { tenantId, deviceId }: Pick<IngestDevice, "tenantId" | "deviceId">,
    { scope, keys }: { readonly scope: "SHARED" | "CLIENT"; readonly keys: readonly string[] | undefined },
    convert: (text: string) => Value,
  ): Promise<Array<[key: string, value: Value]>> {
    const sizes = repository.sizes(deviceId, scope, keys);
    if (sizes.reduce((sum, { bytes }) => sum + bytes, 0) <= PARSED_MAX) {
      const texts = repository.texts(deviceId, scope, keys);
      return Promise.resolve(texts.map(({ key, text }): [string, Value] => [key, convert(text)]));
    }
    if (parsing.waiting(tenantId) >= WAITING_MAX) return Promise.reject(unavailable("response.unread"));
    return parsing.run(tenantId, async () => {
      const values: Array<[string, Value]> = [];
      for (const { key } of sizes) {
        // A value is read when its turn has come, and may be deleted by then.
        for (const { text } of repository.texts(deviceId, scope, [key])) values.push([key, convert(text)]);
        await workShare.pause();
      }
      return values;
    });
  }

  return { parsing, readEach };
}

const KEYS_PER_SCOPE_MAX = 2_000;
/** Max. bytes of all values of a scope, so that a device cannot fill the disk with attributes. */
const BYTES_PER_SCOPE_MAX = 4 * 1024 * 1024;

const byGateway: ChangedBy = { source: "SYSTEM", by: null };
const byDevice: ChangedBy = { source: "DEVICE", by: null };
const byCaller = ({ apiKey, email }: Principal): ChangedBy => ({ source: "USER", by: apiKey?.name ?? email });

export function parseScope(scope: string): AttributeScope {
  const attributeScope = ATTRIBUTE_SCOPES.find((candidate) => candidate === scope);
  if (attributeScope === undefined) throw invalidScope();
  return attributeScope;
}

/** Returns the gateway's own data on a device, as SERVER attributes. */
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

/** Collects keys, letting other requests run in between. */
async function sortedKeys(steps: Iterable<readonly string[]>): Promise<string[]> {
  const keys = new Set<string>();
  for (const step of steps) {
    for (const key of step) keys.add(key);
    const turn = workShare.pause();
    if (turn !== undefined) await turn;
  }
  return [...keys].sort();
}

/** Creates the service for attributes in three scopes, used by users and devices. */
export function createAttributesService(deps: {
  repository: AttributesRepository;
  changes: AttributeChangesRepository;
  devices: Pick<DevicesService, "ensureVisible">;
  activityOf: (deviceId: DeviceId) => DeviceActivity | undefined;
  transact: (work: () => void) => void;
  clock: Clock;
  events: EventBus<DomainEvents>;
}) {
  const { repository, changes, devices, clock, events } = deps;
  const { parsing, readEach } = createReader(repository);
  /** Devices waiting for changes of their SHARED attributes. */
  const polls = new Waiters<DeviceId, true>(clock);
  events.on("attributes.changed", ({ deviceId, scope }) => {
    if (scope === "SHARED") polls.resolveAll(deviceId, true);
  });
  events.on("device.deleted", ({ deviceId }) => polls.resolveAll(deviceId, undefined));

  function save(
    device: { tenantId: Principal["tenantId"]; deviceId: DeviceId },
    scope: AttributeScope,
    { given, by }: { given: unknown; by: ChangedBy },
  ): void {
    const values = checkValues(given);
    const now = clock.now();
    deps.transact(() => {
      const isNew = changes.record({ deviceId: device.deviceId, scope }, values, { ...by, at: now });
      repository.save(device.deviceId, scope, values, now);
      if (isNew && repository.count(device.deviceId, scope) > KEYS_PER_SCOPE_MAX)
        throw invalid("attribute.too_many_kept", { max: KEYS_PER_SCOPE_MAX });
      if (hasLarge(values) && repository.countBytes(device.deviceId, scope) > BYTES_PER_SCOPE_MAX)
        throw invalid("attribute.too_large_together", { max: BYTES_PER_SCOPE_MAX / 1024 / 1024 });
    });
    events.emit("attributes.changed", {
      tenantId: device.tenantId,
      deviceId: device.deviceId,
      scope,
      values: Object.fromEntries(values),
      deleted: [],
    });
  }

  /** Returns `true` if the attribute existed. */
  function remove(
    deviceId: DeviceId,
    scope: AttributeScope,
    { key, by }: { key: string; by: ChangedBy },
  ): boolean {
    let deleted = false;
    deps.transact(() => {
      changes.record({ deviceId, scope }, new Map([[key, undefined]]), { ...by, at: clock.now() });
      deleted = repository.delete(deviceId, scope, key);
    });
    return deleted;
  }

  function sharedTexts(deviceId: DeviceId, since: number): SharedTexts | undefined {
    const found = changes.lastSince(deviceId, "SHARED", since);
    if (found.length === 0) return undefined;
    return {
      changeId: found.reduce((newest, { changeId }) => Math.max(newest, changeId), 0),
      values: found.flatMap(({ key, text }) => (text === null ? [] : [{ key, text }])),
      deleted: found.flatMap(({ key, text }) => (text === null ? [key] : [])),
    };
  }

  /** Returns the same changes with their values, for one device of a tenant after the other. */
  const sharedSince = (
    { tenantId, deviceId }: Pick<IngestDevice, "tenantId" | "deviceId">,
    since: number,
  ): Promise<SharedUpdate | undefined> =>
    parsing.run(tenantId, async () => {
      const update = sharedTexts(deviceId, since);
      if (update === undefined) return undefined;
      const values = new Map<string, JsonValue>();
      for (const { key, text } of update.values) {
        values.set(key, valueIn(text));
        await workShare.pause();
      }
      return { ...update, values };
    });

  return {
    list(principal: Principal, deviceId: string, scope: string | undefined) {
      const scopes = scope === undefined ? ATTRIBUTE_SCOPES : [parseScope(scope)];
      const id = devices.ensureVisible(principal, deviceId);
      const stored = repository.heads(id, scopes);
      const activity = scopes.includes("SERVER") ? deps.activityOf(id) : undefined;
      const observed = activity === undefined ? [] : activityEntries(activity);
      const own =
        activity === undefined
          ? stored
          : stored.filter((head) => head.scope !== "SERVER" || !OBSERVED_ATTRIBUTES.has(head.key));
      return {
        keys: [...own, ...observed],
        read(head: AttributeHead): AttributeEntry | undefined {
          const isObserved = head.scope === "SERVER" && activity !== undefined;
          const value = isObserved ? observed.find(({ key }) => key === head.key)?.value : undefined;
          const { key, scope, updatedAt } = head;
          const shown = value ?? repository.value(id, scope, { key });
          return shown === undefined ? undefined : { key, value: shown, scope, updatedAt };
        },
      };
    },
    /** Returns the values of named attributes that exist, by name. */
    named(principal: Principal, deviceId: string, scope: string, keys: readonly string[]) {
      const id = devices.ensureVisible(principal, deviceId);
      const texts = repository.texts(id, parseScope(scope), keys);
      return Object.fromEntries(texts.map(({ key, text }) => [key, valueIn(text)]));
    },
    /**
     * @throws DomainError `invalid` unless `values` is an object; `forbidden` without access to all devices, if integrations would find the device
     * by them: its user could receive the values of another device
     */
    set(principal: Principal, deviceId: string, scope: string, values: unknown): void {
      const parsed = parseScope(scope);
      const keys = parsed === "SERVER" && isJsonObject(values) ? Object.keys(values) : [];
      if (keys.some((key) => OBSERVED_ATTRIBUTES.has(key))) throw invalid("attribute.read_only");
      const id = devices.ensureVisible(principal, deviceId);
      if (principal.devices !== "all" && keys.some((key) => key.startsWith(INTEGRATION_PREFIX)))
        throw forbidden("device.not_granted", { action: detail("action.link_to_integration") });
      save({ tenantId: principal.tenantId, deviceId: id }, parsed, {
        given: values,
        by: byCaller(principal),
      });
    },
    delete(principal: Principal, deviceId: string, scope: string, key: string): void {
      const parsed = parseScope(scope);
      const id = devices.ensureVisible(principal, deviceId);
      if (remove(id, parsed, { key, by: byCaller(principal) }))
        events.emit("attributes.changed", {
          tenantId: principal.tenantId,
          deviceId: id,
          scope: parsed,
          values: {},
          deleted: [key],
        });
    },
    listKeys: (principal: Principal, deviceId: string): string[] =>
      repository.listKeys(devices.ensureVisible(principal, deviceId)),
    listTenantKeys: ({ tenantId, devices: visible }: Principal): Promise<string[]> =>
      sortedKeys(repository.tenantKeys(tenantId, visible)),
    /** Returns changes of attributes with their authors, newest first. */
    listChanges(
      principal: Principal,
      deviceId: string,
      {
        limit,
        offset,
        scope,
        ...rest
      }: Omit<ChangeFilter, "scope"> & { scope?: string | undefined; limit: number; offset: number },
    ) {
      const id = devices.ensureVisible(principal, deviceId);
      const filter = { scope: scope === undefined ? undefined : parseScope(scope), ...rest };
      const keys = changes.ids(id, { ...filter, limit, offset });
      return { keys, read: changes.find, total: changes.count(id, filter) };
    },
    /** Compares the desired attributes of a device with those it reports. */
    readDesired: (principal: Principal, deviceId: string) =>
      comparedWith(repository, devices.ensureVisible(principal, deviceId)),
    /**
     * Returns the changes of a device's SHARED attributes after the change `since`, waiting for one if necessary; undefined after `ms`. Without
     * `since`, only future changes count.
     */
    async nextShared(
      { deviceId }: IngestDevice,
      since: number | undefined,
      { ms, signal }: { ms: number; signal: AbortSignal },
    ): Promise<SharedTexts | undefined> {
      const from = since ?? changes.newestId(deviceId);
      return (
        sharedTexts(deviceId, from) ??
        ((await polls.wait(deviceId, ms, signal)) && sharedTexts(deviceId, from))
      );
    },
    sharedSince,
    /** Returns a `since` for `nextShared`, to be read before the attributes. */
    newestChange: ({ deviceId }: IngestDevice): number => changes.newestId(deviceId),
    /** Ends all waiting requests. */
    stop: (): void => polls.endAll(),
    /** Sets attributes that a device reports about itself. */
    setClient(device: IngestDevice, values: unknown): void {
      if (!isJsonObject(values)) throw invalid("attribute.body_invalid");
      save(device, "CLIENT", { given: values, by: byDevice });
    },
    /** Returns the attributes that a device may read, not parsed: SHARED and its own CLIENT scope; all keys if none are named. */
    readTexts: (
      { deviceId }: IngestDevice,
      scope: "SHARED" | "CLIENT",
      keys?: readonly string[],
    ): AttributeText[] => repository.texts(deviceId, scope, keys),
    /**
     * Returns the names of the same attributes, and their stored JSON texts as converted by `convert`. Long ones are converted for one request of a
     * tenant after the other, a little in each turn.
     * @throws DomainError `unavailable` while too many requests wait
     */
    readEach,
    /** Sets attributes that other modules derive from telemetry. */
    setFor: (device: IngestDevice, scope: AttributeScope, values: ReadonlyMap<string, JsonValue>): void =>
      save(device, scope, { given: Object.fromEntries(values), by: byGateway }),
    /** Returns `undefined` for an unknown scope or a missing attribute. `onText` is called with the characters of the JSON before it is parsed. */
    valueOf(
      deviceId: DeviceId,
      scope: string,
      key: string,
      onText?: (characters: number) => void,
    ): JsonValue | undefined {
      const attributeScope = ATTRIBUTE_SCOPES.find((candidate) => candidate === scope);
      return attributeScope && repository.value(deviceId, attributeScope, { key, onText });
    },
    /** Saves one SERVER attribute for other modules; `null` deletes it. */
    saveServer(deviceId: DeviceId, key: string, value: JsonValue): void {
      if (value === null) remove(deviceId, "SERVER", { key, by: byGateway });
      else {
        const now = clock.now();
        changes.record({ deviceId, scope: "SERVER" }, new Map([[key, value]]), { ...byGateway, at: now });
        repository.save(deviceId, "SERVER", new Map([[key, value]]), now);
      }
    },
  };
}

export type AttributesService = ReturnType<typeof createAttributesService>;
