import { DomainError, detail, inEnglish, invalid, toText } from "../../../lib/core/domain-error.ts";
import type { DeviceId } from "../../../lib/core/ids.ts";
import { GATEWAY_DEVICE_TYPE } from "../../../lib/devices/gateway-device.ts";
import type { JsonValue } from "../../../lib/json/json.ts";
import { isSentence, type Params, type Text } from "../../../lib/texts/text.ts";
import type { EventBus } from "../../../platform/core/event-bus.ts";
import { workShare } from "../../../platform/load/fair-share.ts";
import type { DomainEvents } from "../../events.types.ts";
import type { Principal } from "../../users/users.types.ts";
import { credentialsTypeOf } from "../credentials.types.ts";
import type { DeviceImports } from "../device-imports.ts";
import type { DevicesService } from "../devices.service.ts";
import type { Device, DeviceWithActivity } from "../devices.types.ts";
import type { BulkDevice, BulkRow, RowError } from "./bulk.types.ts";
import { checkRow, duplicates, sameNames, toRowError } from "./bulk-check.ts";
import { BULK_COLUMNS, csvLine } from "./bulk-csv.ts";

const ROWS_MAX = 100_000;
/** Devices per read; unsealing their tokens takes some milliseconds. */
const EXPORT_PAGE = 100;
const SLICE_ROWS = 25;

export interface ImportedRow {
  readonly row: number;
  readonly name: string;
  readonly deviceId?: DeviceId;
  readonly deviceToken?: string;
  readonly error?: string;
  /** Machine-readable form of `error`. */
  readonly field?: string;
  readonly code?: string;
  readonly params?: Params;
}

interface ImportOutcome {
  readonly created: number;
  readonly failed: number;
  readonly rows: readonly ImportedRow[];
}

interface WireRowError extends Text {
  readonly row: number;
  readonly field: string;
  readonly message: string;
}

/** Returns the message of an error. A rule is a full sentence, or continues a sentence that begins with the column. */
const messageOf = ({ field, rule }: RowError): string => {
  const text = inEnglish(rule);
  return isSentence(text) ? text : inEnglish(detail("body.invalid", { field, rule }));
};

/** Converts an error for the API, with its code for clients with their own texts. */
const toWire = (error: RowError): WireRowError => ({
  row: error.row,
  field: error.field,
  message: messageOf(error),
  code: error.rule.code,
  params: error.rule.params,
});

function mistakeOf({ row, field, rule }: RowError): Text {
  const text = inEnglish(rule);
  if (!isSentence(text)) return detail("bulk.mistake_field", { row, field, rule });
  return field === "" || text.includes(`\`${field}\``)
    ? detail("bulk.mistake_row", { row, rule })
    : detail("bulk.mistake_named", { row, field, rule });
}

const isError = (checked: BulkDevice | RowError): checked is RowError => "rule" in checked;

function ensureSize({ length }: readonly BulkRow[]): void {
  if (length === 0) throw invalid("bulk.no_rows");
  if (length > ROWS_MAX) throw invalid("bulk.too_many", { max: ROWS_MAX });
}

/** Returns one entry per refused row, with its first error. */
function refusedRows(rows: readonly BulkRow[], errors: readonly RowError[]): ImportedRow[] {
  const firsts = new Map([...errors].reverse().map((error) => [error.row, error]));
  return [...firsts.values()].map((refused) => {
    const { row, field, message: error, code, params } = toWire(refused);
    const name = rows[row - 1]?.name;
    return { row, name: typeof name === "string" ? name : "", error, field, code, params };
  });
}

function outcomeOf(
  rows: readonly BulkRow[],
  {
    good,
    errors,
    created,
  }: { good: readonly BulkDevice[]; errors: readonly RowError[]; created: readonly Device[] },
): ImportOutcome {
  const imported = created.map(({ deviceId, name, token }, index) => ({
    row: good[index]?.row ?? 0,
    name,
    deviceId,
    deviceToken: token,
  }));
  return {
    created: created.length,
    failed: rows.length - created.length,
    rows: [...imported, ...refusedRows(rows, errors)].sort((a, b) => a.row - b.row),
  };
}

/** Reports a refused or partial import. */
async function reporting(
  events: Pick<EventBus<DomainEvents>, "emit">,
  { tenantId }: Principal,
  work: () => Promise<{ result: ImportOutcome; mistake: Text | undefined }>,
): Promise<ImportOutcome> {
  const report = (fault: Text) => events.emit("fault.occurred", { ...fault, source: "import", tenantId });
  try {
    const { result, mistake } = await work();
    const { created, failed } = result;
    if (mistake !== undefined)
      report(detail("fault.devices_partly_imported", { created, failed, reason: mistake }));
    return result;
  } catch (error) {
    if (error instanceof DomainError) report(detail("fault.devices_not_imported", { reason: toText(error) }));
    throw error;
  }
}

/** Returns the value of a device for a column of the exported list. */
function exportedCell(device: DeviceWithActivity, column: string): unknown {
  if (column === "tags") return device.tags.join(", ");
  if (column === "token" && credentialsTypeOf(device) !== "ACCESS_TOKEN") return "";
  return device[column as keyof typeof device];
}

