import type { DeviceId } from "../../lib/core/ids.ts";
import { SERVER_LEVEL } from "../../lib/mqtt/reserved-topics.ts";

const PREFIX = `${SERVER_LEVEL}/devices/`;
const KINDS = ["telemetry", "attributes", "alarms", "state"] as const;
export type ApplicationTopic = (typeof KINDS)[number];

export const topicFor = (deviceId: DeviceId, kind: ApplicationTopic) => `${PREFIX}${deviceId}/${kind}`;

/** Returns the device (undefined for all) and the kinds of messages of a filter; undefined if the filter cannot match anything. */
export function readFilter(
  filter: string,
): { readonly deviceId: DeviceId | undefined; readonly kinds: readonly ApplicationTopic[] } | undefined {
  if (!filter.startsWith(PREFIX)) return undefined;
  const [device = "", kind, ...more] = filter.slice(PREFIX.length).split("/");
  if (more.length > 0)
    return more.length === 1 && more[0] === "#" && isKind(kind) ? asked(device, [kind]) : undefined;
  if (device === "#") return kind === undefined ? { deviceId: undefined, kinds: KINDS } : undefined;
  if (kind === "+" || kind === "#") return asked(device, KINDS);
  return isKind(kind) ? asked(device, [kind]) : undefined;
}

const isKind = (text: string | undefined): text is ApplicationTopic => KINDS.some((kind) => kind === text);

const asked = (device: string, of: readonly ApplicationTopic[]) => ({
  deviceId: device === "+" ? undefined : (device as DeviceId), // looked up before it is used
  kinds: of,
});
