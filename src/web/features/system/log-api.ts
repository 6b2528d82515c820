import type { logLevelBody, logLineBody } from "../../../modules/system/logs.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { get, getPage, load, put, queryOf } from "../../platform/api-client.ts";

export type LogLine = Wire<typeof logLineBody>;
export type LogLevel = LogLine["level"];

/** In increasing order of severity. */
export const LOG_LEVELS: readonly LogLevel[] = ["debug", "info", "warning", "error"];

export interface LogFilter {
  readonly level?: LogLevel | undefined;
  readonly search: string;
}

const BASE = "/api/gateway/logs";
type LevelResponse = Wire<typeof logLevelBody>;

export const logApi = {
  /** The newest matching lines, the newest first. */
  list: (filter: LogFilter, limit: number) => getPage<LogLine>(BASE, { ...filter, limit }),
  /** All matching lines as a text file. */
  download: (filter: LogFilter) => load(`${BASE}/download?${queryOf(filter)}`),
  level: async () => (await get<LevelResponse>(`${BASE}/level`)).level,
  setLevel: async (level: LogLevel) => (await put<LevelResponse>(`${BASE}/level`, { level })).level,
};
