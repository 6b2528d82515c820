import { DomainError, type ErrorKind, invalid } from "../../lib/core/domain-error.ts";
import { invariant } from "../../lib/core/invariant.ts";
import type { BodyEncoding } from "../../lib/json/body.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import type { NoteLeftOut } from "../../lib/json/sent-json.ts";
import { refusedWrite } from "../../platform/database/storage-failure.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { AttributesService } from "../attributes/attributes.service.ts";
import { deviceBytesLimit, deviceMessagesLimit } from "../devices/devices.errors.ts";
import type { Applied } from "../pipelines/applied.types.ts";
import type { KeyLimitHit, TelemetryStore } from "../telemetry/store/store.types.ts";
import { keysLimit } from "../telemetry/telemetry.errors.ts";
import type { Reading, TelemetryValue } from "../telemetry/telemetry.types.ts";
import { bytesLimit, messagesLimit } from "../tenants/tenants.errors.ts";
import type { DeviceTraffic } from "./device-traffic.ts";
import { splitAhead } from "./held-readings.ts";
import type { DeviceIngest, IngestDevice, IngestSource, MessageKind, Rejection } from "./ingest.types.ts";
import {
  bodyOf,
  createMessageReader,
  type Message,
  type MessageOrigin,
  messageOf,
  originOf,
  type Received,
  type Reception,
  readingsOf,
} from "./ingest-message.ts";
import { toReadings } from "./readings.ts";

/** Min. interval in ms at which messages beyond a device's rate are shown live. */
const SHOWING_INTERVAL_MS = 1_000;

/** Temporary refusals: a retry may succeed without intervention. */
const PASSING_KINDS: ReadonlySet<ErrorKind> = new Set(["unavailable", "timed_out"]);

/** Creates the rate limits of devices and tenants, which list refused messages. */
function createRateGate(deps: {
  clock: Pick<Clock, "monotonic">;
  /** Counts a received message and its bytes, before its outcome is known. */
  received: (device: IngestDevice, bytes: number) => void;
  /** Counts and lists a refused message. */
  refused: (device: IngestDevice, rejection: Rejection) => void;
}) {
  const { clock } = deps;

  /** Shows the first message beyond the rate live, then one per second; the fault counts all of them. */
  function listOverRate(device: IngestDevice, rejection: Rejection): void {
    const now = clock.monotonic();
    const { overRateShownAt } = device;
    if (overRateShownAt !== undefined && now - overRateShownAt < SHOWING_INTERVAL_MS) {
      const { source, where, code, params } = rejection;
      deps.refused(device, { source, where, code, params, isCountedOnly: true });
      return;
    }
    device.overRateShownAt = now;
    deps.refused(device, rejection);
  }

  function ensureDevice({ limiter, byteLimiter }: IngestDevice, bytes: number): void {
    const now = clock.monotonic();
    limiter?.ensure(now, 1, deviceMessagesLimit);
    byteLimiter?.ensure(now, bytes, deviceBytesLimit);
  }

  function ensureTenant(
    { messages, bytes: byteMeter }: NonNullable<IngestDevice["meters"]>,
    bytes: number,
  ): void {
    const now = clock.monotonic();
    messages.ensure(now, 1, messagesLimit);
    byteMeter.ensure(now, bytes, bytesLimit);
  }

  return {
    /** @throws DomainError `limited` beyond the message or byte rate of the device or its tenant's plan */
    ensure(device: IngestDevice, bytes: number): void {
      deps.received(device, bytes);
      if (device.limiter !== undefined || device.byteLimiter !== undefined) ensureDevice(device, bytes);
      const { meters } = device;
      if (meters !== undefined) {
        if (meters.messages.isLimited || meters.bytes.isLimited) ensureTenant(meters, bytes);
        else {
          meters.messages.passed++;
          meters.bytes.passed += bytes;
        }
      }
      device.overRateShownAt = undefined;
    },
    /** Lists a permanently refused message, or one beyond the rate, on the device. */
    list(device: IngestDevice, error: unknown, message: Omit<Rejection, "code" | "params">): void {
      if (!(error instanceof DomainError)) return;
      const { kind, code, params } = error;
      if (kind === "limited") listOverRate(device, { ...message, code, params });
      else if (!PASSING_KINDS.has(kind)) deps.refused(device, { ...message, code, params });
    },
  };
}

/** Number in JSON syntax without an exponent: "007" and "+1" are identifiers or telephone numbers. */
const PLAIN_DECIMAL = /^-?(?:0|[1-9]\d{0,15})(?:\.\d{1,20})?$/;

