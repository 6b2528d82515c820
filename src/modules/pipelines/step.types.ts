import type { TObject } from "@sinclair/typebox";
import type { JsonValue } from "../../lib/json/json.ts";
import type { AttributeScope } from "../attributes/attributes.types.ts";
import type { OutboundTarget } from "../outbound/outbound.types.ts";
import type { TelemetryValue } from "../telemetry/telemetry.types.ts";
import type { NumberProgram } from "./number-program.ts";

/** Input of a step: the values of one timestamp. */
export interface StepMessage {
  /** Epoch ms. */
  readonly ts: number;
  /** Telemetry by key, as a Map so that keys such as `__proto__` are safe. */
  readonly values: Map<string, TelemetryValue>;
  /** Values that become attributes, by scope and name. */
  readonly attributes: Map<AttributeScope, Map<string, JsonValue>>;
  /** Webhooks to send, even if a later step drops the message. */
  outgoing?: StepRequest[];
  /** Number of webhooks beyond a limit, which are not sent. */
  webhooksLeftOut?: number;
}

/** Target of a step's messages; the same object while the step is compiled. */
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
  /** Returns `undefined` for a missing attribute. */
  attribute(scope: string, key: string): unknown;
}

/** Changes the message; returns false to drop it. Throws an Error with a message for users if it fails. */
export type RunStep = (message: StepMessage, context: StepContext) => boolean;

/** Values of the steps' keys, one slot each; undefined if the message lacks the key. */
export type SlotValues = Array<TelemetryValue | undefined>;

/** Variant of `RunStep` for values in slots. */
export type RunSlots = (values: SlotValues, context: StepContext | undefined) => boolean;

/** Step whose keys are all known at compile time. `slotOf` returns the slot of each key; all steps that run together use the same slot for a key. */
export interface SlotStep {
  compileSlots(slotOf: (key: string) => number): RunSlots;
  /** Adds the operations of the step for messages of numbers. Absent if the step type has none; returns false if this configuration has none. */
  addTo?(program: NumberProgram, slotOf: (key: string) => number): boolean;
}

/** Type of step: its fields, a summary, an example, and its compiler. */
export interface StepDefinition {
  readonly type: string;
  readonly summary: string;
  readonly fields: TObject;
  readonly example: { readonly step: Record<string, unknown>; readonly in: unknown; readonly out: unknown };
  /** `config` fits `fields`. @throws DomainError `invalid` for errors that a schema cannot detect */
  compile(config: Record<string, unknown>): RunStep | SlotStep;
  /** Returns the number of parts that the step goes through for each message, if they are not the parts of its fields. */
  countParts?(config: Record<string, unknown>): number;
}

export interface CompiledStep {
  readonly type: string;
  /** Submitted fields, without those common to all steps. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly run: RunStep;
  /** Number of parts that the step goes through for each message. */
  readonly parts: number;
  /** Set for steps that know all their keys. */
  readonly slotStep?: SlotStep;
}
