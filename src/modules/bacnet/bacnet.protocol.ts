import {
  type BacnetRef,
  hasStatus,
  objectText,
  PROPERTIES,
  reliabilityText,
} from "../../lib/bacnet/bacnet-objects.ts";
import { BacnetFormatError } from "../../lib/bacnet/bacnet-pdu.ts";
import {
  type BacnetValue,
  BacnetValueError,
  bacnetValueOf,
  encodeBacnet,
} from "../../lib/bacnet/bacnet-values.ts";
import { detail } from "../../lib/core/domain-error.ts";
import type { JsonValue } from "../../lib/json/json.ts";
import type { Text } from "../../lib/texts/text.ts";
import { BacnetConnection, BacnetRefusal, bitsIn } from "../../platform/bacnet/bacnet-connection.ts";
import type { BlockRead, FieldBlock, FieldFailure, FieldProtocol } from "../field/field.protocol.ts";
import { missingNote } from "../field/missing-note.ts";
import { networkFailure } from "../field/network-failure.ts";
import { bacnetErrors, codeOf, objectInvalid, refusalText } from "./bacnet.errors.ts";
import type { BacnetConnectionRecord, bacnetConnectionResource } from "./bacnet.resource.ts";
import type { BacnetObject, BacnetUnit, NewUnit, UnitChange } from "./bacnet.types.ts";
import { ensureObjects, refOf } from "./object-checks.ts";

export interface BacnetKind {
  readonly connection: BacnetConnectionRecord;
  readonly unit: BacnetUnit;
  readonly entry: BacnetObject;
  readonly line: BacnetConnection;
  readonly create: typeof bacnetConnectionResource.$create;
  readonly update: typeof bacnetConnectionResource.$update;
  readonly createUnit: NewUnit;
  readonly updateUnit: UnitChange;
}

const connectionDefaults = {
  enabled: true,
  port: 47_808,
  network: null,
  mac: null,
  timeoutMs: 2_000,
} as const;
const unitDefaults = { intervalMs: 10_000, objects: [] } as const;
/** Max. objects per request, so that it fits into the frames of small devices. */
const OBJECTS_PER_REQUEST = 20;
/** Positions of the status flags. */
const FAULT = 1;
const OUT_OF_SERVICE = 3;

function failureOf(error: unknown): FieldFailure {
  if (error instanceof BacnetRefusal) return { text: refusalText(codeOf(error)), isResponse: true };
  if (error instanceof BacnetFormatError)
    return { text: detail("bacnet.bad_response", { reason: error.reason }) };
  return networkFailure(error);
}

const flagsOf = (ref: BacnetRef): BacnetRef => ({
  type: ref.type,
  instance: ref.instance,
  property: PROPERTIES["status-flags"],
});

/** Returns the reason why an object with a fault is unreliable. */
async function faultOf(line: BacnetConnection, ref: BacnetRef): Promise<Text> {
  const [read] = await line.read([{ ...flagsOf(ref), property: PROPERTIES.reliability }]);
  const reliability = read === undefined || read instanceof BacnetRefusal ? undefined : read[0]?.value;
  return detail("bacnet_note.unreliable", {
    reliability: typeof reliability === "number" ? reliabilityText(reliability) : "–",
  });
}

/** Object to read, with its polling interval. */
interface ObjectRead {
  readonly object: BacnetObject;
  readonly ref: BacnetRef;
  readonly intervalMs: number;
}

/** Returns the note on an object that was read; undefined if only its value matters. */
async function noteOf(
  line: BacnetConnection,
  { ref }: ObjectRead,
  { flags, value, isReported }: { flags: string; value: BacnetValue | undefined; isReported: boolean },
): Promise<Text | undefined> {
  if (flags[FAULT] === "1") return faultOf(line, ref);
  if (value === undefined) return missingNote([value]);
  if (flags[OUT_OF_SERVICE] === "1") return detail("bacnet_note.out_of_service");
  return isReported ? undefined : detail("bacnet_note.no_cov");
}

