import { isJsonObject, type JsonValue } from "../../lib/json/json.ts";
import type { CodecExample, ExpectedOutput } from "./codec-index.types.ts";
import { boundedText, type Fields, fieldsOf, listOf } from "./collection-documents.ts";
import { indexLimits } from "./index-limits.ts";

const FRAME_BYTES_MAX = 255;
const DESCRIPTION_CHARACTERS_MAX = 200;

const isByte = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 255;

/** Returns bytes, given as a list of numbers or in hexadecimal, in hexadecimal. */
function frameOf(value: unknown): string | undefined {
  if (typeof value === "string") {
    const isHex = value.length % 2 === 0 && value.length <= 2 * FRAME_BYTES_MAX && /^[0-9a-f]*$/i.test(value);
    return isHex ? value.toLowerCase() : undefined;
  }
  if (!Array.isArray(value) || value.length > FRAME_BYTES_MAX || !value.every(isByte)) return undefined;
  return Buffer.from(value).toString("hex");
}

const portOf = (value: unknown): number | null => (isByte(value) ? value : null);

function expectedOf(output: Fields): ExpectedOutput {
  return {
    isError: listOf(output.errors).length > 0,
    data: (output.data ?? null) as JsonValue, // it comes out of YAML or JSON
    frame: frameOf(output.bytes) ?? null,
    fPort: portOf(output.fPort),
  };
}

function toExample(value: unknown, direction: CodecExample["direction"]): CodecExample | undefined {
  const { description, name, input, output, expected } = fieldsOf(value);
  const { bytes, fPort, data } = fieldsOf(input);
  const wanted = output ?? expected;
  const frame = direction === "uplink" ? frameOf(bytes) : null;
  if (frame === undefined || !isJsonObject(wanted)) return undefined;
  const example: CodecExample = {
    description: boundedText(description ?? name, DESCRIPTION_CHARACTERS_MAX),
    direction,
    fPort: portOf(fPort),
    frame,
    data: (data ?? null) as JsonValue,
    expected: expectedOf(wanted),
  };
  return isSmall(example) ? example : undefined;
}

function isSmall(example: CodecExample): boolean {
  try {
    return JSON.stringify(example).length <= indexLimits.exampleBytesMax;
  } catch {
    return false; // nested too deeply
  }
}

/** Reads the examples of a codec in the formats of both collections, without incomplete ones. */
export const toExamples = (list: unknown, direction: CodecExample["direction"]): CodecExample[] =>
  listOf(list)
    .slice(0, indexLimits.examplesMax)
    .flatMap((value) => toExample(value, direction) ?? []);
