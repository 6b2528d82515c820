import {
  type BacnetRef,
  isBinary,
  isMultiState,
  isValueType,
  objectText,
  PROPERTIES,
  ucumOf,
} from "../../lib/bacnet/bacnet-objects.ts";
import { type BacnetData, objectOf, TAG } from "../../lib/bacnet/bacnet-pdu.ts";
import { type BacnetValue, bacnetValueOf } from "../../lib/bacnet/bacnet-values.ts";
import { type BacnetConnection, BacnetRefusal } from "../../platform/bacnet/bacnet-connection.ts";

/** Object of a device that has a value. */
interface BrowsedObject {
  readonly address: string;
  readonly name: string;
  readonly description: string;
  readonly value: BacnetValue | null;
  /** UCUM code. */
  readonly unit: string | null;
  /** State names in order. */
  readonly states: readonly string[];
}

const DEVICE = 8;
/** Max. positions of the object list per response. */
const PLACES_MAX = 50;
/** Max. properties per request, so that their texts fit into a frame. */
const REFS_MAX = 20;
const NAMED = ["object-name", "description", "present-value"] as const;

type Reads = readonly (readonly BacnetData[] | BacnetRefusal)[];

async function readInParts(line: BacnetConnection, refs: readonly BacnetRef[]): Promise<Reads> {
  const reads: (readonly BacnetData[] | BacnetRefusal)[] = [];
  for (let first = 0; first < refs.length; first += REFS_MAX)
    reads.push(...(await line.read(refs.slice(first, first + REFS_MAX))));
  return reads;
}

/** Returns the properties that describe an object. */
function refsOf(object: Pick<BacnetRef, "type" | "instance">): BacnetRef[] {
  const value = { ...object, property: PROPERTIES["present-value"] };
  const more = isBinary(value)
    ? (["inactive-text", "active-text"] as const)
    : isMultiState(object)
      ? (["state-text"] as const)
      : (["units"] as const);
  return [...NAMED, ...more].map((name) => ({ ...object, property: PROPERTIES[name] }));
}

const textsOf = (read: readonly BacnetData[]): string[] =>
  read.map(({ tag, value }) => (tag === TAG.text && typeof value === "string" ? value : ""));

function describe(object: Pick<BacnetRef, "type" | "instance">, reads: Reads): BrowsedObject {
  const of = (property: number): readonly BacnetData[] => {
    const read = reads[refsOf(object).findIndex((ref) => ref.property === property)];
    return read === undefined || read instanceof BacnetRefusal ? [] : read;
  };
  const text = (property: number) => textsOf(of(property))[0] ?? "";
  const value = { ...object, property: PROPERTIES["present-value"] };
  const [units] = of(PROPERTIES.units);
  const states = isBinary(value)
    ? [text(PROPERTIES["inactive-text"]), text(PROPERTIES["active-text"])]
    : textsOf(of(PROPERTIES["state-text"]));
  return {
    address: objectText(object),
    name: text(PROPERTIES["object-name"]),
    description: text(PROPERTIES.description),
    value: bacnetValueOf(value, of(value.property)) ?? null,
    unit: (typeof units?.value === "number" && ucumOf(units.value)) || null,
    states: states.every((name) => name === "") ? [] : states,
  };
}

/**
 * Reads a part of the object list, element by element, because many devices cannot send the whole list.
 * @throws BacnetRefusal, or an error of the connection
 */
export async function browseObjects(
  line: BacnetConnection,
  { instance, from }: { instance: number; from: number },
) {
  const list = { type: DEVICE, instance, property: PROPERTIES["object-list"] };
  const [length] = await line.readOne({ ...list, index: 0 });
  const total = typeof length?.value === "number" ? length.value : 0;
  const count = Math.max(0, Math.min(PLACES_MAX, total - from + 1));
  const places = Array.from({ length: count }, (_, place) => ({ ...list, index: from + place }));
  const objects = (await readInParts(line, places)).flatMap((read) => {
    if (read instanceof BacnetRefusal) return [];
    const [data] = read;
    const object =
      data?.tag === TAG.object && typeof data.value === "number" ? objectOf(data.value) : undefined;
    return object !== undefined && isValueType(object.type) ? [object] : [];
  });
  const reads = await readInParts(line, objects.flatMap(refsOf));
  let first = 0;
  const described = objects.map((object) => {
    const own = reads.slice(first, first + refsOf(object).length);
    first += own.length;
    return describe(object, own);
  });
  return { total, next: from + count <= total ? from + count : null, objects: described };
}
