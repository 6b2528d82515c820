import type { TObject } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { DomainError, detail, invalid, toText } from "../../lib/core/domain-error.ts";
import { omit } from "../../lib/core/omit.ts";
import { innermostIssue, ruleOf } from "../../lib/core/schema-rule.ts";
import { countParts } from "../../lib/json/count-parts.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import { readStored, unknownFieldOf } from "../../lib/json/known-fields.ts";
import { excerpt, pathExcerpt, reasonExcerpt } from "../../lib/strings/excerpt.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Reading, TelemetryValue } from "../telemetry/telemetry.types.ts";
import { runAlone } from "./fused-steps.ts";
import type { CompiledStep, RunStep, StepContext, StepDefinition, StepMessage } from "./step.types.ts";
import { stepDefinitions } from "./step-types.ts";
import { copyUnits, FAILURE_UNITS, stepWork } from "./step-work.ts";
import { webhookRoom } from "./webhook-room.ts";

const STEPS_MAX = 50;

/** Stored step: its type, its fields, and whether it is enabled. */
export interface Step {
  readonly type: string;
  readonly enabled?: boolean;
  readonly [field: string]: unknown;
}

export interface StepFailure {
  /** Index of the compiled step. */
  readonly index: number;
  readonly reason: Text;
}

const byType = new Map(stepDefinitions.map((definition) => [definition.type, definition]));
/** Checks by type, created on first use. */
const checks = new Map<string, TypeCheck<TObject>>();

function checkOf({ type, fields }: StepDefinition): TypeCheck<TObject> {
  const check = checks.get(type);
  if (check !== undefined) return check;
  const created = TypeCompiler.Compile(fields);
  checks.set(type, created);
  return created;
}

/** Merges a step's fields, which may be in the step or in its `config`. */
function normalize(
  input: unknown,
  where: string,
): { type: string; enabled: boolean; fields: Record<string, unknown> } {
  if (!isJsonObject(input)) throw invalid("step.invalid", { field: where });
  const { type, enabled, config, ...rest } = omit(input, "id", "name");
  if (typeof type !== "string") throw invalid("step.type_missing", { field: where });
  if (enabled !== undefined && typeof enabled !== "boolean")
    throw invalid("step.enabled_invalid", { field: where });
  if (config !== undefined && !isJsonObject(config)) throw invalid("step.config_invalid", { field: where });
  return { type, enabled: enabled ?? true, fields: { ...config, ...rest } };
}

function compileStep(input: unknown, where: string): CompiledStep | undefined {
  const { type, enabled, fields } = normalize(input, where);
  const definition = byType.get(type);
  if (definition === undefined)
    throw invalid("step.unknown", {
      field: where,
      type: excerpt(type),
      known: [...byType.keys()].join(", "),
    });
  const unknown = unknownFieldOf(fields, (name) => Object.hasOwn(definition.fields.properties, name));
  if (unknown !== undefined)
    throw invalid("step.field_unknown", {
      field: where,
      type,
      unknown: excerpt(unknown),
      known: Object.keys(definition.fields.properties).join(", "),
    });
  const wrong = checkOf(definition).Errors(fields).First();
  if (wrong !== undefined) {
    const inner = innermostIssue(wrong);
    throw invalid("step.field_invalid", {
      field: pathExcerpt(inner.path, where),
      rule: ruleOf(inner, false),
    });
  }
  try {
    const compiled = definition.compile(fields);
    if (!enabled) return undefined;
    const parts = definition.countParts?.(fields) ?? countParts(fields);
    if (typeof compiled === "function") return { type, fields, parts, run: compiled };
    return { type, fields, parts, run: runAlone(compiled), slotStep: compiled };
  } catch (error) {
    if (error instanceof DomainError) throw invalid("step.rejected", { field: where, reason: toText(error) });
    throw error;
  }
}

function reasonOf(error: unknown): Text {
  if (error instanceof DomainError) return toText(error);
  const reason = error instanceof Error ? error.message : String(error);
  return detail("step_failure.unexpected", { reason: reasonExcerpt(reason) });
}

