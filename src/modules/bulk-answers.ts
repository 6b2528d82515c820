import { DomainError } from "../lib/domain-error.ts";
import { isJsonObject } from "../lib/json.ts";
import type { Text } from "../lib/texts/text.ts";
import type { AuditContext } from "./audit/audit.types.ts";

interface BulkFailure extends Text {
  readonly deviceId: string;
  readonly error: string;
}

export interface BulkResult {
  readonly succeeded: number;
  readonly failed: BulkFailure[];
}

/** Does the work for each device, one after the other. A device for which it fails does not keep it from the others. */
export async function forEachDevice(
  deviceIds: readonly string[],
  work: (deviceId: string) => unknown,
): Promise<BulkResult> {
  const failed: BulkFailure[] = [];
  const unique = new Set(deviceIds);
  for (const deviceId of unique) {
    await new Promise((resolve) => setImmediate(resolve)); // other requests come in between
    try {
      await work(deviceId);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      failed.push({ deviceId, error: error.message, code: error.code, params: error.params });
    }
  }
  return { succeeded: unique.size - failed.length, failed };
}

/** Returns the devices of a bulk request for the audit log: those that it names, or after it those that it changed. */
export function bulkTargets({ body, response }: AuditContext): string[] {
  const { deviceIds } = body as { deviceIds: readonly string[] }; // checked by the route's schema
  const failed = isJsonObject(response) ? (response as unknown as BulkResult).failed : []; // the answer of `forEachDevice`
  const failedIds = new Set(failed.map(({ deviceId }) => deviceId));
  return [...new Set(deviceIds)].filter((deviceId) => !failedIds.has(deviceId));
}