/**
 * Reads objects with their status flags. Values that the device itself marks as faulty are dropped; values out of service are kept, because the
 * device acts on them.
 */
async function readObjects(
  line: BacnetConnection,
  list: readonly ObjectRead[],
): Promise<BlockRead<BacnetObject>> {
  const withStatus = list.map(({ ref }) => ref).filter(hasStatus);
  const reads = await line.read([...list.map(({ ref }) => ref), ...withStatus.map(flagsOf)]);
  const values: [BacnetObject, (BacnetValue | undefined)[]][] = [];
  const refused = new Map<BacnetObject, number>();
  const notes = new Map<BacnetObject, Text>();
  for (const [index, each] of list.entries()) {
    const { object, ref, intervalMs } = each;
    const read = reads[index] ?? new BacnetRefusal(0);
    if (read instanceof BacnetRefusal) {
      refused.set(object, codeOf(read));
      continue;
    }
    const flags = hasStatus(ref) ? bitsIn(reads[list.length + withStatus.indexOf(ref)]) : "";
    const value = flags[FAULT] === "1" ? undefined : bacnetValueOf(ref, read);
    values.push([object, [value]]);
    const isReported = object.cov !== true || (await line.subscribe(ref, intervalMs));
    const note = await noteOf(line, each, { flags, value, isReported });
    if (note !== undefined) notes.set(object, note);
  }
  return { values, refused, notes };
}

const planObjects = (unit: BacnetUnit, objects: readonly BacnetObject[]): FieldBlock<BacnetKind>[] =>
  Array.from({ length: Math.ceil(objects.length / OBJECTS_PER_REQUEST) }, (_, index) => {
    const entries = objects.slice(index * OBJECTS_PER_REQUEST, (index + 1) * OBJECTS_PER_REQUEST);
    const list = entries.map((object) => ({
      object,
      ref: refOf(object),
      intervalMs: object.intervalMs ?? unit.intervalMs,
    }));
    return { entries, read: (line) => readObjects(line, list) };
  });

/** Writes a value, or releases the priority, and reads the effective value back: another command may have a higher priority. */
function writing(object: BacnetObject, { name, value }: { name: string; value: JsonValue }) {
  const ref = refOf(object);
  return async (line: BacnetConnection): Promise<JsonValue> => {
    // The property has the same kind of value afterwards.
    const [before] = await line.readOne(ref);
    await line.write(ref, encoded(object, ref, before?.tag ?? 0, value), object.priority);
    const [read] = await line.read([ref]).catch(() => []);
    if (read === undefined || read instanceof BacnetRefusal) return { [name]: null };
    return { [name]: bacnetValueOf(ref, read) ?? null };
  };
}

function encoded({ key }: BacnetObject, ref: BacnetRef, tag: number, value: JsonValue): Buffer {
  try {
    return encodeBacnet(ref, tag, value);
  } catch (error) {
    if (error instanceof BacnetValueError) throw objectInvalid(key, error.reason);
    throw error;
  }
}

export const bacnetProtocol: FieldProtocol<BacnetKind> = {
  name: "bacnet",
  label: "BACnet",
  errors: bacnetErrors,
  open: (connection, options) => BacnetConnection.open({ ...connection, ...options }),
  whereOf: ({ host, port }) => `${host}:${port}`,
  unitIdOf: ({ bacnetUnitId }) => bacnetUnitId,
  entriesOf: ({ objects }) => objects,
  keysOf: ({ key }) => [key],
  plan: planObjects,
  changeOf: (object) => (object.cov === true ? objectText(refOf(object)) : undefined),
  failureOf,
  refusedText: (key, code) => detail("bacnet.object_refused", { key, reason: refusalText(code) }),
  writing: (_, object, setting) => writing(object, setting),
  newConnection: (input) => ({ ...connectionDefaults, ...input }),
  changedConnection: (before, change) => ({ ...before, ...change }),
  newUnit: (input, { unitId: bacnetUnitId, ...base }) => ({
    ...unitDefaults,
    ...input,
    ...base,
    bacnetUnitId,
  }),
  ensureEntries: ensureObjects,
};
