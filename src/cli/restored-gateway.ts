import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type App, createApp } from "../app.ts";
import { type RestoreReport, restore } from "../modules/backups/restore-job.ts";
import type { BackupTarget } from "../modules/backups/snapshot.types.ts";
import { defaultConfig } from "../platform/config/config.ts";
import { acceptFiles, DATABASE_FILES } from "../platform/files/inventory.ts";
import { StartupError } from "../platform/process/startup-error.ts";
import { type ApiClient, createApiClient } from "./api-client.ts";
import { cleanUpAfter } from "./clean-up-after.ts";
import { tenantOf } from "./user-store.ts";

/** Base URL of requests to the app without a network. */
const URL_WITHOUT_NETWORK = "http://localhost";

/** Calls `work` with a folder that only this user can open. Removes the folder when the work ends or fails, and on a signal. */
export async function withPrivateFolder<Result>(work: (path: string) => Promise<Result>): Promise<Result> {
  const path = mkdtempSync(join(tmpdir(), "lineside-"));
  const remove = () => rmSync(path, { recursive: true, force: true });
  return cleanUpAfter(remove, () => work(path));
}

export interface RestoredGatewayJob {
  readonly passphrase: string | undefined;
  /** Undefined for the newest snapshot. */
  readonly snapshot: string | undefined;
  /** Name or id of the tenant; undefined for the only tenant. */
  readonly tenant: string | undefined;
}

/**
 * Calls `work` with the API of the gateway in a backup, as an owner of the tenant. The gateway is created from the configuration in the backup and
 * never started: it opens no port, runs no jobs and sends nothing.
 */
export const withRestoredGateway = <Result>(
  target: BackupTarget,
  { tenant, ...job }: RestoredGatewayJob,
  work: (api: ApiClient, report: RestoreReport) => Promise<Result>,
): Promise<Result> =>
  withPrivateFolder(async (dataPath) => {
    const umask = process.umask();
    try {
      const report = await restore(target, { ...job, dataPath, only: ["lineside", "identity"] });
      acceptFiles(dataPath, DATABASE_FILES); // telemetry and sessions begin empty here
      const app = createApp(defaultConfig({ data: dataPath }));
      try {
        return await work(await clientOf(app, tenant), report);
      } finally {
        await app.stop();
      }
    } finally {
      process.umask(umask); // what is exported has no secrets
    }
  });

/** @throws StartupError if the backup does not contain the tenant, or the tenant has no active owner */
async function clientOf({ services, http }: App, named: string | undefined): Promise<ApiClient> {
  const { tenants, users, sessions, identity } = services;
  if (tenants.list().length === 0)
    throw new StartupError("The backup is of a gateway that has no tenants yet.");
  const { tenantId, name } = tenantOf({ tenants }, named);
  const owner = users
    .listOf(tenantId)
    .find(
      ({ role, status, hasGlobalDeviceAccess }) =>
        role === "TENANT_OWNER" && status === "ACTIVE" && hasGlobalDeviceAccess,
    );
  if (owner === undefined)
    throw new StartupError(`The tenant ${JSON.stringify(name)} has no active owner in the backup.`);
  const session = sessions.start(owner.userId, { address: "local", userAgent: "" });
  const { accessToken: token } = await identity.refresh(session);
  return createApiClient({
    url: URL_WITHOUT_NETWORK,
    request: async (url, init) => http.handle(new Request(url, init)),
    token,
  });
}