/** Converts a string that is a plain decimal number; returns any other value unchanged. */
function toNumber(value: TelemetryValue): TelemetryValue {
  if (typeof value !== "string" || !PLAIN_DECIMAL.test(value)) return value;
  const number = Number(value);
  // Beyond 2^53, doubles cannot represent every integer, so the text is kept.
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : value;
}

/** Returns readings with plain decimal strings converted to numbers. Objects and lists are unchanged. */
export const withNumbers = (readings: readonly Reading[]): Reading[] =>
  readings.map(({ ts, values }) => {
    const converted: Record<string, TelemetryValue> = Object.create(null); // `__proto__` is only a name
    for (const key of Object.keys(values)) converted[key] = toNumber(values[key] as TelemetryValue); // one of its keys
    return { ts, values: converted };
  });

/**
 * Called for every accepted message, in addition to the store: realtime, activity, alarms. Must not throw or block. The message is acknowledged once
 * the returned promise resolves.
 */
export type TelemetryObserver = (device: IngestDevice, readings: readonly Reading[]) => Promise<void> | void;

export interface IngestService extends DeviceIngest {
  /** Accepts a body over HTTP, whose content type names the encoding; `batch` selects the batch form. */
  post(
    device: IngestDevice,
    kind: MessageKind,
    message: { body: Uint8Array; encoding: BodyEncoding },
  ): Promise<void>;
  /** Accepts a body that its edge has decoded, with its original bytes. */
  frame(
    device: IngestDevice,
    kind: MessageKind,
    message: { body: unknown; bytes: Uint8Array },
  ): Promise<void>;
  /**
   * Accepts readings of edges without a body (generators, gateways, integrations), on the same path without decoding. @throws DomainError
   * `exhausted` for keys beyond a limit, which is not listed; the other values are stored
   */
  readings(device: IngestDevice, readings: readonly Reading[]): Promise<void>;
  /** Accepts readings from an import by a user: stored like any other, without marking the device as active or showing live data. */
  history(device: IngestDevice, readings: readonly Reading[]): Promise<void>;
  /**
   * Counts a message with parts for several devices once, towards the rate of its sender's tenant. @throws DomainError `limited`, listed on the
   * sender
   */
  admit(sender: IngestDevice, message: { source: IngestSource; where: string; body: Uint8Array }): void;
  /**
   * Converts a decoded body to readings, with the current time as default timestamp; `readings` holds those ahead of the clock. `note` receives
   * omitted and converted values. @throws DomainError `invalid`
   */
  toReadings(body: unknown, note: NoteLeftOut): Reading[];
  /** Like `attributes`, for decoded values. */
  clientAttributes(device: IngestDevice, values: unknown): Promise<void>;
  readonly stats: IngestStats;
}

/** Origin of readings created by another module. */
const ownMessage: MessageOrigin = { source: "generator", where: "readings" };

export interface IngestStats {
  messages: number;
  refused: number;
}

/** Result if some readings are beyond a limit; the others are being written. */
interface PartlyKept {
  readonly committed: Promise<void>;
  readonly refusal: DomainError;
}

/** Result of a message; just its commit if everything is kept, so that most messages allocate no object. */
type Kept = Promise<void> | PartlyKept;

const nothing = () => undefined;
const nothingToStore = Promise.resolve();

/** Sets attributes created by pipelines. Invalid ones (too large, too many) are listed, and do not affect the rest of the message. */
function setAttributes(
  device: IngestDevice,
  attributes: Applied["attributes"],
  { set, refused }: { set: AttributesService["setFor"]; refused: (error: DomainError) => void },
): void {
  for (const { scope, values } of attributes)
    try {
      set(device, scope, values);
    } catch (error) {
      if (!(error instanceof DomainError) || error.kind !== "invalid") throw error;
      refused(error);
    }
}

interface IngestDeps {
  store: Pick<TelemetryStore, "append" | "fit">;
  attributes: Pick<AttributesService, "setClient" | "setFor">;
  /** Returns the result of data pipelines for a message; undefined if they change nothing. */
  transform: (device: IngestDevice, readings: readonly Reading[]) => Applied | undefined;
  /** Queues requests of pipelines to other programs once the message is committed; resolves when they are durable. */
  forward: (committed: Promise<void>, requests: Applied["requests"]) => Promise<void>;
  /** Resolves once attributes written so far are on disk. */
  attributesDurable: () => Promise<void>;
  onRejected: (device: IngestDevice, rejection: Rejection) => void;
  observers: readonly TelemetryObserver[];
  touch: (device: IngestDevice) => void;
  traffic: Pick<DeviceTraffic, "received" | "rejected">;
  /** Keeps readings ahead of the gateway's clock; resolves when they are on disk. */
  hold: (device: IngestDevice, readings: readonly Reading[]) => Promise<void>;
  /** @throws DomainError `unavailable` while storage cannot accept more */
  ensureRoom: () => void;
  clock: Clock;
}

