import { conflict } from "../lib/core/domain-error.ts";
import { takeGatewayLock } from "../platform/files/gateway-lock.ts";

/**
 * Works on the data directory of a stopped gateway, and prevents its start meanwhile. New files are private, like those of the gateway.
 * @throws DomainError `backup.gateway_running`
 */
export function withStoppedGateway<Result>(dataPath: string, work: () => Result): Result {
  process.umask(0o077);
  const lock = takeGatewayLock(dataPath);
  if (lock === undefined) throw conflict("backup.gateway_running", { path: dataPath });
  try {
    return work();
  } finally {
    lock.release();
  }
}
