import type { TObject } from "@sinclair/typebox";
import type { JsonValue } from "../../lib/json/json.ts";
import type { AttributeScope } from "../attributes/attributes.types.ts";
import type { OutboundTarget } from "../outbound/outbound.types.ts";
import type { TelemetryValue } from "../telemetry/telemetry.types.ts";
import type { NumberProgram } from "./number-program.ts";

/** Input of a step: the values of one time stamp. */
export interface StepMessage {
  /** Epoch ms. */
  readonly ts: number;
  /** Telemetry by key: a Map, so that a key like `__proto__` is only a key. */
  readonly values: Map<string, TelemetryValue>;
  /** Values that become attributes, by scope and name. */
  readonly attributes: Map<AttributeScope, Map<string, JsonValue>>;
  /** Webhooks to send, even if a later step drops the message. */
  outgoing?: StepRequest[];
  /** Number of webhooks beyond a limit, which are not sent. */
  webhooksLeftOut?: number;
}

/** Target of a step's messages; the same object as long as the step is compiled. */
export type StepTarget = OutboundTarget;

export interface StepRequest {
  readonly target: StepTarget;
  readonly body: string;
}

/** Device that sent the message. */
export interface StepContext {
  readonly deviceId: string;
  readonly tenantId: string;
  readonly profileId: string;
  /** Returns `undefined` for an attribute that the device does not have. */
  attribute(scope: string, key: string): unknown;
}

/** Changes the message; false drops it whole. Throws an Error for a person when it cannot. */
export type RunStep = (message: StepMessage, context: StepContext) => boolean;

/** Values of the keys that steps name, each in its slot; undefined where the message has none. */
export type SlotValues = Array<TelemetryValue | undefined>;

/** Variant of `RunStep` for values in slots. */
export type RunSlots = (values: SlotValues, context: StepContext | undefined) => boolean;

/**
 * A step of which all keys are known when it is compiled. `slotOf` returns the slot of each key; the same key has the same one in all steps
 * that run together.
 */
export interface SlotStep {
  compileSlots(slotOf: (key: string) => number): RunSlots;
  /** Adds the operations of the step for messages of numbers. Absent if no setting of the step has them; returns false if this one has not. */
  addTo?(program: NumberProgram, slotOf: (key: string) => number): boolean;
}

/** One type of step: its fields, what it does in a sentence, an example, and how it becomes a closure. */
export interface StepDefinition {
  readonly type: string;
  readonly summary: string;
  readonly fields: TObject;
  readonly example: { readonly step: Record<string, unknown>; readonly in: unknown; readonly out: unknown };
  /** `config` fits `fields`. @throws DomainError of kind `invalid` for what a schema cannot tell. */
  compile(config: Record<string, unknown>): RunStep | SlotStep;
}

export interface CompiledStep {
  readonly type: string;
  /** Fields as they were sent, without those that every step has. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly run: RunStep;
  /** Used for steps that know all their keys. */
  readonly slotStep?: SlotStep;
}
