import { DomainError } from "../../lib/core/domain-error.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import type { Text } from "../../lib/texts/text.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import type { AuditContext } from "../audit/audit.types.ts";

interface BulkFailure extends Text {
  readonly deviceId: string;
  readonly error: string;
}

export interface BulkResult {
  readonly succeeded: number;
  readonly failed: BulkFailure[];
}

/**
 * Does the work for each device, `atOnce` devices at a time, which share a commit if the work waits for one. A failure for one device does not
 * affect the others.
 */
export async function forEachDevice(
  deviceIds: readonly string[],
  work: (deviceId: string) => unknown,
  atOnce = 1,
): Promise<BulkResult> {
  const failed: BulkFailure[] = [];
  const unique = [...new Set(deviceIds)];
  for (let start = 0; start < unique.length; start += atOnce) {
    await workShare.pause();
    const devices = unique.slice(start, start + atOnce);
    const failures = await Promise.all(devices.map((deviceId) => failureOf(deviceId, work)));
    failed.push(...failures.filter((failure) => failure !== undefined));
  }
  return { succeeded: unique.length - failed.length, failed };
}

async function failureOf(
  deviceId: string,
  work: (deviceId: string) => unknown,
): Promise<BulkFailure | undefined> {
  try {
    await work(deviceId);
    return undefined;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { deviceId, error: error.message, code: error.code, params: error.params };
  }
}

/** Returns the devices of a bulk request for the audit log: before the request the named ones, after it the changed ones. */
export function bulkTargets({ body, response }: AuditContext): string[] {
  const { deviceIds } = body as { deviceIds: readonly string[] }; // checked by the route's schema
  const failed = isJsonObject(response) ? (response as unknown as BulkResult).failed : []; // the response of `forEachDevice`
  const failedIds = new Set(failed.map(({ deviceId }) => deviceId));
  return [...new Set(deviceIds)].filter((deviceId) => !failedIds.has(deviceId));
}