interface BulkDeps {
  events: Pick<EventBus<DomainEvents>, "emit">;
  devices: DevicesService;
  imports: Pick<DeviceImports, "create">;
  saveAttributes: (
    principal: Principal,
    deviceId: DeviceId,
    scope: "SHARED" | "SERVER",
    values: Readonly<Record<string, JsonValue>>,
  ) => void;
}

/** Creates the bulk operations on devices. */
export function createBulkService(deps: BulkDeps) {
  const { devices } = deps;

  /** Returns the errors that other modules find in a well-formed row. */
  function refusals(principal: Principal, { row, device }: BulkDevice): RowError[] {
    try {
      devices.check(principal, device);
      return [];
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return [toRowError(row, error)];
    }
  }

  /** Checks the rows in slices, so that other work does not wait long. */
  async function check(principal: Principal, rows: readonly BulkRow[]) {
    ensureSize(rows);
    const errors: RowError[] = [];
    const formed: BulkDevice[] = [];
    for (const [index, input] of rows.entries()) {
      if (index % SLICE_ROWS === 0) await workShare.pause();
      const checked = checkRow(index + 1, input);
      if (isError(checked)) errors.push(checked);
      else {
        formed.push(checked);
        errors.push(...refusals(principal, checked));
      }
    }
    errors.push(...duplicates(formed));
    errors.sort((a, b) => a.row - b.row);
    const wrong = new Set(errors.map(({ row }) => row));
    return { good: formed.filter(({ row }) => !wrong.has(row)), errors };
  }

  /** Imports the rows that `isPartial` allows. Returns the result and the first error among the skipped rows. */
  async function importRows(principal: Principal, rows: readonly BulkRow[], isPartial: boolean) {
    const { good, errors } = await check(principal, rows);
    const [first] = errors;
    if (first !== undefined && !isPartial) {
      throw errors.length === 1
        ? invalid("bulk.invalid", { mistake: mistakeOf(first) })
        : invalid("bulk.several_invalid", { mistake: mistakeOf(first), others: errors.length - 1 });
    }
    const created = await deps.imports.create(
      principal,
      good.map(({ device }) => device),
      ({ deviceId }, index) => {
        const { shared, server } = good[index] ?? { shared: {}, server: {} };
        if (Object.keys(shared).length > 0) deps.saveAttributes(principal, deviceId, "SHARED", shared);
        if (Object.keys(server).length > 0) deps.saveAttributes(principal, deviceId, "SERVER", server);
      },
    );
    return { result: outcomeOf(rows, { good, errors, created }), mistake: first && mistakeOf(first) };
  }

  return {
    /** Checks the rows without writing. */
    async validate(
      principal: Principal,
      rows: readonly BulkRow[],
    ): Promise<{ valid: boolean; total: number; errors: WireRowError[]; warnings: WireRowError[] }> {
      const { good, errors } = await check(principal, rows);
      const room = devices.roomFor(principal.tenantId);
      const beyond = room === null ? [] : good.slice(room);
      const limited = beyond.map(({ row }) => ({
        row,
        field: "",
        rule: detail("rule.plan_devices"),
      }));
      const all = [...errors, ...limited];
      const warnings = sameNames(good, devices.listNames(principal.tenantId));
      return {
        valid: all.length === 0,
        total: rows.length,
        errors: all.map(toWire),
        warnings: warnings.map(toWire),
      };
    },
    /**
     * Imports all rows or none; with `isPartial`, only the valid rows. Refused rows are also listed as a fault, because the users who need the
     * devices may not be those who import them. @throws DomainError `invalid` for the first error, `forbidden` beyond the plan
     */
    async import(
      principal: Principal,
      read: () => Promise<readonly BulkRow[]>,
      isPartial: boolean,
    ): Promise<ImportOutcome> {
      return reporting(deps.events, principal, async () => importRows(principal, await read(), isPartial));
    },
    template: (): string =>
      csvLine([
        ...BULK_COLUMNS.filter((column) => column !== "type"),
        "attributes.shared.targetTemperature",
        "attributes.server.inventoryNumber",
      ]) +
      csvLine([
        "Press 4 hydraulics",
        "press",
        "Line 1",
        "line-1, critical",
        ...Array(12).fill(""),
        52.5,
        "DE-4711",
      ]),
    /** Yields a list that can be imported again, without the gateway's own device; with tokens for users who may see them. */
    *export(principal: Principal, withTokens: boolean): Generator<string> {
      const columns = BULK_COLUMNS.filter((column) => column !== "type" && column !== "applyToAllOfType");
      const shown = columns.filter((column) => withTokens || column !== "token");
      yield csvLine(shown);
      for (const page of devices.pages(principal, EXPORT_PAGE)) {
        yield page
          .filter(({ deviceType }) => deviceType !== GATEWAY_DEVICE_TYPE)
          .map((device) => csvLine(shown.map((column) => exportedCell(device, column))))
          .join("");
      }
    },
  };
}

export type BulkService = ReturnType<typeof createBulkService>;