/** Works like `compileSteps` for stored steps: unknown fields are ignored. */
export const compileStoredSteps = (steps: unknown): CompiledStep[] => readStored(() => compileSteps(steps));

/**
 * Compiles submitted steps, without disabled ones.
 * @throws DomainError `invalid` that names the step and its error
 */
export function compileSteps(steps: unknown): CompiledStep[] {
  if (!Array.isArray(steps)) throw invalid("step.list_invalid");
  if (steps.length > STEPS_MAX) throw invalid("step.too_many", { max: STEPS_MAX });
  return steps.flatMap((step, index) => compileStep(step, `steps[${index}]`) ?? []);
}

export function toMessage({ ts, values }: Reading): StepMessage {
  const map = new Map<string, TelemetryValue>();
  const keys = Object.keys(values);
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string; // within its bounds
    map.set(key, values[key] as TelemetryValue);
  }
  return { ts, values: map, attributes: new Map() };
}

/** Returns `undefined` if there is no telemetry left. */
export function toReading({ ts, values }: StepMessage): Reading | undefined {
  if (values.size === 0) return undefined;
  const kept: Record<string, TelemetryValue> = Object.create(null);
  for (const [key, value] of values) kept[key] = value;
  return { ts, values: kept };
}

/** Returns the result of the steps for a reading; undefined if a step drops it. If a step fails, the message is processed again without it. */
export function runSteps(
  steps: readonly CompiledStep[],
  reading: Reading,
  runOptions: RunOptions,
): StepMessage | undefined {
  stepWork.restart();
  webhookRoom.restart();
  return continueSteps(steps, reading, runOptions);
}

/** Like `runSteps`, within the message's remaining work budget. */
export function continueSteps(
  steps: readonly CompiledStep[],
  reading: Reading,
  runOptions: RunOptions,
): StepMessage | undefined {
  const failed = new Set<number>();
  const mark = webhookRoom.mark();
  for (;;) {
    webhookRoom.reset(mark);
    const outcome = attempt(steps, reading, { ...runOptions, failed });
    if (outcome !== "again") return outcome;
  }
}

interface RunOptions {
  readonly context: StepContext;
  readonly onFailure: (failure: StepFailure) => void;
  readonly onStep?: StepWatcher | undefined;
  /** Called with requests to send, also for a dropped message. */
  readonly onOutgoing?: (message: Pick<StepMessage, "outgoing" | "webhooksLeftOut">) => void;
}

/** Called with the input and output of a step; `out` is undefined if the message was dropped. */
export type StepWatcher = (index: number, message: { in: StepMessage; out: StepMessage | undefined }) => void;

const copy = ({ ts, values, attributes }: StepMessage): StepMessage => ({
  ts,
  values: new Map(values),
  attributes: new Map([...attributes].map(([scope, of]) => [scope, new Map(of)])),
});

function attempt(
  steps: readonly CompiledStep[],
  reading: Reading,
  input: RunOptions & { failed: Set<number> },
): StepMessage | undefined | "again" {
  const { context, failed, onFailure } = input;
  let isKept = true;
  const message = toMessage(reading);
  for (const [index, { run }] of steps.entries()) {
    if (failed.has(index)) continue;
    try {
      isKept = watched(run, { message, context, index, onStep: input.onStep });
      if (!isKept) break;
    } catch (error) {
      const reason = reasonOf(error);
      stepWork.note(FAILURE_UNITS + copyUnits(message.values.size));
      // Without budget, no step can do anything.
      const left = stepWork.isExceeded ? steps.keys().filter((each) => !failed.has(each)) : [index];
      for (const each of [...left]) {
        failed.add(each);
        onFailure({ index: each, reason });
      }
      return "again";
    }
  }
  input.onOutgoing?.(message);
  return isKept ? message : undefined;
}

function watched(
  run: RunStep,
  input: { message: StepMessage; context: StepContext; index: number; onStep: StepWatcher | undefined },
): boolean {
  const { message, context, index, onStep } = input;
  if (onStep === undefined) return run(message, context);
  const before = copy(message);
  const isKept = run(message, context);
  onStep(index, { in: before, out: isKept ? copy(message) : undefined });
  return isKept;
}
