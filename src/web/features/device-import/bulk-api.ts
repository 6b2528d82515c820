import type { Text } from "../../../lib/texts/text.ts";
import { load, postFile } from "../../platform/api-client.ts";

export interface RowError extends Text {
  readonly row: number;
  readonly field: string;
  readonly message: string;
}

export interface Validation {
  readonly valid: boolean;
  readonly total: number;
  readonly errors: readonly RowError[];
  /** Imported all the same. */
  readonly warnings: readonly RowError[];
}

export interface ImportedRow {
  readonly row: number;
  readonly name: string;
  readonly deviceId?: string;
  readonly deviceToken?: string;
  readonly error?: string;
  /** The meaning of `error`. */
  readonly field?: string;
  readonly code?: string;
  readonly params?: Text["params"];
}

export interface ImportResult {
  readonly created: number;
  readonly failed: number;
  readonly rows: readonly ImportedRow[];
}

const BASE = "/api/devices/bulk";

export const bulkApi = {
  validate: (file: Blob) => postFile<Validation>(`${BASE}/validate`, "text/csv", file),
  import: (file: Blob, partial: boolean) =>
    postFile<ImportResult>(`${BASE}/import${partial ? "?partial=true" : ""}`, "text/csv", file),
  template: () => load(`${BASE}/template.csv`),
  export: () => load(`${BASE}/export.csv`),
};
