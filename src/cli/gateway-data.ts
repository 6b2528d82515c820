import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { StartupError } from "../platform/process/startup-error.ts";

export const noGatewayData = (dataPath: string): StartupError =>
  new StartupError(
    `There is no gateway data in ${resolve(dataPath)}. Set the data directory with --data or LINESIDE_DATA.`,
  );

/** @throws StartupError if the data directory has no main database */
export function ensureGatewayData(dataPath: string): void {
  if (statSync(join(dataPath, "lineside.db"), { throwIfNoEntry: false }) === undefined)
    throw noGatewayData(dataPath);
}
