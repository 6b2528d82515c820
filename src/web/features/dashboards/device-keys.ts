import { telemetryApi } from "../telemetry/telemetry-api.ts";

/** Number of devices whose keys are read one by one; of more, all keys of the site are listed. */
const DEVICES_MAX = 20;

/** Returns the keys of all of the devices, sorted: each key that one of them sends is listed. */
export async function keysOfDevices(
  deviceIds: readonly string[],
  api: Pick<typeof telemetryApi, "keys" | "siteKeys"> = telemetryApi,
): Promise<readonly string[]> {
  if (deviceIds.length > DEVICES_MAX) return (await api.siteKeys()).sort();
  const lists = await Promise.all(deviceIds.map((deviceId) => api.keys(deviceId)));
  return [...new Set(lists.flatMap((list) => list.map(({ key }) => key)))].sort();
}
