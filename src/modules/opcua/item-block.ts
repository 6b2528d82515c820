import { detail } from "../../lib/core/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { OpcUaFields, OpcUaRead, OpcUaWatch } from "../../platform/opcua/opcua.calls.ts";
import type { OpcUaConnection } from "../../platform/opcua/opcua-connection.ts";
import type { BlockRead, EntryRead, FieldBlock } from "../field/field.protocol.ts";
import type { FieldValue } from "../field/field.types.ts";
import { missingNote } from "../field/missing-note.ts";
import { keysOf } from "./item-checks.ts";
import { statusText } from "./opcua.errors.ts";
import type { OpcUaItem } from "./opcua.types.ts";
import type { OpcUaKind } from "./opcua-kind.ts";

/** Max. variables per request. Servers have limits; after a refusal, requests become smaller. */
const NODES_PER_REQUEST = 250;
/** Max. interval in ms for subscriptions; above it, polling costs less than keeping a subscription. */
const REPORTED_MS_MAX = 60_000;
/** Ratio of the server's to the requested sampling interval above which the entry gets a note. */
const SLOW = 1.5;
/** Top bits of a status code, which rate the value (OPC 10000-4, 7.39). */
const SEVERITY = 0xc000_0000;
const UNCERTAIN = 0x4000_0000;
/** Status codes of variables that can never be read: node or attribute unknown or invalid, not readable, no access. */
const REFUSALS: ReadonlySet<number> = new Set([
  0x8033_0000, 0x8034_0000, 0x8035_0000, 0x803a_0000, 0x801f_0000,
]);

/** Returns the severity bits of a status code; 0 for a good value. */
export const severityOf = (status: number): number => (status & SEVERITY) >>> 0;

/** Returns the problem of a value, and the values of its keys. */
function valuesOf(
  item: OpcUaItem,
  { status, value }: OpcUaRead,
  storesUncertain: boolean,
): { values: Values; note?: Text | undefined } {
  const none = keysOf(item).map(() => undefined);
  const severity = severityOf(status);
  const quality = detail(severity === UNCERTAIN ? "opcua_note.uncertain" : "opcua_note.bad", {
    status: statusText(status),
  });
  if (severity !== 0 && !(severity === UNCERTAIN && storesUncertain)) return { values: none, note: quality };
  const noted = (values: Values) => ({ values, note: severity === 0 ? missingNote(values) : quality });
  if (value === undefined) return { values: none, note: missingNote(none) };
  if (isFields(value))
    return item.fields === undefined
      ? { values: none, note: detail("opcua_note.structure") }
      : noted(item.fields.map((field) => value[field]));
  if (item.length === undefined)
    return typeof value === "object"
      ? { values: none, note: detail("opcua_note.array", { count: value.length }) }
      : noted(none.map(() => value));
  if (typeof value !== "object") return { values: none, note: detail("opcua_note.single") };
  const values = none.map((_, index) => value[index]);
  if (value.length === item.length) return noted(values);
  return { values, note: detail("opcua_note.length", { count: value.length, length: item.length }) };
}

const isFields = (value: NonNullable<OpcUaRead["value"]>): value is OpcUaFields =>
  typeof value === "object" && !Array.isArray(value);

type Values = readonly (FieldValue | undefined)[];

/** Returns whether no element has changed by more than the dead band. */
const isWithin = (deadband: number, before: Values, after: Values): boolean =>
  after.every((value, index) => {
    const former = before[index];
    if (typeof value !== "number" || typeof former !== "number") return value === former;
    return Math.abs(value - former) <= deadband;
  });

/** Reads of a variable, and the number of omitted values. */
interface ItemReads {
  readonly item: OpcUaItem;
  readonly reads: readonly OpcUaRead[];
  readonly left?: number;
}

/**
 * Variables of one request. The first read on a connection shows which variables the server refuses, the second one subscribes to changes, and later
 * reads fetch the reported changes.
 */
class ItemBlock implements FieldBlock<OpcUaKind> {
  readonly entries: readonly OpcUaItem[];
  readonly #unit: OpcUaKind["unit"];
  readonly #connection: OpcUaKind["connection"];
  /** Last returned values of variables with a dead band. */
  readonly #given = new Map<OpcUaItem, Values>();
  #line: OpcUaConnection | undefined;
  #watch: OpcUaWatch | undefined;

  constructor(entries: readonly OpcUaItem[], { unit, connection }: Pick<OpcUaKind, "unit" | "connection">) {
    this.entries = entries;
    this.#unit = unit;
    this.#connection = connection;
  }

