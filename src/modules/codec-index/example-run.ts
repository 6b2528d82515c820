import type { JsonValue } from "../../lib/json/json.ts";
import type { CodecsService } from "../codecs/codecs.service.ts";
import type { Principal } from "../users/users.types.ts";
import type { CodecExample } from "./codec-index.types.ts";

type Trial = Awaited<ReturnType<CodecsService["preview"]>>;

export interface ExampleOutcome {
  readonly example: CodecExample;
  readonly isPassed: boolean;
  readonly trial: Trial;
}

/** Max. relative difference between two numbers, because codecs round differently. */
const TOLERANCE = 1e-9;

/** Compares values; a missing field equals null. */
function isSame(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  if (typeof left === "number" && typeof right === "number")
    return Math.abs(left - right) <= TOLERANCE * Math.max(1, Math.abs(left), Math.abs(right));
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null)
    return (left ?? null) === (right ?? null);
  if (Array.isArray(left) || Array.isArray(right))
    return (
      Array.isArray(left) &&
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((value, index) => isSame(value, right[index]))
    );
  const own = (value: object, key: string) =>
    Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].every((key) =>
    isSame(own(left, key), own(right, key)),
  );
}

function isExpected({ direction, expected }: CodecExample, trial: Trial): boolean {
  if (expected.isError || trial.error !== null)
    return expected.isError && trial.error?.code === "script.error";
  if (direction === "uplink") return isSame(trial.result, expected.data);
  return (
    trial.bytes?.hex === expected.frame && (expected.fPort === null || trial.bytes.fPort === expected.fPort)
  );
}

/** Runs the examples of a codec in the sandbox, one after the other. */
export async function runExamples(
  codecs: Pick<CodecsService, "preview">,
  principal: Principal,
  { source, examples }: { readonly source: string; readonly examples: readonly CodecExample[] },
): Promise<ExampleOutcome[]> {
  const outcomes: ExampleOutcome[] = [];
  for (const example of examples) {
    const { direction, frame, data, fPort } = example;
    const trial = await codecs.preview(principal, {
      source,
      direction,
      data,
      fPort: fPort ?? undefined,
      ...(frame !== null && { frame, encoding: "hex" as const }),
    });
    outcomes.push({ example, isPassed: isExpected(example, trial), trial });
  }
  return outcomes;
}
