import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import type { JsonValue } from "../../lib/json/json.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { NewFields } from "../../platform/database/resource-store.ts";
import type { OutboundRule } from "../../platform/network/outbound-address.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { FieldErrors } from "./field.errors.ts";
import type {
  FieldConnection,
  FieldEntry,
  FieldLine,
  FieldProtocolName,
  FieldUnit,
  FieldValue,
} from "./field.types.ts";

/** Types of one protocol. The base passes them on and looks only at the fields that all protocols have. */
export interface FieldKind {
  readonly connection: FieldConnection;
  readonly unit: FieldUnit;
  readonly entry: FieldEntry;
  readonly line: FieldLine;
  /** Bodies of requests. */
  readonly create: object;
  readonly update: object;
  readonly createUnit: { readonly deviceId: string };
  readonly updateUnit: object;
}

/** One request to the device, and the entries whose values its answer has. */
export interface FieldBlock<Kind extends FieldKind> {
  readonly entries: readonly Kind["entry"][];
  /** @throws Error whose meaning `failureOf` knows */
  read(line: Kind["line"]): Promise<BlockRead<Kind["entry"]>>;
  /** Entries whose changes the device reports, so that a read only fetches what has come. */
  readonly reported?: number;
}

/** Values of an entry in the order of its keys, `undefined` where the device has none, and the time that the device says, epoch ms. */
export type EntryRead<Entry> = readonly [
  entry: Entry,
  values: readonly (FieldValue | undefined)[],
  sampledAt?: number | undefined,
];

export interface BlockRead<Entry> {
  /** Values in the order in which the device had them. An entry that is not among them, nor refused, stands as it was read before. */
  readonly values: readonly EntryRead<Entry>[];
  /** Entries that the device refuses, with its error codes, if it has read others. */
  readonly refused?: ReadonlyMap<Entry, number>;
  /** What the device says about entries that it has read: that their values are missing, or not those of the plant. */
  readonly notes?: ReadonlyMap<Entry, Text>;
}

/** What an error of a read or write means. */
export interface FieldFailure {
  readonly text: Text;
  /** The device did not answer: it may be switched off, and asking it takes the time of the others. */
  readonly isSilence?: boolean;
  /** The device itself answered with an error. */
  readonly isAnswer?: boolean;
  /** The device refuses the user or password: it may lock the user if it is asked again soon. */
  readonly isUserRefused?: boolean;
  /** Error code by which the device refuses the entries of the request; a request for fewer of them may succeed. */
  readonly refusal?: number;
}

export interface OpenOptions {
  readonly addresses: Pick<OutboundRule, "resolve">;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Fields of a new unit that the base sets. */
export type UnitBase = Omit<FieldUnit, "intervalMs"> & {
  readonly unitId: string;
  readonly deviceId: DeviceId;
};

/** What a protocol brings: everything else of a connection is in this module. */
export interface FieldProtocol<Kind extends FieldKind> {
  readonly name: FieldProtocolName;
  /** Name for people, in logs and sources of values. */
  readonly label: string;
  readonly errors: FieldErrors;
  /** @throws Error of the network; DomainError for an address that is not allowed */
  open(connection: Kind["connection"], options: OpenOptions): Promise<Kind["line"]>;
  /** Where a connection leads, for its faults. */
  whereOf(connection: Kind["connection"]): string;
  unitIdOf(unit: Kind["unit"]): string;
  entriesOf(unit: Kind["unit"]): readonly Kind["entry"][];
  /** Name of the unit within its connection, for its faults, where units have one. */
  unitNameOf?(unit: Kind["unit"]): string;
  /** Telemetry keys of an entry. */
  keysOf(entry: Kind["entry"]): readonly string[];
  /** Returns the fewest requests that read the entries. */
  plan(
    unit: Kind["unit"],
    entries: readonly Kind["entry"][],
    connection: Kind["connection"],
  ): readonly FieldBlock<Kind>[];
  /** Returns the name under which a connection reports changes of the entry; undefined for an entry whose changes it does not report. */
  changeOf?(entry: Kind["entry"]): string | undefined;
  failureOf(error: unknown): FieldFailure;
  refusedText(key: string, code: number): Text;
  /**
   * Returns the writing of a value: it resolves to an object with the key and the value that was read back.
   * @throws DomainError `invalid` for a value that the entry cannot have
   */
  writing(
    unit: Kind["unit"],
    entry: Kind["entry"],
    setting: { readonly name: string; readonly value: JsonValue },
  ): (line: Kind["line"]) => Promise<JsonValue>;
  /** @throws DomainError for settings that the tenant must not use */
  newConnection(input: Kind["create"], tenantId: TenantId): NewFields<Kind["connection"], "connectionId">;
  changedConnection(before: Kind["connection"], change: Kind["update"]): Kind["connection"];
  newUnit(input: Omit<Kind["createUnit"], "deviceId">, base: UnitBase): Kind["unit"];
  /** @throws DomainError `invalid` for an entry that cannot be, or a key that two entries have */
  ensureEntries(entries: readonly Kind["entry"][]): void;
}
