import { DomainError } from "../../lib/core/domain-error.ts";
import type { DeviceId } from "../../lib/core/ids.ts";
import { iso } from "../../lib/time/iso-time.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { DeviceActivity } from "../devices/devices.types.ts";
import type { TelemetryStore } from "../telemetry/store/store.types.ts";
import { type LatestJson, latestMembers } from "../telemetry/telemetry.types.ts";
import type { Principal } from "../users/users.types.ts";
import type { DeviceState, Subscription } from "./realtime.types.ts";

/** Devices of the first and of further reads of newest values; limited because the read values wait with the message while a reader is slow. */
const DEVICES_PER_READ = { first: 8, max: 100 };
/** Characters after which a message ends; a device's values are never split. */
const MESSAGE_CHARACTERS = 128 * 1024;
const SNAPSHOT_DEVICES_MAX = 10_000;

interface SnapshotSources {
  readonly devices: Pick<DevicesService, "get" | "listVisibleIds">;
  readonly activityOf: (deviceId: DeviceId) => DeviceActivity | undefined;
  readonly store: Pick<TelemetryStore, "latestJson">;
}

/** Reads newest values as JSON by device, together for devices with the same keys. Returns the first devices whose values fit, at least one. */
async function latestOf(
  { store }: SnapshotSources,
  asked: readonly DeviceId[],
  { topics, keys: wanted }: Pick<Subscription, "topics" | "keys">,
): Promise<{ readonly ids: readonly DeviceId[]; readonly latest: ReadonlyMap<DeviceId, LatestJson> }> {
  if (!topics.has("telemetry")) return { ids: asked, latest: new Map() };
  const groups = Map.groupBy(asked, (deviceId) => wanted.of(deviceId));
  const found = [...groups].map(([keys, members]) => store.latestJson(members, keys && [...keys]));
  const latest = new Map((await Promise.all(found)).flatMap((texts) => [...texts]));
  const end = asked.findIndex((deviceId, index) => index > 0 && !latest.has(deviceId));
  return { ids: end === -1 ? asked : asked.slice(0, end), latest };
}

/** Returns the state of a device; `undefined` if it was deleted meanwhile. */
function stateOf(
  { devices, activityOf }: SnapshotSources,
  principal: Principal,
  deviceId: DeviceId,
): DeviceState | undefined {
  try {
    const { active, lastActivityAt } = activityOf(deviceId) ?? devices.get(principal, deviceId).activity;
    return { deviceId, active, lastActivityAt: iso(lastActivityAt) };
  } catch (error) {
    if (error instanceof DomainError && error.kind === "not_found") return undefined;
    throw error;
  }
}

/** Message being written. */
class Message {
  readonly #id: string;
  readonly #telemetry: string[] = [];
  readonly #devices: string[] = [];
  #characters = 0;

  constructor(id: string) {
    this.#id = id;
  }

  get isFull(): boolean {
    return this.#characters >= MESSAGE_CHARACTERS;
  }

  add(state: DeviceState, latest: LatestJson | undefined): void {
    const device = JSON.stringify(state);
    this.#devices.push(device);
    this.#characters += device.length;
    if (latest === undefined) return;
    const telemetry = `{"deviceId":${JSON.stringify(state.deviceId)},${latestMembers(latest)}}`;
    this.#telemetry.push(telemetry);
    this.#characters += telemetry.length;
  }

  text(hasMore: boolean): string {
    const more = hasMore ? ',"more":true' : "";
    return `{"type":"snapshot","id":${JSON.stringify(this.#id)},"telemetry":[${this.#telemetry.join()}],"devices":[${this.#devices.join()}]${more}}`;
  }
}

/**
 * Returns the devices whose state is included in a subscription's snapshot. Events, alarms and attributes need none, because the states of all
 * devices can be a megabyte.
 */
function shownDevices(
  { devices }: SnapshotSources,
  principal: Principal,
  { topics, deviceIds }: Pick<Subscription, "topics" | "deviceIds">,
): DeviceId[] {
  if (!topics.has("devices") && !topics.has("telemetry")) return [];
  return [...(deviceIds ?? devices.listVisibleIds(principal).slice(0, SNAPSHOT_DEVICES_MAX))];
}

/** Yields the messages of a snapshot, each read only after the previous one has been sent. */
export async function* snapshotMessages(
  sources: SnapshotSources,
  principal: Principal,
  { id, topics, deviceIds, keys }: Subscription,
): AsyncGenerator<string> {
  // Screens that come back subscribe together, and each list of all devices takes some 10 ms.
  const turn = workShare.pause();
  if (turn !== undefined) await turn; // with time left, the next subscription must not get it as well
  const wanted = shownDevices(sources, principal, { topics, deviceIds });
  let message = new Message(id);
  let count = DEVICES_PER_READ.first;
  for (let from = 0; from < wanted.length; ) {
    const { ids, latest } = await latestOf(sources, wanted.slice(from, from + count), { topics, keys });
    from += ids.length;
    let messages = 0;
    for (const deviceId of ids) {
      await workShare.pause();
      const state = stateOf(sources, principal, deviceId);
      if (state === undefined) continue;
      if (message.isFull) {
        messages++;
        yield message.text(true);
        message = new Message(id);
      }
      message.add(state, latest.get(deviceId));
    }
    count = messages === 0 ? Math.min(2 * count, DEVICES_PER_READ.max) : Math.ceil(count / messages);
  }
  yield message.text(false);
}
