import type { importResult, validationBody } from "../../../modules/devices/bulk/bulk.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { load, postFile } from "../../platform/api-client.ts";

export type Validation = Wire<typeof validationBody>;
export type RowError = Validation["errors"][number];
export type ImportResult = Wire<typeof importResult>;
export type ImportedRow = ImportResult["rows"][number];

const BASE = "/api/devices/bulk";

export const bulkApi = {
  validate: (file: Blob) => postFile<Validation>(`${BASE}/validate`, "text/csv", file),
  import: (file: Blob, partial: boolean) =>
    postFile<ImportResult>(`${BASE}/import${partial ? "?partial=true" : ""}`, "text/csv", file),
  template: () => load(`${BASE}/template.csv`),
  export: () => load(`${BASE}/export.csv`),
};