/** Returns a function that notifies all observers of readings. Its promise resolves when the commit and the observers' writes are on disk. */
const createNotifier =
  (observers: readonly TelemetryObserver[]) =>
  (device: IngestDevice, readings: readonly Reading[], committed: Promise<void>): Promise<void> => {
    let besides: Array<Promise<void>> | undefined;
    for (const observe of observers) {
      const written = observe(device, readings);
      if (written === undefined) continue;
      besides ??= [committed];
      besides.push(written);
    }
    return besides === undefined ? committed : Promise.all(besides).then(nothing);
  };

/** Returns the context for parsing a message. Omitted parts are listed on its device; the message itself is not refused. */
const receptionOf = (
  { clock, onRejected }: Pick<IngestDeps, "clock" | "onRejected">,
  device: IngestDevice,
  message: Message,
): Reception => ({
  now: clock.now(),
  note: ({ code, params }) => onRejected(device, { ...originOf(message), code, params }),
});

const createAttributesSave =
  (deps: Pick<IngestDeps, "attributes" | "attributesDurable" | "ensureRoom" | "touch">) =>
  (device: IngestDevice, values: unknown): Promise<void> => {
    if (!isJsonObject(values)) throw invalid("attribute.body_invalid");
    deps.ensureRoom();
    deps.attributes.setClient(device, values);
    deps.touch(device);
    return deps.attributesDurable();
  };

