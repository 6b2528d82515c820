import { detail } from "../../lib/core/domain-error.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import { MIB } from "../../lib/core/units.ts";
import type { JsonValue } from "../../lib/json/json.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import type { Logger } from "../../platform/core/log.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { createPeriodic } from "../../platform/time/periodic.ts";
import type { AttributeScope } from "../attributes/attributes.types.ts";
import type { DomainEvents } from "../events.types.ts";
import type { IngestDevice } from "../ingest/ingest.types.ts";
import type { OutboundRequest } from "../outbound/outbound.types.ts";
import type { Reading } from "../telemetry/telemetry.types.ts";
import type { Applied } from "./applied.types.ts";
import { type FusedSteps, fuse } from "./fused-steps.ts";
import { createNewestMessages, keepNewest, type NewestMessage } from "./newest-messages.ts";
import { createPipelineCounting } from "./pipeline-counting.ts";
import type { PipelinesRepository } from "./pipelines.repository.ts";
import type { Pipeline } from "./pipelines.resource.ts";
import type { PipelineCounts } from "./pipelines.types.ts";
import type { CompiledStep, StepContext, StepMessage } from "./step.types.ts";
import { compileStoredSteps, continueSteps, toMessage, toReading } from "./step-engine.ts";
import {
  ATTRIBUTE_AGAIN_UNITS,
  ATTRIBUTE_UNITS,
  copyUnits,
  PART_ALONE_UNITS,
  PART_UNITS,
  stepWork,
} from "./step-work.ts";
import { webhookLimits, webhookRoom } from "./webhook-room.ts";

/** Interval at which counters are written, in ms. */
const FLUSH_INTERVAL_MS = 10_000;

interface Active {
  readonly pipeline: Pipeline;
  readonly steps: readonly CompiledStep[];
}

/** Pipelines that run together, and their counters. */
interface Selected {
  readonly active: readonly Active[];
  readonly counts: readonly PipelineCounts[];
  /** Work for each reading, in the units of a message's budget. */
  readonly unitsPerReading: number;
  /** `undefined` if a step has unknown keys. */
  readonly fused: FusedSteps | undefined;
}

/** Selected pipelines and context of a device. */
interface Matched extends Selected {
  readonly context: StepContext;
  readonly newest: NewestMessage;
}

/** Results of messages other than telemetry. */
interface SideEffects {
  readonly attributes: Array<Applied["attributes"][number]>;
  readonly requests: OutboundRequest[];
  /** Number of webhooks omitted because of a limit, by pipeline. */
  readonly leftOut: Map<Pipeline, number>;
}

const nothing: readonly never[] = [];

/** Units of the message's work budget for a pipeline and for a step, of each reading. */
const PIPELINE_UNITS = 1.5;
const STEP_UNITS = 0.2;
/** The same for pipelines that run one by one, because a step has failed. */
const PIPELINE_ALONE_UNITS = 30;
/** Max. parts of steps that are combined, and of all combinations together: they are kept in memory. */
const FUSED_PARTS_MAX = 5_000;
const ALL_FUSED_PARTS_MAX = 200_000;

const partsIn = (active: readonly Active[]): number =>
  active.reduce((parts, { steps }) => steps.reduce((sum, step) => sum + step.parts, parts), 0);

/** Returns the work for each reading. The first part of a step is part of the step. */
function unitsOf(active: readonly Active[], isFused: boolean): number {
  const steps = active.reduce((count, { steps: own }) => count + own.length, 0);
  const parts = Math.max(0, partsIn(active) - steps);
  return (
    active.length * PIPELINE_UNITS + steps * STEP_UNITS + parts * (isFused ? PART_UNITS : PART_ALONE_UNITS)
  );
}

/** Merges the attributes of all readings: the last one counts, and all have the same time. */
function mergeAttributes(attributes: Applied["attributes"]): Applied["attributes"] {
  if (attributes.length < 2) return attributes;
  const merged = new Map<AttributeScope, Map<string, JsonValue>>();
  for (const { scope, values } of attributes) {
    const of = merged.get(scope) ?? new Map<string, JsonValue>();
    for (const [key, value] of values) of.set(key, value);
    merged.set(scope, of);
  }
  return [...merged].map(([scope, values]) => ({ scope, values }));
}

/** Adds requests of steps to the requests of the message. */
function send(
  { outgoing = [], webhooksLeftOut = 0 }: Pick<StepMessage, "outgoing" | "webhooksLeftOut">,
  { pipeline, context, sideEffects }: { pipeline: Pipeline; context: StepContext; sideEffects: SideEffects },
): void {
  const { tenantId, pipelineId: id } = pipeline;
  const source = { kind: "pipeline", id } as const;
  const { leftOut } = sideEffects;
  if (webhooksLeftOut > 0) leftOut.set(pipeline, (leftOut.get(pipeline) ?? 0) + webhooksLeftOut);
  for (const { target, body } of outgoing)
    sideEffects.requests.push({ tenantId, source, target, orderKey: context.deviceId, body });
}

