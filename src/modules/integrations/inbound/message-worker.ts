import { detail, toText } from "../../../lib/core/domain-error.ts";
import type { NoteLeftOut } from "../../../lib/json/sent-json.ts";
import type { Text } from "../../../lib/texts/text.ts";
import { refusedWrite } from "../../../platform/database/storage-failure.ts";
import { workShare } from "../../../platform/load/fair-share.ts";
import type { AttributesService } from "../../attributes/attributes.service.ts";
import type { IngestService } from "../../ingest/ingest.service.ts";
import type { IngestDevice } from "../../ingest/ingest.types.ts";
import type { StepWatcher } from "../../pipelines/step-engine.ts";
import type { ScriptResult, ScriptRun } from "../../script-sandbox/script-sandbox.types.ts";
import { messageOwner } from "../integration-principal.ts";
import type { Integration } from "../integrations.resource.ts";
import type {
  DeviceReference,
  DownlinkReport,
  InboundMessage,
  NormalizedMessage,
} from "../integrations.types.ts";
import type { DeviceResolution } from "./device-resolution.ts";
import type { DecodeFrame } from "./frame-decoding.ts";
import type { LiveIntegration } from "./live-integration.ts";
import type { Work } from "./message-outcome.ts";
import {
  asStageFailure,
  inStage,
  type Maker,
  type Mapped,
  type MessagePart,
  mapMessage,
  ofMaker,
  partsOf,
  StageFailure,
  scriptRunOf,
} from "./message-parts.ts";

export interface MessageWorkerDeps {
  readonly runScript: (run: ScriptRun) => Promise<ScriptResult>;
  readonly decodeFrame: DecodeFrame;
  /** Called with a network server's report on a downlink of this gateway. */
  readonly onDownlink: (integration: Integration, report: DownlinkReport) => void;
  /** Stores the values of one device. Previews discard them. */
  readonly store: (part: MessagePart, input: Given) => void;
}

/** Observes the mapping of a message. */
interface MappingWatcher {
  readonly onStep: StepWatcher;
  /** Called with the reason for each skipped step. */
  readonly onFailure: (note: Text) => void;
}

export interface Given {
  readonly live: LiveIntegration;
  readonly source: InboundMessage;
  readonly work: Work;
  readonly maker?: Maker | undefined;
  /** Set for previews. */
  readonly watcher?: MappingWatcher;
}

const isFromDevice = ({ kind, downlink, log }: NormalizedMessage): boolean =>
  kind === "uplink" && downlink === undefined && log === undefined;

/** Takes the parts of a message through mapping, script, device and ingest; writes the outcome to `work`. */
export type WorkThrough = (messages: readonly NormalizedMessage[], input: Given) => Promise<void>;

const noteOf = ({ state }: DownlinkReport): Text =>
  detail("integration_note.downlink", { state: detail(`downlink_state.${state}`) });

/** Runs `action`; an error in one part does not affect the others. */
function attempt({ work, maker }: Pick<Given, "work" | "maker">, action: () => void): void {
  try {
    action();
  } catch (error) {
    if (!(error instanceof StageFailure)) throw error;
    work.failures.push(ofMaker(error, maker));
  }
}

/** Runs `action` and attributes its errors to the stage that produced the values. */
function blame<Result>(maker: Maker, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw error instanceof StageFailure ? ofMaker(error, maker) : error;
  }
}

function noteScript({ console, warnings }: ScriptResult, work: Work): void {
  work.notes.push(...console.slice(0, 5).map(({ text }) => text), ...warnings.slice(0, 5));
}

/** Adds the device that only the topic names. */
function named(message: NormalizedMessage, { topicDevice }: InboundMessage): NormalizedMessage {
  const { deviceToken, devEui, externalId } = message.device;
  if (topicDevice === undefined || (deviceToken ?? devEui ?? externalId) !== undefined) return message;
  return { ...message, device: { ...message.device, externalId: topicDevice } };
}

/** Ends the whole message for an error that no sender caused; the message is sent again, and stored points are overwritten with the same values. */
function fail(work: Work, error: unknown): void {
  if (error instanceof StageFailure) {
    work.failures.push(error);
    return;
  }
  for (const commit of work.commits) commit.catch(() => undefined);
  throw refusedWrite(error);
}

/** Takes messages through mapping, script, device and ingest. */
export class MessageWorker {
  readonly #deps: MessageWorkerDeps;

  constructor(deps: MessageWorkerDeps) {
    this.#deps = deps;
  }

  /** Takes the parts of a message through all stages, one after the other. */
  async workThrough(messages: readonly NormalizedMessage[], input: Given): Promise<void> {
    const owner = messageOwner(input.live.integration);
    for (const message of messages)
      try {
        // One message may carry thousands of devices that have to be made.
        const share = workShare.pause(owner);
        if (share !== undefined) await share;
        const later = this.#workOn(named(message, input.source), input);
        if (later !== undefined) await later;
      } catch (error) {
        fail(input.work, error);
      }
  }

  /** Returns a promise only if a script runs. */
  #workOn(message: NormalizedMessage, input: Given): Promise<void> | undefined {
    this.#noteReport(message, input);
    const decoding = this.#deps.decodeFrame(message, input.live, input.source.receivedAt);
    if (decoding === undefined) return this.#mapAndStore(message, input);
    return decoding.then((decoded) => {
      noteScript(decoded.scripted, input.work);
      if (decoded.scripted.value !== undefined)
        return blame("script", () => this.#mapAndStore(decoded.message, { ...input, maker: "script" }));
      input.work.dropped ??= "script";
      return undefined;
    });
  }