export function createIngestService(deps: IngestDeps): IngestService {
  const { store, clock } = deps;
  const notifyObservers = createNotifier(deps.observers);
  const stats: IngestStats = { messages: 0, refused: 0 };
  const read = createMessageReader();
  const saveAttributes = createAttributesSave(deps);
  const rate = createRateGate({
    clock,
    received: (...args) => deps.traffic.received(...args),
    refused: reject,
  });

  function accept(device: IngestDevice, readings: readonly Reading[], from?: Received): Kept {
    deps.ensureRoom();
    const applied = deps.transform(device, readings);
    if (applied === undefined) return keep(device, readings);
    const hasTelemetryOnly = applied.attributes.length === 0 && applied.requests.length === 0;
    return hasTelemetryOnly ? keep(device, applied.readings) : keepApplied(device, applied, from);
  }

  function keep(device: IngestDevice, readings: readonly Reading[]): Kept {
    const committed = keepAll(device, readings);
    if (committed !== undefined) return committed;
    const { readings: fitting, hit } = store.fit(device.store, readings);
    const kept = keepAll(device, fitting);
    invariant(kept !== undefined, "what fits is kept");
    return hit === undefined ? kept : { committed: kept, refusal: keysLimit(hit) };
  }

  /** Returns undefined without keeping anything if some readings are beyond a limit. */
  function keepAll(device: IngestDevice, readings: readonly Reading[]): Promise<void> | undefined {
    const committed = readings.length === 0 ? nothingToStore : store.append(device.store, readings);
    if (committed === undefined) return undefined;
    stats.messages++;
    deps.touch(device);
    return readings.length === 0 ? committed : notifyObservers(device, readings, committed);
  }

  /**
   * Writes webhooks between the commit of the telemetry and its acknowledgement: a crash or power cut loses no acknowledged webhook, and an
   * unacknowledged message is resent by its device, at worst with a repeated webhook.
   */
  function keepApplied(
    device: IngestDevice,
    { readings, attributes, requests }: Applied,
    from: Received | undefined,
  ): Kept {
    setAttributes(device, attributes, {
      set: deps.attributes.setFor,
      refused: (error) => rate.list(device, error, from ? originOf(from.message) : ownMessage),
    });
    const { committed: kept, refusal } = outcomeOf(keep(device, readings));
    const forwarded = requests.length === 0 ? kept : deps.forward(kept, requests);
    const committed =
      attributes.length === 0 ? forwarded : Promise.all([forwarded, deps.attributesDurable()]).then(nothing);
    return refusal === undefined ? committed : { committed, refusal };
  }

  /** Accepts readings; those ahead of the clock are kept until due. */
  function acceptOrHold(device: IngestDevice, sent: readonly Reading[], from?: Received): Kept {
    const readings = device.convertsNumericText === true ? withNumbers(sent) : sent;
    const split = splitAhead(readings, from?.now ?? clock.now());
    if (split === undefined) return accept(device, readings, from);
    const { due, ahead } = split;
    const held = deps.hold(device, ahead);
    if (due.length === 0) return held;
    const { committed: kept, refusal } = outcomeOf(accept(device, due, from));
    const committed = Promise.all([held, kept]).then(nothing);
    return refusal === undefined ? committed : { committed, refusal };
  }

  /** Lists a refused message on its device and rethrows the error. `decoded`: body, if the edge has decoded it. */
  function receive(device: IngestDevice, message: Message, decoded?: { body: unknown }): Promise<void> {
    try {
      rate.ensure(device, message.end - message.start);
      const context = receptionOf(deps, device, message);
      if (message.kind === "attributes")
        return saveAttributes(device, decoded ? decoded.body : bodyOf(message, context.note));
      const readings = decoded ? readingsOf(message, decoded.body, context) : read(device, message, context);
      if (readings.length === 0) return Promise.resolve(deps.touch(device)); // an empty message is a sign of life
      const kept = acceptOrHold(device, readings, { message, now: context.now });
      if (kept instanceof Promise) return kept;
      rate.list(device, kept.refusal, originOf(message));
      return failAfter(kept.committed, kept.refusal);
    } catch (error) {
      rate.list(device, error, originOf(message));
      throw refusedWrite(error);
    }
  }

  function reject(device: IngestDevice, rejection: Rejection): void {
    stats.refused++;
    deps.traffic.rejected(device);
    deps.onRejected(device, rejection);
  }

  return {
    telemetry: (device, body, source) =>
      receive(device, messageOf("telemetry", body, { encoding: device.payload, source })),
    packet: (device, { buffer, start, end }) =>
      receive(device, { kind: "telemetry", buffer, start, end, encoding: device.payload, source: "mqtt" }),
    attributes: (device, body, source) =>
      receive(device, messageOf("attributes", body, { encoding: device.payload, source })),
    post: (device, kind, { body, encoding }) =>
      receive(device, messageOf(kind, body, { encoding, source: "http" })),
    frame: (device, kind, { body, bytes }) =>
      receive(device, messageOf(kind, bytes, { encoding: "JSON", source: "ws" }), { body }),
    readings(device, readings) {
      const { committed, refusal } = outcomeOf(acceptOrHold(device, readings));
      if (refusal === undefined) return committed;
      committed.catch(() => undefined); // the caller gets the error
      throw refusal;
    },
    admit(sender, { source, where, body }) {
      try {
        rate.ensure(sender, body.byteLength);
      } catch (error) {
        rate.list(sender, error, { source, where, sample: body });
        throw error;
      }
    },
    toReadings: (body, note) => toReadings(body, clock.now(), { note }),
    clientAttributes: saveAttributes,
    history: (device, readings) => appendHistory(deps, device, readings),
    reject,
    refuse: rate.list,
    stats,
  };
}

/** Appends readings from a file. If the key limit is exceeded, stores the values that fit, then rejects. */
function appendHistory(
  { store, ensureRoom }: Pick<IngestDeps, "store" | "ensureRoom">,
  device: IngestDevice,
  readings: readonly Reading[],
): Promise<void> {
  ensureRoom();
  const { committed, hit } = appendFitting(store, device, readings);
  return hit === undefined ? committed : failAfter(committed, keysLimit(hit));
}

/** Appends the readings or, if they have keys beyond a limit, the remaining values. */
function appendFitting(
  store: Pick<TelemetryStore, "append" | "fit">,
  device: IngestDevice,
  readings: readonly Reading[],
): { committed: Promise<void>; hit?: KeyLimitHit | undefined } {
  const committed = store.append(device.store, readings);
  if (committed !== undefined) return { committed };
  const { readings: fitting, hit } = store.fit(device.store, readings);
  const kept = store.append(device.store, fitting);
  invariant(kept !== undefined, "what fits is kept");
  return { committed: kept, hit };
}

/** Waits for the commit of the kept readings before rejecting with the refusal. */
const failAfter = (committed: Promise<void>, refusal: DomainError): Promise<never> =>
  committed.then(() => {
    throw refusal;
  });

const outcomeOf = (kept: Kept): { readonly committed: Promise<void>; readonly refusal?: DomainError } =>
  kept instanceof Promise ? { committed: kept } : kept;