/** Counts a message; `last`: position of the pipeline that dropped it, or the number of pipelines if none did. */
function count({ counts: of }: Selected, last: number): void {
  for (let index = 0; index < of.length && index <= last; index++) {
    const pipelineCounts = of[index] as PipelineCounts; // within its bounds
    pipelineCounts.messagesIn++;
    if (index < last) pipelineCounts.messagesOut++;
    else pipelineCounts.messagesDropped++;
  }
}

function runFused(selected: Matched, fused: FusedSteps, reading: Reading): Reading | undefined {
  const left = fused.run(reading.values, selected.context);
  count(selected, typeof left === "number" ? left : selected.active.length);
  if (left === undefined || typeof left === "number") return undefined;
  return left === reading.values ? reading : { ts: reading.ts, values: left };
}

/** Runs all pipelines on one message. Throws if a step fails. */
function runByName(selected: Matched, reading: Reading, sideEffects: SideEffects): Reading | undefined {
  const message = toMessage(reading);
  const droppedBy = runAll(selected, message, sideEffects);
  count(selected, droppedBy ?? selected.active.length);
  if (droppedBy !== undefined) return undefined;
  for (const [scope, values] of message.attributes) sideEffects.attributes.push({ scope, values });
  return toReading(message);
}

/** Returns the position of the pipeline that dropped the message. Throws if a step fails. */
function runAll(
  { active, context }: Matched,
  message: StepMessage,
  sideEffects: SideEffects,
): number | undefined {
  // By index: this runs for every message.
  for (let position = 0; position < active.length; position++) {
    const { pipeline, steps } = active[position] as Active; // within its bounds
    let isKept = true;
    for (let index = 0; index < steps.length && isKept; index++)
      isKept = (steps[index] as CompiledStep).run(message, context);
    if (message.outgoing !== undefined || message.webhooksLeftOut !== undefined) {
      send(message, { pipeline, context, sideEffects });
      delete message.outgoing;
      delete message.webhooksLeftOut;
    }
    if (!isKept) return position;
  }
  return undefined;
}

interface PipelineEngineDeps {
  readonly repository: PipelinesRepository;
  /** Returns the type of a device; `undefined` if it was deleted. */
  readonly deviceTypeOf: (device: IngestDevice) => string | undefined;
  /** Calls `onText` with the characters of the attribute's JSON before it is parsed. */
  readonly attribute: (
    device: IngestDevice,
    scope: string,
    key: string,
    onText: (characters: number) => void,
  ) => JsonValue | undefined;
  readonly isEnabled: boolean;
  readonly transact: (work: () => void) => void;
  readonly clock: Clock;
  readonly events: EventBus<DomainEvents>;
  readonly log: Logger;
}

/** Runs the active pipelines of a tenant on the messages of its devices. A device without a pipeline costs one look-up. */
export class PipelineEngine {
  /** Active pipelines by tenant, for tenants with messages since the last change. */
  readonly #tenants = new Map<TenantId, readonly Active[]>();
  /** Pipelines of a device, cached until a pipeline or the device changes. */
  #matched = new WeakMap<IngestDevice, Matched>();
  /** Combined pipelines by their ids. */
  readonly #combined = new Map<string, Selected>();
  /** Parts of all combined steps. */
  #fusedParts = 0;
  /** Attributes that the current message has read, by scope and name. */
  readonly #attributes = new Map<string, JsonValue | undefined>();
  readonly #newest = createNewestMessages();
  readonly #counting: ReturnType<typeof createPipelineCounting>;
  readonly #flushing: ReturnType<typeof createPeriodic>;

  readonly #deps: PipelineEngineDeps;

  constructor(deps: PipelineEngineDeps) {
    this.#deps = deps;
    const { repository, transact, clock, log } = deps;
    this.#counting = createPipelineCounting({ repository, transact });
    const work = () => this.#counting.flush();
    this.#flushing = createPeriodic({ clock, log, intervalMs: FLUSH_INTERVAL_MS, work });
  }

