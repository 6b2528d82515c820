import { detail } from "../../lib/domain-error.ts";
import type { TenantId } from "../../lib/ids.ts";
import type { JsonValue } from "../../lib/json.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EventBus } from "../../platform/event-bus.ts";
import type { Logger } from "../../platform/log.ts";
import { createPeriodic } from "../../platform/periodic.ts";
import type { DomainEvents } from "../events.types.ts";
import type { IngestDevice } from "../ingest/ingest.types.ts";
import type { OutboundRequest } from "../outbound/outbound.types.ts";
import type { Reading } from "../telemetry/telemetry.types.ts";
import { type FusedSteps, fuse } from "./fused-steps.ts";
import { createNewestMessages, type NewestMessage } from "./newest-messages.ts";
import type { Applied } from "./pipeline.types.ts";
import { createPipelineCounting } from "./pipeline-counting.ts";
import type { PipelinesRepository } from "./pipelines.repository.ts";
import type { Pipeline, PipelineCounts } from "./pipelines.types.ts";
import type { CompiledStep, StepContext, StepMessage, StepRequest } from "./step.types.ts";
import { compileSteps, runSteps, toMessage, toReading } from "./step-engine.ts";

/** Counters are written this often. */
const FLUSH_INTERVAL_MS = 10_000;

interface Active {
  readonly pipeline: Pipeline;
  readonly steps: readonly CompiledStep[];
}

/** Pipelines that run together, and what they have counted. */
interface Selected {
  readonly active: readonly Active[];
  readonly counts: readonly PipelineCounts[];
  /** `undefined` if a step does not know its keys. */
  readonly fused: FusedSteps | undefined;
}

/** Describes what is for a device. */
interface Matched extends Selected {
  readonly context: StepContext;
  readonly newest: NewestMessage;
}

/** Describes what messages became beside telemetry. */
interface SideEffects {
  readonly attributes: Array<Applied["attributes"][number]>;
  readonly requests: OutboundRequest[];
}

const nothing: readonly never[] = [];

