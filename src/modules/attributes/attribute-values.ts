import { invalid } from "../../lib/domain-error.ts";
import { isJsonObject, type JsonValue } from "../../lib/json.ts";
import { NestedValues, toPlainJson } from "../../lib/plain-json.ts";

const KEY_BYTES_MAX = 256;
const KEYS_PER_REQUEST_MAX = 512;
/** Limit on what one MQTT message may hold. Hundreds of earlier values are kept with each. */
const VALUE_BYTES_MAX = 64 * 1024;
/** Values up to this size stay below the limit of a scope by their number alone. */
const VALUE_BYTES_SMALL = 1024;

function checkValue(value: unknown, nested: NestedValues): JsonValue {
  nested.add(value);
  const plain = toPlainJson(value, "attribute");
  if (Buffer.byteLength(JSON.stringify(plain)) > VALUE_BYTES_MAX)
    throw invalid("attribute.value_too_large", { max: VALUE_BYTES_MAX / 1024 });
  return plain;
}

/** Validated values by key: a Map, so that a key like `__proto__` is only a key. */
export function checkValues(values: unknown): Map<string, JsonValue> {
  if (!isJsonObject(values)) throw invalid("attribute.body_invalid");
  const checked = new Map<string, JsonValue>();
  const nested = new NestedValues();
  for (const [key, value] of Object.entries(values)) {
    if (key === "" || Buffer.byteLength(key) > KEY_BYTES_MAX)
      throw invalid("attribute.key_invalid", { max: KEY_BYTES_MAX });
    if (value !== undefined) checked.set(key, checkValue(value, nested));
    if (checked.size > KEYS_PER_REQUEST_MAX)
      throw invalid("attribute.too_many", { max: KEYS_PER_REQUEST_MAX });
  }
  return checked;
}

/** Returns whether the limit on all values of a scope has to be checked. */
export function hasLarge(values: ReadonlyMap<string, JsonValue>): boolean {
  for (const value of values.values()) {
    const characters = typeof value === "string" ? value.length : JSON.stringify(value).length;
    if (characters > VALUE_BYTES_SMALL / 3) return true;
  }
  return false;
}