  /** Subscribes to changes of devices and tenants. The module calls it once, before anything is started. */
  subscribe(): void {
    const { events } = this.#deps;
    events.on("device.updated", () => this.#forget());
    events.on("tenant.deleted", ({ tenantId }) => this.changed(tenantId));
  }

  start(): void {
    this.#flushing.start();
  }

  stop(): void {
    this.#flushing.stop();
    this.#counting.flush();
  }

  /**
   * Returns `undefined` if nothing changes.
   * @throws DomainError `message.too_much_work` for more steps than the event loop may be held for
   */
  apply(device: IngestDevice, readings: readonly Reading[]): Applied | undefined {
    if (!this.#deps.isEnabled) return undefined;
    const active = this.#tenants.get(device.tenantId) ?? this.#load(device.tenantId);
    if (active.length === 0) return undefined;
    const selected = this.#matched.get(device) ?? this.#match(device, active);
    if (selected.active.length === 0) return undefined;
    keepNewest(selected.newest, readings[readings.length - 1]);
    stepWork.restart();
    webhookRoom.restart();
    this.#attributes.clear();
    stepWork.spend(Math.floor(readings.length * selected.unitsPerReading));
    const alone = readings.length === 1 ? readings[0] : undefined;
    if (alone !== undefined && selected.fused !== undefined) {
      const applied = this.#applyFused(selected, selected.fused, alone);
      if (applied !== "failed") return applied;
    }
    return this.#applyEach(selected, readings);
  }

  /** Applies a change of the tenant's pipelines. */
  changed(tenantId: TenantId): void {
    this.#tenants.delete(tenantId);
    this.#forget();
  }

  /** Returns the newest unprocessed message of a device with pipelines; `undefined` if none is kept. */
  newestOf(device: IngestDevice): Reading | undefined {
    return this.#newest.of(device);
  }

  /** Forgets the last error of a pipeline whose steps were changed. */
  forgetError(pipelineId: string): void {
    this.#counting.forgetError(pipelineId);
  }

  /** Returns the counters, including unwritten ones. */
  countsOf(pipeline: Pipeline): PipelineCounts {
    return this.#counting.countsOf(pipeline);
  }

  #forget(): void {
    this.#matched = new WeakMap();
    this.#combined.clear();
    this.#fusedParts = 0;
  }

  #load(tenantId: TenantId): readonly Active[] {
    const active = this.#deps.repository.listActive(tenantId).flatMap((pipeline): Active[] => {
      try {
        return [{ pipeline, steps: compileStoredSteps(pipeline.steps) }];
      } catch (error) {
        // Checked when it was saved, perhaps by an older version. Telemetry is not lost because of it.
        this.#deps.log.error("pipeline cannot run", { pipelineId: pipeline.pipelineId, error });
        return [];
      }
    });
    this.#tenants.set(tenantId, active);
    return active;
  }

  #match(device: IngestDevice, active: readonly Active[]): Matched {
    const { deviceId, tenantId, profileId } = device;
    const attribute = (scope: string, key: string) => this.#attributeOf(device, scope, key);
    const inScope = active.filter(({ pipeline }) => this.#isInScope(pipeline, device));
    const context = { deviceId, tenantId, profileId, attribute };
    const matched = { ...this.#combine(inScope), context, newest: this.#newest.holderOf(device) };
    this.#matched.set(device, matched);
    return matched;
  }

  /** Reads an attribute once for all readings of a message. */
  #attributeOf(device: IngestDevice, scope: string, key: string): JsonValue | undefined {
    stepWork.spend(ATTRIBUTE_AGAIN_UNITS);
    const name = `${scope}/${key}`;
    if (this.#attributes.has(name)) return this.#attributes.get(name);
    stepWork.spend(ATTRIBUTE_UNITS);
    const value = this.#deps.attribute(device, scope, key, (characters) => stepWork.spend(characters));
    this.#attributes.set(name, value);
    return value;
  }

  #isInScope({ scope }: Pipeline, device: IngestDevice): boolean {
    const { deviceIds, deviceTypes, profileIds } = scope;
    if (deviceIds !== undefined && !deviceIds.includes(device.deviceId)) return false;
    if (profileIds !== undefined && !profileIds.includes(device.profileId)) return false;
    return deviceTypes === undefined || deviceTypes.includes(this.#deps.deviceTypeOf(device) ?? "");
  }

  /** Combines pipelines once for all devices that have the same ones, which is common within a tenant. */
  #combine(active: readonly Active[]): Selected {
    const name = active.map(({ pipeline }) => pipeline.pipelineId).join();
    const existing = this.#combined.get(name);
    if (existing !== undefined) return existing;
    const parts = partsIn(active);
    const hasRoom = parts <= FUSED_PARTS_MAX && this.#fusedParts + parts <= ALL_FUSED_PARTS_MAX;
    const fused = hasRoom ? fuse(active.map(({ steps }) => steps)) : undefined;
    if (fused !== undefined) this.#fusedParts += parts;
    const selected = {
      active,
      unitsPerReading: unitsOf(active, fused !== undefined),
      counts: active.map(({ pipeline }) => this.#counting.of(pipeline.pipelineId)),
      fused,
    };
    this.#combined.set(name, selected);
    return selected;
  }

  /** Applies fused steps to one reading, the most common case. */
  #applyFused(selected: Matched, fused: FusedSteps, reading: Reading): Applied | undefined | "failed" {
    try {
      const left = runFused(selected, fused, reading);
      if (left === reading) return undefined;
      return { readings: left === undefined ? nothing : [left], attributes: nothing, requests: nothing };
    } catch {
      return "failed";
    }
  }

  #applyEach(selected: Matched, readings: readonly Reading[]): Applied {
    const sideEffects: SideEffects = { attributes: [], requests: [], leftOut: new Map() };
    const kept = readings.flatMap((reading) => {
      const left = this.#run(selected, reading, sideEffects);
      // The steps of one reading are left out instead, and counted as errors.
      if (readings.length > 1)
        stepWork.spend(left === reading ? 0 : copyUnits(Object.keys(reading.values).length));
      return left ?? [];
    });
    if (sideEffects.leftOut.size > 0) this.#noteLeftOut(sideEffects.leftOut);
    const attributes = mergeAttributes(sideEffects.attributes);
    return { readings: kept, attributes, requests: sideEffects.requests };
  }

  #run(selected: Matched, reading: Reading, sideEffects: SideEffects): Reading | undefined {
    const sent = sideEffects.requests.length;
    webhookRoom.nextTimestamp();
    const mark = webhookRoom.mark();
    const leftOut = new Map(sideEffects.leftOut);
    try {
      return selected.fused === undefined
        ? runByName(selected, reading, sideEffects)
        : runFused(selected, selected.fused, reading);
    } catch {
      // Repeated step by step.
      sideEffects.requests.length = sent;
      sideEffects.leftOut.clear();
      for (const [pipeline, count] of leftOut) sideEffects.leftOut.set(pipeline, count);
      webhookRoom.reset(mark);
      return this.#runEach(selected, reading, sideEffects);
    }
  }

  /** Counts webhooks beyond a limit as errors of their pipelines, and reports one fault per message. */
  #noteLeftOut(leftOut: ReadonlyMap<Pipeline, number>): void {
    const { clock, events } = this.#deps;
    const { perTimestamp, perMessage, charactersPerMessage } = webhookLimits;
    const limits = { perTimestamp, perMessage, megabytes: charactersPerMessage / MIB };
    for (const [{ pipelineId }, number] of leftOut) {
      const count = this.#counting.of(pipelineId);
      count.errors += number;
      count.lastError = detail("step_failure.too_many_webhooks", limits);
      count.lastErrorAt = clock.now();
    }
    const [first] = leftOut.keys();
    if (first === undefined) return;
    const { tenantId, pipelineId: id } = first;
    const subject = { kind: "pipeline", id } as const;
    events.emit("fault.occurred", {
      ...detail("fault.webhooks_left_out", limits),
      source: "delivery",
      tenantId,
      subject,
    });
  }

  /** Runs the pipelines one by one, each with its own counters and failed steps. */
  #runEach({ active, context }: Matched, reading: Reading, sideEffects: SideEffects): Reading | undefined {
    let current = reading;
    stepWork.note(PIPELINE_ALONE_UNITS * active.length);
    for (const candidate of active) {
      const message = this.#runOne(candidate, current, { context, sideEffects });
      if (message === undefined) return undefined;
      for (const [scope, values] of message.attributes) sideEffects.attributes.push({ scope, values });
      current = toReading(message) ?? { ts: reading.ts, values: {} };
    }
    return Object.keys(current.values).length > 0 ? current : undefined;
  }

  #runOne(
    { pipeline, steps }: Active,
    reading: Reading,
    input: { context: StepContext; sideEffects: SideEffects },
  ): StepMessage | undefined {
    const { context, sideEffects } = input;
    const { clock } = this.#deps;
    const count = this.#counting.of(pipeline.pipelineId);
    count.messagesIn++;
    const message = continueSteps(steps, reading, {
      context,
      onFailure({ index, reason }) {
        count.errors++;
        const type = steps[index]?.type ?? "";
        count.lastError = detail("step_failure.of_step", { type, step: index + 1, reason });
        count.lastErrorAt = clock.now();
      },
      onOutgoing: (outcome) => send(outcome, { pipeline, context, sideEffects }),
    });
    if (message === undefined) count.messagesDropped++;
    else count.messagesOut++;
    return message;
  }
}
