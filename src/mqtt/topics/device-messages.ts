import { invalid } from "../../lib/core/domain-error.ts";
import { type BodyEncoding, decodeBody, EncodedObject, encodeStored } from "../../lib/json/body.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import { parseNames } from "../../lib/keys/name-list.ts";
import type { AttributesService } from "../../modules/attributes/attributes.service.ts";
import type { CommandEngine } from "../../modules/commands/command-engine.ts";
import type { OwnRequests } from "../../modules/commands/own-requests.ts";
import type { DeviceIngest, IngestDevice, IngestSource } from "../../modules/ingest/ingest.types.ts";
import type { ClaimingService } from "../../modules/provisioning/claiming.service.ts";
import type { Logger } from "../../platform/core/log.ts";
import { type DeviceMessageHandler, listingErrors } from "../connection/listed-errors.ts";
import { createCommandResponses } from "./device-commands.ts";
import type { createGateways } from "./gateways.ts";

/** Requests of a device over MQTT or a WebSocket: its attributes, the limits of its session, the time. */
interface DeviceRequestsDeps {
  readonly attributes: Pick<AttributesService, "readEach">;
  /** Returns the encoding of responses to the device. */
  readonly encodingOf: (device: IngestDevice) => BodyEncoding;
  readonly ingest: Pick<DeviceIngest, "refuse">;
  readonly ownRequests: OwnRequests;
  readonly log: Logger;
  readonly source: IngestSource;
  publish(device: IngestDevice, topic: string, body: unknown): Promise<void>;
}

const ATTRIBUTES = "v1/devices/me/attributes/";
const RPC = "v1/devices/me/rpc/";
const REQUEST = "request/";
/** Identifiers are 32-bit integers, kept as text so that the response repeats them exactly. */
const ID_DIGITS = /^\d{1,10}$/;

type Handler = (device: IngestDevice, body: unknown) => unknown;

/** Handles `…/request/{id}` and responds on `…/response/{id}`; undefined for other topics. */
function createDeviceRequests(deps: DeviceRequestsDeps) {
  const handlers: Record<string, Handler> = {
    [ATTRIBUTES]: (device, body) => readAttributes(deps, device, parseAttributesRequest(body)),
    [RPC]: (device, body) => deps.ownRequests(device, body),
  };

  return listingErrors(deps, (device, topic, bytes) => {
    const prefix = Object.keys(handlers).find((start) => topic.startsWith(start + REQUEST));
    const response = prefix === undefined ? undefined : handlers[prefix];
    if (prefix === undefined || response === undefined) return undefined;
    const id = topic.slice(prefix.length + REQUEST.length);
    if (!ID_DIGITS.test(id)) throw invalid("request.id_invalid");
    const body = response(device, decodeBody(bytes, device.payload));
    const respond = async () => deps.publish(device, `${prefix}response/${id}`, await body);
    // Not waited for: a script must not delay the acknowledgements of telemetry, and a device that hears no response asks again.
    respond().catch((error) =>
      deps.log.error("request not answered", { deviceId: device.deviceId, topic, error }),
    );
    return Promise.resolve();
  });
}

function keysOf(body: Record<string, unknown>, name: string): string[] | undefined {
  const keys = body[name];
  if (keys === undefined || keys === null) return undefined;
  if (typeof keys !== "string") throw invalid("request.keys_invalid", { name });
  return parseNames(keys).flatMap((key) => key.trim() || []);
}

async function readAttributes(
  deps: DeviceRequestsDeps,
  device: IngestDevice,
  [client, shared]: readonly [client?: string[] | undefined, shared?: string[] | undefined],
): Promise<EncodedObject> {
  const isAll = client === undefined && shared === undefined;
  const encoding = deps.encodingOf(device);
  const section = async (name: string, scope: "CLIENT" | "SHARED", keys: string[] | undefined) => {
    if (!isAll && keys === undefined) return [];
    const convert = (text: string) => encodeStored(encoding, text);
    const members = await deps.attributes.readEach(device, { scope, keys }, convert);
    return members.length === 0 ? [] : [[name, new EncodedObject(encoding, members).bytes] as const];
  };
  return new EncodedObject(encoding, [
    ...(await section("client", "CLIENT", client)),
    ...(await section("shared", "SHARED", shared)),
  ]);
}

/** @throws DomainError `invalid` */
function parseAttributesRequest(body: unknown) {
  if (!isJsonObject(body)) throw invalid("request.body_invalid");
  return [keysOf(body, "clientKeys"), keysOf(body, "sharedKeys")] as const;
}

const CLAIM = "v1/devices/me/claim";

/** Handles claiming requests of devices; undefined for other topics. */
const createDeviceClaims = (deps: {
  claiming: Pick<ClaimingService, "check" | "request">;
  ingest: Pick<DeviceIngest, "refuse">;
  source: IngestSource;
}) =>
  listingErrors(deps, (device, topic, bytes) =>
    topic === CLAIM
      ? deps.claiming.request(device, deps.claiming.check(decodeBody(bytes, device.payload)))
      : undefined,
  );

type ClaimsDeps = Parameters<typeof createDeviceClaims>[0];

interface DeviceMessagesDeps
  extends Omit<DeviceRequestsDeps, "source" | "publish" | "encodingOf">,
    Pick<ClaimsDeps, "claiming"> {
  readonly commands: Pick<CommandEngine, "answered">;
  readonly gateways: Pick<ReturnType<typeof createGateways>, "onMessage">;
  durable(): Promise<void>;
}

/**
 * Creates the handler for messages of devices other than telemetry and attributes: requests, responses to commands, claiming requests, and messages
 * of gateways.
 */
export const createDeviceMessages =
  (deps: DeviceMessagesDeps) =>
  (
    source: "mqtt" | "ws",
    { publish, encodingOf }: Pick<DeviceRequestsDeps, "publish" | "encodingOf">,
  ): DeviceMessageHandler => {
    const requests = createDeviceRequests({ ...deps, source, publish, encodingOf });
    const handlers = createCommandResponses({ ...deps, source });
    const claims = createDeviceClaims({ ...deps, source });
    return (device, topic, bytes) =>
      requests(device, topic, bytes) ??
      handlers(device, topic, bytes) ??
      claims(device, topic, bytes) ??
      deps.gateways.onMessage(source, device, { topic, bytes });
  };
