import type { TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { DomainError, detail } from "../../../lib/core/domain-error.ts";
import { ruleOf } from "../../../lib/core/schema-rule.ts";
import { UnclearNumber } from "../../../lib/csv/csv-dialect.ts";
import type { JsonValue } from "../../../lib/json/json.ts";
import { toPlainJson } from "../../../lib/json/plain-json.ts";
import { excerpt } from "../../../lib/strings/excerpt.ts";
import type { ErrorCode } from "../../../lib/texts/catalogues.ts";
import { withRole } from "../device-role.ts";
import { bulkDeviceRow } from "../devices.schemas.ts";
import type { NewDevice } from "../devices.types.ts";
import type { BulkDevice, BulkRow, RowError } from "./bulk.types.ts";
import { ATTRIBUTE_COLUMN, BULK_COLUMNS } from "./bulk-csv.ts";

const KEY_BYTES_MAX = 256;
let compiled: TypeCheck<typeof bulkDeviceRow> | undefined;
const stored: ReadonlySet<string> = new Set(BULK_COLUMNS);

interface SplitRow {
  readonly fields: Record<string, unknown>;
  readonly shared: Record<string, JsonValue>;
  readonly server: Record<string, JsonValue>;
}

/** Separates device fields from attributes. The first unknown column is an error. */
function split(row: number, input: BulkRow): SplitRow | RowError {
  const fields: [string, unknown][] = [];
  const attributes: Record<string, [string, JsonValue][]> = { shared: [], server: [] };
  for (const [column, value] of Object.entries(input)) {
    if (value instanceof UnclearNumber) return { row, field: excerpt(column), rule: value.rule };
    const [, scope = "", key = ""] = ATTRIBUTE_COLUMN.exec(column) ?? [];
    if (Buffer.byteLength(key) > KEY_BYTES_MAX)
      return {
        row,
        field: excerpt(column),
        rule: detail("rule.attribute_name_bytes", { max: KEY_BYTES_MAX }),
      };
    if (key !== "") attributes[scope]?.push([key, toPlainJson(value, "attribute")]);
    else if (stored.has(column)) fields.push([column, value]);
    else
      return {
        row,
        field: excerpt(column),
        rule: detail(column === "" ? "rule.too_many_cells" : "rule.column_unknown"),
      };
  }
  const withValues = (entries: [string, JsonValue][] = []) =>
    Object.fromEntries(entries.filter(([, value]) => value !== null));
  return {
    fields: Object.fromEntries(fields),
    shared: withValues(attributes.shared),
    server: withValues(attributes.server),
  };
}

/** Returns the row as a device, or the field and rule of its first error. */
export function checkRow(row: number, input: BulkRow): BulkDevice | RowError {
  try {
    const parts = split(row, input);
    if ("rule" in parts) return parts;
    compiled ??= TypeCompiler.Compile(bulkDeviceRow);
    if (!compiled.Check(parts.fields)) return formError(row, compiled, parts.fields);
    const device = withRole(parts.fields as NewDevice & { type?: NewDevice["role"] }); // just checked
    return { row, device, shared: parts.shared, server: parts.server };
  } catch (error) {
    if (error instanceof DomainError) return toRowError(row, error);
    throw error;
  }
}

/** Columns of errors that do not name their column in a parameter. */
const columnsByCode: Readonly<Record<string, string>> = {
  "credentials.password_reserved": "token",
  "device.child_name_taken": "childName",
  "device.dashboard_unknown": "targetDashboardId",
  "device.dev_eui_taken": "lorawanDevEui",
  "device.gateway_nested": "parentDeviceId",
  "device.parent_invalid": "parentDeviceId",
  "device.profile_unknown": "profileId",
  "device.roles_differ": "type",
  "device.token_taken": "token",
} satisfies Partial<Record<ErrorCode, string>>;

export function toRowError(row: number, { code, params }: DomainError): RowError {
  const field = typeof params.field === "string" ? params.field : (columnsByCode[code] ?? "");
  return { row, field, rule: { code, params } };
}

function formError(row: number, check: TypeCheck<TSchema>, fields: unknown): RowError {
  const first = check.Errors(fields).First();
  const field = first?.path.split("/")[1] ?? "";
  return {
    row,
    field,
    rule: first === undefined ? detail("rule.required") : ruleOf(first, first.value !== undefined),
  };
}

/** Values that must be unique among devices, by column. */
const unique: Readonly<Record<string, (device: NewDevice) => string | undefined>> = {
  token: ({ token }) => token,
  lorawanDevEui: ({ lorawanDevEui }) => lorawanDevEui?.toLowerCase(),
  childName: ({ childName, parentDeviceId }) =>
    childName && parentDeviceId ? `${parentDeviceId} ${childName}` : undefined,
};

/** Returns errors for rows with the same token, dev EUI or child name as an earlier row. */
export function duplicates(rows: readonly BulkDevice[]): RowError[] {
  const errors: RowError[] = [];
  for (const [field, claimOf] of Object.entries(unique)) {
    const seen = new Map<string, number>();
    for (const { row, device } of rows) {
      const value = claimOf(device);
      if (value === undefined) continue;
      const first = seen.get(value);
      if (first === undefined) seen.set(value, row);
      else errors.push({ row, field, rule: detail("rule.same_as_row", { row: first }) });
    }
  }
  return errors;
}

/**
 * Returns errors for rows with an existing name. Equal names are allowed but usually unintended: importing a list twice would create all devices
 * twice.
 */
export function sameNames(rows: readonly BulkDevice[], existing: ReadonlySet<string>): RowError[] {
  const seen = new Map<string, number>();
  return rows.flatMap(({ row, device: { name } }) => {
    const first = seen.get(name);
    if (first === undefined) seen.set(name, row);
    if (existing.has(name)) return [{ row, field: "name", rule: detail("rule.name_exists") }];
    return first === undefined
      ? []
      : [{ row, field: "name", rule: detail("rule.same_as_row", { row: first }) }];
  });
}