  get reported(): number {
    if (this.#line?.isOpen !== true) return 0;
    return this.#watch?.sampledMs.filter((ms) => ms !== undefined).length ?? 0;
  }

  async read(line: OpcUaConnection): Promise<BlockRead<OpcUaItem>> {
    const values: EntryRead<OpcUaItem>[] = [];
    const refused = new Map<OpcUaItem, number>();
    const notes = new Map<OpcUaItem, Text>();
    const { found: all, hasMore } = await this.#readsOf(line);
    for (const found of all) {
      const newest = found.reads.at(-1);
      if (newest === undefined || REFUSALS.has(newest.status)) refused.set(found.item, newest?.status ?? 0);
      const { own, note } = this.#valuesOf(found);
      values.push(...own);
      if (note !== undefined) notes.set(found.item, note);
    }
    return { values, refused, notes, hasMore };
  }

  /** Returns the values to store, and the note on the newest value. */
  #valuesOf({ item, reads, left = 0 }: ItemReads): { own: EntryRead<OpcUaItem>[]; note?: Text | undefined } {
    const own: EntryRead<OpcUaItem>[] = [];
    let newestNote: Text | undefined;
    for (const [index, read] of reads.entries()) {
      if (REFUSALS.has(read.status)) continue;
      const { values, note } = valuesOf(item, read, this.#connection.storesUncertain);
      // Omitted values are reported with the newest value.
      const isTelling = left > 0 && index === reads.length - 1;
      if (this.#isSmall(item, values) && !isTelling) continue;
      own.push([item, values, read.sampledAt]);
      newestNote = note ?? this.#reportNote(item, left);
    }
    return { own, note: newestNote };
  }

  async #readsOf(line: OpcUaConnection): Promise<{ found: ItemReads[]; hasMore: boolean }> {
    const isFirst = this.#line !== line;
    this.#line = line;
    if (isFirst) this.#watch = undefined;
    const watched = this.entries.map((item) => ({
      node: item.address,
      intervalMs: this.#intervalOf(item),
    }));
    if (this.#watch !== undefined) {
      const { changes, hasMore } = await line.request("changes", { list: this.#watch.list });
      const found = changes.flatMap(({ index, ...change }) => {
        const item = this.entries[index];
        return item === undefined ? [] : [{ item, ...change }];
      });
      return { found, hasMore };
    }
    const isReported =
      !isFirst &&
      this.#connection.reading === "SUBSCRIPTION" &&
      watched.every(({ intervalMs }) => intervalMs <= REPORTED_MS_MAX);
    if (isReported) this.#watch = await line.request("watch", { items: watched });
    const reads =
      this.#watch?.reads ?? (await line.request("read", { nodes: watched.map(({ node }) => node) }));
    const found = this.entries.map((item, index) => ({ item, reads: reads.slice(index, index + 1) }));
    return { found, hasMore: false };
  }

  #intervalOf({ intervalMs }: OpcUaItem): number {
    return intervalMs ?? this.#unit.intervalMs;
  }

  #deadbandOf({ deadband }: OpcUaItem): number {
    return deadband ?? this.#unit.deadband ?? 0;
  }

  /**
   * Returns whether a value is within the dead band. It is not left to servers, because some compare with the previous sample and never report a
   * value that drifts.
   */
  #isSmall(item: OpcUaItem, values: Values): boolean {
    const deadband = this.#deadbandOf(item);
    if (deadband === 0) return false;
    const before = this.#given.get(item);
    if (before !== undefined && isWithin(deadband, before, values)) return true;
    this.#given.set(item, values);
    return false;
  }

  /** Returns the note on a variable that the server does not report as requested. */
  #reportNote(item: OpcUaItem, left: number): Text | undefined {
    if (left > 0) return detail("opcua_note.too_many", { count: left });
    const sampledMs = this.#watch?.sampledMs[this.entries.indexOf(item)] ?? 0;
    return sampledMs > SLOW * this.#intervalOf(item)
      ? detail("opcua_note.slow", { ms: Math.round(sampledMs) })
      : undefined;
  }
}

/** Returns the fewest requests that read the variables. */
export const planItems = (
  unit: OpcUaKind["unit"],
  items: readonly OpcUaItem[],
  connection: OpcUaKind["connection"],
): FieldBlock<OpcUaKind>[] => {
  const variables = items.filter(({ method }) => method === undefined);
  return Array.from({ length: Math.ceil(variables.length / NODES_PER_REQUEST) }, (_, index) => {
    const entries = variables.slice(index * NODES_PER_REQUEST, (index + 1) * NODES_PER_REQUEST);
    return new ItemBlock(entries, { unit, connection });
  });
};