/** Runs the active pipelines of a tenant over the messages of its devices. A device that none is for costs one look. */
export function createPipelineEngine(deps: {
  repository: PipelinesRepository;
  /** Of a device; undefined for one that is gone. */
  deviceTypeOf: (device: IngestDevice) => string | undefined;
  attribute: (device: IngestDevice, scope: string, key: string) => JsonValue | undefined;
  isEnabled: boolean;
  transact: (work: () => void) => void;
  clock: Clock;
  events: EventBus<DomainEvents>;
  log: Logger;
}) {
  const { repository, clock, log } = deps;
  /** Active pipelines of tenants whose devices have spoken since the last change. */
  const tenants = new Map<TenantId, readonly Active[]>();
  /** Those in whose scope a device is, as long as neither they nor the device have changed. */
  let matched = new WeakMap<IngestDevice, Matched>();
  const newest = createNewestMessages();
  const counting = createPipelineCounting(deps);
  /** Keyed by the ids of their pipelines. */
  const combined = new Map<string, Selected>();

  function load(tenantId: TenantId): readonly Active[] {
    const active = repository.listActive(tenantId).flatMap((pipeline): Active[] => {
      try {
        return [{ pipeline, steps: compileSteps(pipeline.steps) }];
      } catch (error) {
        // It was checked when it was written: an older version's, perhaps. Telemetry is not lost to it.
        log.error("a pipeline cannot be run", { pipelineId: pipeline.pipelineId, error });
        return [];
      }
    });
    tenants.set(tenantId, active);
    return active;
  }

  function isMeant({ scope }: Pipeline, device: IngestDevice): boolean {
    const { deviceIds, deviceTypes, profileIds } = scope;
    if (deviceIds !== undefined && !deviceIds.includes(device.deviceId)) return false;
    if (profileIds !== undefined && !profileIds.includes(device.profileId)) return false;
    return deviceTypes === undefined || deviceTypes.includes(deps.deviceTypeOf(device) ?? "");
  }

  function match(device: IngestDevice, active: readonly Active[]): Matched {
    const existingMatched = matched.get(device);
    if (existingMatched !== undefined) return existingMatched;
    const { deviceId, tenantId, profileId } = device;
    const attribute = (scope: string, key: string) => deps.attribute(device, scope, key);
    const meant = active.filter(({ pipeline }) => isMeant(pipeline, device));
    const context = { deviceId, tenantId, profileId, attribute };
    const sideEffects = { ...together(meant), context, newest: newest.holderOf(device) };
    matched.set(device, sideEffects);
    return sideEffects;
  }

  /** Most devices of a tenant have the same pipelines: they are put together once. */
  function together(active: readonly Active[]): Selected {
    const name = active.map(({ pipeline }) => pipeline.pipelineId).join();
    const selected = combined.get(name);
    if (selected !== undefined) return selected;
    const sideEffects = {
      active,
      counts: active.map(({ pipeline }) => counting.of(pipeline.pipelineId)),
      fused: fuse(active.map(({ steps }) => steps)),
    };
    combined.set(name, sideEffects);
    return sideEffects;
  }

  function runOne(
    { pipeline, steps }: Active,
    reading: Reading,
    input: { context: StepContext; sideEffects: SideEffects },
  ): StepMessage | undefined {
    const { context, sideEffects } = input;
    const count = counting.of(pipeline.pipelineId);
    count.messagesIn++;
    const message = runSteps(steps, reading, {
      context,
      onFailure({ index, reason }) {
        count.errors++;
        const type = steps[index]?.type ?? "";
        count.lastError = detail("step_failure.of_step", { type, step: index + 1, reason });
        count.lastErrorAt = clock.now();
      },
      onOutgoing: (outgoing) => send(outgoing, { pipeline, context, sideEffects }),
    });
    if (message === undefined) count.messagesDropped++;
    else count.messagesOut++;
    return message;
  }

  function send(
    outgoing: readonly StepRequest[],
    {
      pipeline,
      context,
      sideEffects,
    }: { pipeline: Pipeline; context: StepContext; sideEffects: SideEffects },
  ): void {
    const { tenantId, pipelineId: id } = pipeline;
    const source = { kind: "pipeline", id } as const;
    for (const { target, body } of outgoing)
      sideEffects.requests.push({ tenantId, source, target, orderKey: context.deviceId, body });
  }

  /** All pipelines over one message; the number of the one that dropped it. Throws when a step cannot do its work. */
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
      if (message.outgoing !== undefined) {
        send(message.outgoing, { pipeline, context, sideEffects });
        delete message.outgoing;
      }
      if (!isKept) return position;
    }
    return undefined;
  }

  /** One by one, each with what it counts and which of its steps had to be left out. */
  function runEach(
    { active, context }: Matched,
    reading: Reading,
    sideEffects: SideEffects,
  ): Reading | undefined {
    let current = reading;
    for (const candidate of active) {
      const message = runOne(candidate, current, { context, sideEffects });
      if (message === undefined) return undefined;
      for (const [scope, values] of message.attributes) sideEffects.attributes.push({ scope, values });
      current = toReading(message) ?? { ts: reading.ts, values: {} };
    }
    return Object.keys(current.values).length > 0 ? current : undefined;
  }

  /** `last`: which pipeline dropped the message; as many as there are for none. */
  function count({ counts: of }: Selected, last: number): void {
    for (let index = 0; index < of.length && index <= last; index++) {
      const pipelineCounts = of[index] as PipelineCounts; // within its bounds
      pipelineCounts.messagesIn++;
      if (index < last) pipelineCounts.messagesOut++;
      else pipelineCounts.messagesDropped++;
    }
  }

  function run(meant: Matched, reading: Reading, sideEffects: SideEffects): Reading | undefined {
    const sent = sideEffects.requests.length;
    try {
      return meant.fused === undefined
        ? runByName(meant, reading, sideEffects)
        : runFused(meant, meant.fused, reading);
    } catch {
      sideEffects.requests.length = sent; // begun anew, step by step
      return runEach(meant, reading, sideEffects);
    }
  }

  function runFused(meant: Matched, fused: FusedSteps, reading: Reading): Reading | undefined {
    const left = fused.run(reading.values, meant.context);
    count(meant, typeof left === "number" ? left : meant.active.length);
    if (left === undefined || typeof left === "number") return undefined;
    return left === reading.values ? reading : { ts: reading.ts, values: left };
  }

  /** The way that nearly all messages go: one reading, and steps that know their keys. */
  function applyFused(meant: Matched, fused: FusedSteps, reading: Reading): Applied | undefined | "failed" {
    try {
      const left = runFused(meant, fused, reading);
      if (left === reading) return undefined;
      return { readings: left === undefined ? nothing : [left], attributes: nothing, requests: nothing };
    } catch {
      return "failed";
    }
  }

  function applyEach(meant: Matched, readings: readonly Reading[]): Applied {
    const sideEffects: SideEffects = { attributes: [], requests: [] };
    const kept = readings.flatMap((reading) => run(meant, reading, sideEffects) ?? []);
    return { readings: kept, attributes: sideEffects.attributes, requests: sideEffects.requests };
  }

  function runByName(meant: Matched, reading: Reading, sideEffects: SideEffects): Reading | undefined {
    const message = toMessage(reading);
    const droppedBy = runAll(meant, message, sideEffects);
    count(meant, droppedBy ?? meant.active.length);
    if (droppedBy !== undefined) return undefined;
    for (const [scope, values] of message.attributes) sideEffects.attributes.push({ scope, values });
    return toReading(message);
  }

  const forget = () => {
    matched = new WeakMap();
    combined.clear();
  };
  deps.events.on("device.updated", forget);
  deps.events.on("tenant.deleted", ({ tenantId }) => {
    tenants.delete(tenantId);
    forget();
  });
  const flushing = createPeriodic({ clock, log, intervalMs: FLUSH_INTERVAL_MS, work: counting.flush });

  return {
    start: flushing.start,
    stop(): void {
      flushing.stop();
      counting.flush();
    },
    /** Returns `undefined` if nothing is to be changed. */
    apply(device: IngestDevice, readings: readonly Reading[]): Applied | undefined {
      if (!deps.isEnabled) return undefined;
      const active = tenants.get(device.tenantId) ?? load(device.tenantId);
      if (active.length === 0) return undefined;
      const meant = match(device, active);
      if (meant.active.length === 0) return undefined;
      meant.newest.reading = readings[readings.length - 1];
      const alone = readings.length === 1 ? readings[0] : undefined;
      if (alone !== undefined && meant.fused !== undefined) {
        const applied = applyFused(meant, meant.fused, alone);
        if (applied !== "failed") return applied;
      }
      return applyEach(meant, readings);
    },
    /** Pipelines of the tenant were changed. */
    changed(tenantId: TenantId): void {
      tenants.delete(tenantId);
      forget();
    },
    /** The newest message of a device that pipelines are for, as it came; undefined when none is remembered. */
    newestOf: newest.of,
    /** Its steps are others now. */
    forgetError: counting.forgetError,
    /** Counters with what is not written yet. */
    countsOf: counting.countsOf,
  };
}

export type PipelineEngine = ReturnType<typeof createPipelineEngine>;
