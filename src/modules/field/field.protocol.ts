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

/** Types of one protocol. The base only uses the fields common to all protocols. */
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

/** One request to the device, and the entries in its response. */
export interface FieldBlock<Kind extends FieldKind> {
  readonly entries: readonly Kind["entry"][];
  /** @throws Error that `failureOf` can explain */
  read(line: Kind["line"]): Promise<BlockRead<Kind["entry"]>>;
  /** Number of entries whose changes the device reports; a read only fetches the reported changes. */
  readonly reported?: number;
}

/** Values of an entry in the order of its keys (`undefined` for missing values), and the device's timestamp (epoch ms). */
export type EntryRead<Entry> = readonly [
  entry: Entry,
  values: readonly (FieldValue | undefined)[],
  sampledAt?: number | undefined,
];

export interface BlockRead<Entry> {
  /** Values in the order in which the device had them. Entries that are neither here nor refused keep their previous values. */
  readonly values: readonly EntryRead<Entry>[];
  /** Entries refused by the device, with its error codes, if it has read others. */
  readonly refused?: ReadonlyMap<Entry, number>;
  /** Notes on entries that were read, for example that values are missing or unreliable. */
  readonly notes?: ReadonlyMap<Entry, Text>;
  /** True if more values are waiting, which the next read returns. */
  readonly hasMore?: boolean;
}

/** Meaning of an error of a read or write. */
export interface FieldFailure {
  readonly text: Text;
  /** True if the device did not answer. It may be switched off, and further requests would delay other devices. */
  readonly isSilence?: boolean;
  /** True if the device itself answered with an error. */
  readonly isResponse?: boolean;
  /** True if the device refuses the user or password. It may lock the user after quick retries. */
  readonly isUserRefused?: boolean;
  /** Error code of a device that refuses entries of the request; a request for fewer entries may succeed. */
  readonly refusal?: number;
}

export interface OpenOptions {
  readonly addresses: Pick<OutboundRule, "resolve">;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Fields of a new unit that are set by the base. */
export type UnitBase = Omit<FieldUnit, "intervalMs"> & {
  readonly unitId: string;
  readonly deviceId: DeviceId;
};

/** Protocol-specific part of connections; this module contains the rest. */
export interface FieldProtocol<Kind extends FieldKind> {
  readonly name: FieldProtocolName;
  /** Display name in logs and sources of values. */
  readonly label: string;
  readonly errors: FieldErrors;
  /** @throws Error of the network, or DomainError for a forbidden address */
  open(connection: Kind["connection"], options: OpenOptions): Promise<Kind["line"]>;
  /** Returns the connection's address for its faults. */
  whereOf(connection: Kind["connection"]): string;
  unitIdOf(unit: Kind["unit"]): string;
  entriesOf(unit: Kind["unit"]): readonly Kind["entry"][];
  /** Returns the unit's name within its connection for faults, if units have names. */
  unitNameOf?(unit: Kind["unit"]): string;
  /** Returns the telemetry keys of an entry. */
  keysOf(entry: Kind["entry"]): readonly string[];
  /** Returns the fewest requests that read the entries. */
  plan(
    unit: Kind["unit"],
    entries: readonly Kind["entry"][],
    connection: Kind["connection"],
  ): readonly FieldBlock<Kind>[];
  /** Returns the name under which a connection reports changes of the entry; undefined for an entry that is only polled. */
  changeOf?(entry: Kind["entry"]): string | undefined;
  failureOf(error: unknown): FieldFailure;
  refusedText(key: string, code: number): Text;
  /**
   * Returns the function that writes a value. It resolves to an object with the key and the value read back.
   * @throws DomainError `invalid` for a value that is invalid for the entry
   */
  writing(
    unit: Kind["unit"],
    entry: Kind["entry"],
    setting: { readonly name: string; readonly value: JsonValue },
  ): (line: Kind["line"]) => Promise<JsonValue>;
  /** @throws DomainError for settings that the tenant may not use */
  newConnection(input: Kind["create"], tenantId: TenantId): NewFields<Kind["connection"], "connectionId">;
  changedConnection(before: Kind["connection"], change: Kind["update"]): Kind["connection"];
  newUnit(input: Omit<Kind["createUnit"], "deviceId">, base: UnitBase): Kind["unit"];
  /** @throws DomainError `invalid` for an invalid entry or a duplicate key */
  ensureEntries(entries: readonly Kind["entry"][]): void;
}