  #noteReport({ downlink, log }: NormalizedMessage, { live, work }: Given): void {
    if (log !== undefined) work.notes.push(`${log.level}: ${log.text}`);
    if (downlink === undefined) return;
    this.#deps.onDownlink(live.integration, downlink);
    work.notes.push(noteOf(downlink));
  }

  #mapAndStore(message: NormalizedMessage, input: Given): Promise<void> | undefined {
    const { live, source, work, watcher } = input;
    const { integration, script } = live;
    const { tenantId } = integration;
    const { onStep, onFailure = (note) => void work.notes.push(note) }: Partial<MappingWatcher> =
      watcher ?? {};
    const mapped = inStage("mapping", () =>
      mapMessage(live.steps, { message, receivedAt: source.receivedAt, tenantId, onFailure, onStep }),
    );
    if (mapped === undefined) {
      work.dropped ??= "mapping";
      return undefined;
    }
    if (script === undefined || message.kind !== "uplink") {
      const maker = live.steps.length > 0 ? "mapping" : input.maker;
      return this.#storeParts(message, mapped, { ...input, maker });
    }
    const run = scriptRunOf(integration, script, { mapped, message, source });
    return this.#runScript(run).then((scripted) =>
      this.#storeParts(message, mapped, { ...input, scripted, maker: "script" }),
    );
  }

  #runScript(run: ScriptRun): Promise<ScriptResult> {
    return this.#deps.runScript(run).catch((error) => {
      throw asStageFailure("script", error);
    });
  }

  /** Stores the parts of a message, after its script if it has one. Returns a promise only for several parts. */
  #storeParts(
    message: NormalizedMessage,
    mapped: Mapped,
    input: Given & { scripted?: ScriptResult },
  ): Promise<void> | undefined {
    const { live, work, scripted } = input;
    if (scripted !== undefined) noteScript(scripted, work);
    if (scripted !== undefined && scripted.value === undefined) {
      work.dropped ??= "script";
      return undefined;
    }
    const parts = inStage("script", () => partsOf(message, live.settings, { mapped, scripted }));
    const [only] = parts;
    if (parts.length > 1 || only === undefined) return this.#storeEach(message, parts, input);
    this.#store(message, only, input);
    return undefined;
  }

  /** Stores parts in turns: a script may name a thousand devices that have to be made. */
  async #storeEach(message: NormalizedMessage, parts: readonly MessagePart[], input: Given): Promise<void> {
    const owner = messageOwner(input.live.integration);
    for (const part of parts) {
      const share = workShare.pause(owner);
      if (share !== undefined) await share;
      this.#store(message, part, input);
    }
  }

  #store(message: NormalizedMessage, part: MessagePart, input: Given): void {
    const isEmpty = part.body === undefined && part.attributes.size === 0;
    // What only reports something needs no device of ours.
    if (!isEmpty || isFromDevice(message)) attempt(input, () => this.#deps.store(part, input));
  }
}

export interface PartStoreDeps {
  readonly resolution: Pick<DeviceResolution, "resolve" | "mayDescribe">;
  readonly ingest: Pick<IngestService, "admit" | "toReadings" | "readings" | "clientAttributes">;
  readonly attributes: Pick<AttributesService, "setFor">;
  /** Called when a device has sent a message; it is online and reachable through the integration. */
  readonly onDeviceSeen: (integration: Integration, device: IngestDevice, reference: DeviceReference) => void;
  /** Adds metadata announced by the device to its profile. */
  readonly describeKeys: (device: IngestDevice, keys: NonNullable<NormalizedMessage["keys"]>) => void;
}

/** Stores the values of one device, which is created if the integration creates devices. */
export function storePart(deps: PartStoreDeps, part: MessagePart, { live, source, work }: Given): void {
  const { ingest, resolution, onDeviceSeen } = deps;
  const { integration, settings } = live;
  const { device, isNew } = inStage("resolution", () =>
    resolution.resolve(integration, settings, part.device),
  );
  onDeviceSeen(integration, device, part.device);
  if (part.keys !== undefined && part.keys.length > 0) {
    if (resolution.mayDescribe(integration, settings, device.profileId)) deps.describeKeys(device, part.keys);
    else work.notes.push(detail("integration_note.foreign_profile"));
  }
  inStage("ingest", () => {
    const note: NoteLeftOut = (reason) => void work.notes.push(toText(reason));
    const readings = part.body === undefined ? [] : ingest.toReadings(part.body, note);
    if (readings.length > 0 || part.attributes.size > 0) {
      const where = source.topic ?? integration.name;
      ingest.admit(device, { source: "integration", where, body: source.bytes });
    }
    if (readings.length > 0) work.commits.push(ingest.readings(device, readings));
    saveAttributes(deps, device, { part, work });
    const [first] = readings;
    work.stored.push({
      deviceId: device.deviceId,
      name: device.name,
      ...(isNew && { isNew }),
      ...(first !== undefined && { ts: first.ts, telemetry: first.values }),
      ...(part.attributes.size > 0 && {
        attributes: [...part.attributes.values()].flatMap((of) => [...of.keys()]),
      }),
    });
  });
}

function saveAttributes(
  { ingest, attributes }: PartStoreDeps,
  device: IngestDevice,
  { part, work }: { part: MessagePart; work: Work },
): void {
  for (const [scope, values] of part.attributes)
    if (scope === "CLIENT") work.commits.push(ingest.clientAttributes(device, Object.fromEntries(values)));
    else attributes.setFor(device, scope, values);
}
