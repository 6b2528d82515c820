import { readdirSync } from "node:fs";

/** Files beside telemetry.db that hold what was committed and is not in its blocks yet. */
const HOT_LOG = /^telemetry\.db-hot\d+$/;

export const isHotLog = (name: string): boolean => HOT_LOG.test(name);

/** Names of those in a data directory, sorted. */
export const listHotLogs = (dataPath: string): string[] => readdirSync(dataPath).filter(isHotLog).sort();
