import { detail } from "../../lib/core/domain-error.ts";
import type { JsonValue } from "../../lib/json/json.ts";
import { elementOf, type S7Address } from "../../lib/s7/s7-address.ts";
import { planS7, rangeOf } from "../../lib/s7/s7-plan.ts";
import { decodeS7, encodeS7, isArray, type S7Value, S7ValueError } from "../../lib/s7/s7-values.ts";
import { S7Connection, S7ProtocolError, S7Refusal } from "../../platform/s7/s7-connection.ts";
import type { FieldBlock, FieldFailure, FieldProtocol } from "../field/field.protocol.ts";
import { missingNotes } from "../field/missing-note.ts";
import { networkFailure } from "../field/network-failure.ts";
import { refusalText, s7Errors, s7TagInvalid } from "./s7.errors.ts";
import type { S7ConnectionRecord, s7ConnectionResource } from "./s7.resource.ts";
import type { NewUnit, S7Tag, S7Unit, UnitChange } from "./s7.types.ts";
import { addressOf, ensureTags, keysOf } from "./tag-checks.ts";

export interface S7Kind {
  readonly connection: S7ConnectionRecord;
  readonly unit: S7Unit;
  readonly entry: S7Tag;
  readonly line: S7Connection;
  readonly create: typeof s7ConnectionResource.$create;
  readonly update: typeof s7ConnectionResource.$update;
  readonly createUnit: NewUnit;
  readonly updateUnit: UnitChange;
}

const connectionDefaults = { enabled: true, port: 102, rack: 0, slot: 1, timeoutMs: 2_000 } as const;
const unitDefaults = { intervalMs: 1_000, tags: [] } as const;

function failureOf(error: unknown): FieldFailure {
  if (error instanceof S7Refusal) return { text: refusalText(error.refusalCode), isResponse: true };
  if (error instanceof S7ProtocolError) return { text: detail("s7.bad_response", { reason: error.reason }) };
  return networkFailure(error);
}

/** Reads one address immediately. @throws S7Refusal, or an error of the connection */
export async function readAddress(line: S7Connection, address: S7Address): Promise<(S7Value | null)[]> {
  const [bytes] = await line.read([rangeOf(address)]);
  if (!(bytes instanceof Uint8Array)) throw bytes ?? new S7Refusal(0);
  return decodeS7(address, bytes).map((value) => value ?? null);
}

function planTags(tags: readonly S7Tag[]): FieldBlock<S7Kind>[] {
  const addresses = new Map(tags.map((tag) => [tag, addressOf(tag)]));
  const addressIn = (tag: S7Tag) => addresses.get(tag) ?? addressOf(tag);
  return planS7(tags, addressIn).map((ranges) => ({
    entries: ranges.flatMap(({ entries }) => entries),
    read: async (line) => {
      const values: [S7Tag, (S7Value | undefined)[]][] = [];
      const refused = new Map<S7Tag, number>();
      const responses = await line.read(ranges.map(({ range }) => range));
      for (const [index, { range, entries }] of ranges.entries()) {
        const response = responses[index] ?? new S7Refusal(0);
        for (const tag of entries)
          if (response instanceof S7Refusal) refused.set(tag, response.refusalCode);
          else {
            const own = rangeOf(addressIn(tag));
            const first = own.byte - range.byte;
            values.push([tag, decodeS7(addressIn(tag), response.subarray(first, first + own.count), tag)]);
          }
      }
      return { values, refused, notes: missingNotes(values) };
    },
  }));
}

/** Writes a value and reads it back. The result may differ, because the controller's program may also write the address. */
function writing(tag: S7Tag, { name, value }: { name: string; value: JsonValue }) {
  const whole = addressOf(tag);
  const index = isArray(whole) ? keysOf(tag).indexOf(name) : 0;
  const address = isArray(whole) ? elementOf(whole, index) : whole;
  const encoded = encodedFor(tag, address, value);
  return async (line: S7Connection): Promise<JsonValue> => {
    if (typeof encoded === "boolean") await line.writeBit(address, encoded);
    else {
      const { skip, bytes } = encoded;
      if (address.type === "STRING") await ensureFits(line, tag, address, bytes.length - 1);
      await line.writeBytes({ ...rangeOf(address), byte: address.byte + skip, count: bytes.length }, bytes);
    }
    // The controller has the value, whether or not it can be read.
    const [read] = await line.read([rangeOf(address)]).catch(() => []);
    if (!(read instanceof Uint8Array)) return { [name]: null };
    return { [name]: decodeS7(address, read, tag)[0] ?? null };
  };
}

/** @throws DomainError `invalid` for a text longer than the controller's STRING, which would overwrite the memory after it */
async function ensureFits(line: S7Connection, tag: S7Tag, address: S7Address, count: number): Promise<void> {
  const [read] = await line.read([{ ...rangeOf(address), count: 1 }]);
  if (!(read instanceof Uint8Array)) throw read ?? new S7Refusal(0);
  const [max = 0] = read;
  if (count > max) throw s7TagInvalid(tag.key, detail("s7_rule.text_long", { count, max }));
}

function encodedFor(tag: S7Tag, address: S7Address, value: JsonValue) {
  try {
    return encodeS7(address, value, tag);
  } catch (error) {
    if (error instanceof S7ValueError) throw s7TagInvalid(tag.key, error.reason);
    throw error;
  }
}

export const s7Protocol: FieldProtocol<S7Kind> = {
  name: "s7",
  label: "S7",
  errors: s7Errors,
  open: (connection, options) => S7Connection.open({ ...connection, ...options }),
  whereOf: ({ host, port }) => `${host}:${port}`,
  unitIdOf: ({ s7UnitId }) => s7UnitId,
  entriesOf: ({ tags }) => tags,
  keysOf,
  plan: (_, tags) => planTags(tags),
  failureOf,
  refusedText: (key, code) => detail("s7.tag_refused", { key, reason: refusalText(code) }),
  writing: (_, tag, setting) => writing(tag, setting),
  newConnection: (input) => ({ ...connectionDefaults, ...input }),
  changedConnection: (before, change) => ({ ...before, ...change }),
  newUnit: (input, { unitId: s7UnitId, ...base }) => ({ ...unitDefaults, ...input, ...base, s7UnitId }),
  ensureEntries: ensureTags,
};
