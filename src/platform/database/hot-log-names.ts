import { readdirSync } from "node:fs";

/** Files beside telemetry.db with committed values that are not yet in its blocks. */
const HOT_LOG = /^telemetry\.db-hot\d+$/;

export const isHotLog = (name: string): boolean => HOT_LOG.test(name);

/** Returns the sorted names of hot logs in a data directory. */
export const listHotLogs = (dataPath: string): string[] => readdirSync(dataPath).filter(isHotLog).sort();
