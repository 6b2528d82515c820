import { writeNames } from "../../../lib/keys/name-list.ts";
import type { Text } from "../../../lib/texts/text.ts";
import type { Aggregation, LatestSnapshot, Series } from "../../lib/api-types.ts";
import { get, load, post, postFile, queryOf } from "../../platform/api-client.ts";

const device = (id: string): string => `/api/devices/${encodeURIComponent(id)}`;

export interface RangeQuery {
  readonly from: number;
  readonly to: number;
  readonly keys: readonly string[];
  readonly aggregation: Aggregation;
  readonly maxDataPoints: number;
  readonly interval?: string;
  readonly timezone?: string;
}

export interface ImportQuery {
  readonly format: "csv" | "ndjson";
  readonly decimal?: "point" | "comma";
  readonly timezone?: string;
  readonly timeColumn?: string;
  readonly dates?: "day-first" | "month-first";
  readonly skipRows?: number;
  readonly previousTs?: number | undefined;
}

interface ImportResponse {
  readonly rows: number;
  readonly points: number;
  readonly failed: number;
  readonly sameTime: number;
  readonly missing: number;
  readonly timeColumns: readonly string[];
  /** Time of the last CSV row, epoch ms. */
  readonly lastTs?: number;
  /** Time of the newest stored row, epoch ms. */
  readonly newestTs?: number;
  readonly errors: readonly (Text & { row: number; message: string })[];
}

export const telemetryApi = {
  latest: (id: string) => get<LatestSnapshot>(`${device(id)}/telemetry/latest`),
  /** Keys of all devices of the site. */
  siteKeys: async () =>
    (await get<{ key: string }[]>("/api/telemetry/keys?limit=10000")).map(({ key }) => key),
  keysOf: async (deviceIds: readonly string[]) =>
    (await post<{ key: string }[]>("/api/v1/telemetry/keys?limit=10000", { deviceIds })).map(
      ({ key }) => key,
    ),
  keys: (id: string) => get<{ key: string }[]>(`${device(id)}/keys?limit=10000`),
  async range(id: string, query: RangeQuery): Promise<readonly Series[]> {
    const path = `${device(id)}/telemetry/range?${queryOf({ ...query, keys: writeNames(query.keys) })}`;
    return (await get<{ data: { series: Series[] }[] }>(path)).data[0]?.series ?? [];
  },
  exportHistory: (
    id: string,
    query: { format: "csv" | "ndjson"; keys?: string; units?: "true"; from?: number; to?: number },
  ) => load(`${device(id)}/telemetry/export?${queryOf(query)}`),
  importHistory: (id: string, query: ImportQuery, body: Blob) =>
    postFile<ImportResponse>(
      `${device(id)}/telemetry/import?${queryOf(query)}`,
      query.format === "csv" ? "text/csv" : "application/x-ndjson",
      body,
    ),
};
