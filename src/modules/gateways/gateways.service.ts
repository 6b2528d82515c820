import { DomainError, invalid, notFound } from "../../lib/core/domain-error.ts";
import type { DeviceId } from "../../lib/core/ids.ts";
import { invariant } from "../../lib/core/invariant.ts";
import {
  type BodyEncoding,
  decodeBody,
  EncodedObject,
  encodeBody,
  encodeStored,
} from "../../lib/json/body.ts";
import { isJsonObject, type JsonValue } from "../../lib/json/json.ts";
import { toPlainJson } from "../../lib/json/plain-json.ts";
import type { NoteLeftOut } from "../../lib/json/sent-json.ts";
import { excerpt } from "../../lib/strings/excerpt.ts";
import { refusedWrite } from "../../platform/database/storage-failure.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import type { AttributesService } from "../attributes/attributes.service.ts";
import type { DeviceDirectory } from "../devices/device-directory.ts";
import { deviceNotFound } from "../devices/devices.errors.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { ChildRef } from "../devices/devices.types.ts";
import type { IngestService } from "../ingest/ingest.service.ts";
import type { IngestDevice, IngestSource } from "../ingest/ingest.types.ts";
import type { ClaimingService } from "../provisioning/claiming.service.ts";
import { type ChildPart, parseChild, parseParts, parseRequest, parseResponse } from "./gateway-body.ts";
import { createGatewayRefusals } from "./gateway-refusals.ts";
import type { GatewaySessions } from "./gateway-sessions.ts";

interface GatewayChildrenDeps {
  readonly children: Pick<DevicesService["children"], "ensureChildren">;
  readonly directory: Pick<DeviceDirectory, "find">;
  readonly sessions: Pick<GatewaySessions, "find" | "reported">;
  /** Resolves once all children created so far are on disk. */
  readonly durable: () => Promise<void>;
  /** Called when a child has connected, so that messages waiting for it can be sent. */
  readonly onReachable: (child: IngestDevice) => void;
}

/** Resolves the names of children in gateway messages. The first message with a name creates the child, and each message connects it. */
class GatewayChildren {
  readonly #deps: GatewayChildrenDeps;
  /** Pending write of created children, before which their points must not be acknowledged. */
  #saving: Promise<void> | undefined;

  constructor(deps: GatewayChildrenDeps) {
    this.#deps = deps;
  }

  /** Returns a child or an error for each name. */
  children(gateway: IngestDevice, refs: readonly ChildRef[]): Array<IngestDevice | DomainError> {
    const { children, directory, sessions, onReachable } = this.#deps;
    const sessionDevices = refs.map(({ name }) => sessions.find(gateway, name));
    const others = refs.filter((_, index) => sessionDevices[index] === undefined);
    const found = others.length === 0 ? [] : children.ensureChildren(gateway, others);
    if (others.length > 0) this.#save();
    return sessionDevices
      .map((child) => child ?? found.shift())
      .map((child) => {
        invariant(child !== undefined, "there is a child, or an error, for each that was asked for");
        if (child instanceof DomainError) return child;
        const device = typeof child === "string" ? directory.find(child) : child;
        invariant(device !== undefined, "a child that was just found or made exists");
        if (sessions.reported(gateway, device)) onReachable(device);
        return device;
      });
  }

  /** @throws DomainError if there is no child with this name and it cannot be created */
  child(gateway: IngestDevice, ref: ChildRef): IngestDevice {
    const [child] = this.children(gateway, [ref]);
    invariant(child !== undefined, "one child for one name");
    if (child instanceof DomainError) throw child;
    return child;
  }

  /** Resolves once a message's writes and the children that it created are on disk. */
  allOf(commits: Iterable<Promise<void>>): Promise<void> {
    const waiting = new Set(commits);
    if (this.#saving !== undefined) waiting.add(this.#saving);
    const [first, ...others] = waiting;
    if (first === undefined) return Promise.resolve();
    return others.length === 0 ? first : Promise.all(waiting).then(() => undefined);
  }

  #save(): void {
    const saved = this.#deps.durable().finally(() => {
      if (this.#saving === saved) this.#saving = undefined;
    });
    saved.catch(() => undefined); // the waiting messages handle the error
    this.#saving = saved;
  }
}

interface WithBytes {
  readonly bytes: Uint8Array;
}

/** Keeps each gateway's messages in order while a large message is processed in pieces. */
class GatewayOrder {
  /** Gateway → messages that arrived after the message being processed. */
  readonly #waiting = new Map<DeviceId, Array<() => void>>();
  readonly #inPieces = new Set<DeviceId>();

  /** Processes a message now, or after the previous messages. Only throws if it is processed now. */
  take<Message extends WithBytes>(
    gatewayId: DeviceId,
    message: Message,
    take: (message: Message) => Promise<void>,
  ): Promise<void> {
    const waiting = this.#waiting.get(gatewayId);
    if (waiting === undefined) return take(message);
    // The bytes are in the connection's buffer, which is overwritten meanwhile.
    const kept = { ...message, bytes: message.bytes.slice() };
    return new Promise((resolve, reject) => {
      waiting.push(() => {
        try {
          take(kept).then(resolve, reject);
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  /** Processes a message over several turns of the event loop, while the gateway's other messages wait. */
  async takeLong<Result>(gatewayId: DeviceId, work: () => Promise<Result>): Promise<Result> {
    this.#inPieces.add(gatewayId);
    if (!this.#waiting.has(gatewayId)) this.#waiting.set(gatewayId, []);
    try {
      return await work();
    } finally {
      this.#inPieces.delete(gatewayId);
      this.#takeWaiting(gatewayId);
    }
  }

  /** Processes the waiting messages, up to the next message that is processed in pieces. */
  #takeWaiting(gatewayId: DeviceId): void {
    while (!this.#inPieces.has(gatewayId)) {
      const next = this.#waiting.get(gatewayId)?.shift();
      if (next === undefined) {
        this.#waiting.delete(gatewayId);
        return;
      }
      next();
    }
  }
}

export interface GatewayMessage {
  /** Transport of the message. */
  readonly source: IngestSource;
  readonly topic: string;
  readonly bytes: Uint8Array;
}

/** Encoding of a response, and the function that sends it. */
interface ResponseWay {
  readonly encoding: BodyEncoding;
  respond(body: EncodedObject): void;
}

/** Max. parts of a message that are processed without a pause. New children are the most expensive parts. */
const PARTS_PER_STEP = 25;

type Transact = (work: () => Promise<void>[]) => Promise<void>[];

/** Processing steps for the parts of a kind of message. */
interface Steps<Input> {
  /** Validates a part; `note` receives converted or omitted values. @throws DomainError */
  check(value: unknown, note: NoteLeftOut): Input;
  take(child: IngestDevice, input: Input): Promise<void>;
  /** Runs the processing of all parts together. */
  together(work: () => Promise<void>[]): Promise<void>[];
}

/** Creates the steps for each kind of message with parts for several children. */
function createSteps({
  ingest,
  claiming,
  transact,
}: {
  ingest: Pick<IngestService, "toReadings" | "readings" | "clientAttributes">;
  claiming: Pick<ClaimingService, "check" | "request">;
  transact: Transact;
}) {
  const telemetry: Steps<ReturnType<typeof ingest.toReadings>> = {
    check: ingest.toReadings,
    take: ingest.readings,
    together: (work) => work(),
  };
  const attributes: Steps<Record<string, unknown>> = {
    check: checkAttributes,
    take: ingest.clientAttributes,
    together: transact,
  };
  const claims: Steps<ReturnType<typeof claiming.check>> = {
    check: claiming.check,
    take: claiming.request,
    together: transact,
  };
  return { telemetry, attributes, claims };
}

/**
 * Creates the service for messages of gateways about their children. A call throws a DomainError, after listing it, if no part was accepted;
 * otherwise its promise resolves once all accepted parts are on disk. An invalid part is listed on its child, or on the gateway if there is no such
 * child, and does not affect the others.
 */
export function createGatewaysService(deps: {
  children: DevicesService["children"];
  directory: Pick<DeviceDirectory, "find">;
  sessions: Pick<GatewaySessions, "find" | "reported" | "left">;
  ingest: Pick<IngestService, "admit" | "toReadings" | "readings" | "clientAttributes" | "reject">;
  attributes: Pick<AttributesService, "readEach">;
  claiming: Pick<ClaimingService, "check" | "request">;
  /** Marks the gateway as active, for every message. */
  touch: (gateway: IngestDevice) => void;
  /** Runs work in one transaction: attributes reported by the children of one message are written together. */
  transact: Transact;
  /** Resolves once the children created so far are on disk. */
  durable: () => Promise<void>;
  /** Called when a child is connected, so that waiting messages can be sent. */
  onReachable: (child: IngestDevice) => void;
  commands: {
    deviceOf(rpcId: number): DeviceId | undefined;
    answered(deviceId: DeviceId, rpcId: number, response: JsonValue): boolean;
  };
}) {
  const { children, directory, sessions, ingest } = deps;
  const refusals = createGatewayRefusals(deps);
  const order = new GatewayOrder();
  const own = new GatewayChildren(deps);

  /** Lists an error that invalidates the whole message, and rethrows it. */
  function listed<Result>(gateway: IngestDevice, message: GatewayMessage, work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      const failure = refusedWrite(error);
      if (failure instanceof DomainError && failure.kind !== "unavailable" && failure.kind !== "limited")
        refusals.list(gateway, message, failure, message.bytes);
      throw failure;
    }
  }

  const decode = decoderOf(refusals);

  /** Processes a message part by part. All parts are validated first, so that an invalid one does not create a child. */
  function takeParts<Input>(
    gateway: IngestDevice,
    message: GatewayMessage,
    { check, take, together }: Steps<Input>,
  ): Promise<void> {
    const { source, topic: where, bytes: body } = message;
    ingest.admit(gateway, { source, where, body });
    const parts = listed(gateway, message, () => parseParts(decode(gateway, message)));
    deps.touch(gateway);
    const refused = refusals.ofMessage(gateway, message);
    const good = parts.flatMap((part) => {
      const input = attempt(() => check(part[1], (reason) => refused.note(part, reason)));
      if (input instanceof DomainError) refused.add(part, input);
      return input instanceof DomainError ? [] : [{ part, input }];
    });
    const takePiece = (): Promise<void>[] => {
      const piece = good.slice(0, PARTS_PER_STEP);
      const refs = piece.map(({ part: [name] }) => ({ name }));
      const found = attempt(() => own.children(gateway, refs));
      if (found instanceof DomainError) throw found;
      const named = piece.map((each, index) => ({ ...each, child: found[index] }));
      const commits = together(() => takeFirst(named, take, refused.add));
      good.splice(0, piece.length - named.length);
      return commits;
    };
    const end = (commits: Promise<void>[]): Promise<void> => {
      const refusal = refused.end();
      if (commits.length === 0 && refusal !== undefined) throw refusal;
      return own.allOf(commits);
    };
    const commits = takePiece();
    if (good.length === 0) return end(commits);
    const more = () => good.length > 0;
    return order.takeLong(gateway.deviceId, () => inPieces(gateway, commits, { more, takePiece })).then(end);
  }

  const { telemetry, attributes, claims } = createSteps(deps);

  const service = {
    connect(gateway: IngestDevice, message: GatewayMessage): Promise<void> {
      return listed(gateway, message, () => {
        const { name, type } = parseChild(decode(gateway, message));
        deps.touch(gateway);
        own.child(gateway, { name, type });
        return own.allOf([]);
      });
    },
    disconnect(gateway: IngestDevice, message: GatewayMessage): Promise<void> {
      return listed(gateway, message, () => {
        const { name } = parseChild(decode(gateway, message));
        deps.touch(gateway);
        const id = children.findChild(gateway, name);
        const child = id && directory.find(id);
        if (child === undefined) throw invalid("gateway.child_unknown", { name: excerpt(name) });
        sessions.left(gateway, child);
        return Promise.resolve();
      });
    },
    telemetry: (gateway: IngestDevice, message: GatewayMessage): Promise<void> =>
      takeParts(gateway, message, telemetry),
    attributes: (gateway: IngestDevice, message: GatewayMessage): Promise<void> =>
      takeParts(gateway, message, attributes),
    /** Offers children for claiming by users. */
    claim: (gateway: IngestDevice, message: GatewayMessage): Promise<void> =>
      takeParts(gateway, message, claims),
    /** `respond` is called with the response body for the gateway. */
    request(
      gateway: IngestDevice,
      message: GatewayMessage,
      { encoding, respond }: ResponseWay,
    ): Promise<void> {
      const convert = (text: string) => encodeStored(encoding, text);
      const { id, name, isSingle, found } = listed(gateway, message, () => {
        const { scope, keys, ...asked } = parseRequest(decode(gateway, message));
        deps.touch(gateway);
        const child = own.child(gateway, { name: asked.name });
        return { ...asked, found: deps.attributes.readEach(child, { scope, keys }, convert) };
      });
      const answered = found.then((entries) => {
        const [first] = entries;
        const values = new EncodedObject(encoding, entries);
        const single = first === undefined ? [] : [["value", first[1]] as const];
        const head = Object.entries({ id, device: name }).map(
          ([field, value]) => [field, encodeBody(encoding, value)] as const,
        );
        respond(
          new EncodedObject(encoding, [
            ...head,
            ...(isSingle ? single : [["values", values.bytes] as const]),
          ]),
        );
      });
      return own.allOf([answered]);
    },
    /** Processes the response of a child to a command. */
    answer(gateway: IngestDevice, message: GatewayMessage): Promise<void> {
      return listed(gateway, message, () => {
        const { name, rpcId, data } = parseResponse(decode(gateway, message));
        deps.touch(gateway);
        const response = toPlainJson(data, "command");
        const id = deps.commands.deviceOf(rpcId);
        const child = id && directory.find(id);
        // The number identifies the request, because the gateway's name of the child may have changed meanwhile.
        const isOwn = child?.parentDeviceId === gateway.deviceId;
        const named = children.findChild(gateway, name);
        if (!isOwn || (named !== undefined && named !== id)) throw commandUnknown(name);
        if (!deps.commands.answered(child.deviceId, rpcId, response)) throw commandUnknown(name);
        if (sessions.reported(gateway, child)) deps.onReachable(child);
        deps.touch(child);
        return deps.durable();
      });
    },
  };
  const { request } = service;
  const inOrder =
    (take: (gateway: IngestDevice, message: GatewayMessage) => Promise<void>) =>
    (gateway: IngestDevice, message: GatewayMessage): Promise<void> =>
      order.take(gateway.deviceId, message, (kept) => take(gateway, kept));
  return {
    connect: inOrder(service.connect),
    disconnect: inOrder(service.disconnect),
    telemetry: inOrder(service.telemetry),
    attributes: inOrder(service.attributes),
    claim: inOrder(service.claim),
    answer: inOrder(service.answer),
    request: (gateway: IngestDevice, message: GatewayMessage, way: ResponseWay): Promise<void> =>
      order.take(gateway.deviceId, message, (kept) => request(gateway, kept, way)),
  };
}

/** Returns a function that decodes the body of a message, and lists omitted parts on the gateway. */
const decoderOf =
  ({ list }: Pick<ReturnType<typeof createGatewayRefusals>, "list">) =>
  (gateway: IngestDevice, message: GatewayMessage): unknown =>
    decodeBody(message.bytes, gateway.payload, (reason) => list(gateway, message, reason, message.bytes));

/**
 * Processes parts, which it removes from the list, until the time of this round is used up: pipelines and alarm rules may take long for each. Returns
 * the commits of the accepted parts. Throws only internal errors, after which nothing may be acknowledged.
 */
function takeFirst<Input>(
  parts: Array<{ part: ChildPart; input: Input; child: IngestDevice | DomainError | undefined }>,
  take: (child: IngestDevice, input: Input) => Promise<void>,
  refuse: (part: ChildPart, error: DomainError) => void,
): Promise<void>[] {
  const commits: Promise<void>[] = [];
  try {
    do {
      const first = parts.shift();
      if (first === undefined) break;
      const { part, input, child } = first;
      invariant(child !== undefined, "a child, or an error, for each part");
      const taken = child instanceof DomainError ? child : attempt(() => take(child, input));
      if (taken instanceof DomainError) refuse(part, taken);
      else commits.push(taken);
    } while (workShare.hasTime);
  } catch (error) {
    // Accepted parts are already stored, and are stored again when the gateway resends.
    for (const commit of commits) commit.catch(() => undefined);
    throw error;
  }
  return commits;
}

/** Processes the rest of a message in pieces, so that other messages run in between. Returns all commits. */
async function inPieces(
  gateway: IngestDevice,
  commits: Promise<void>[],
  { more, takePiece }: { more: () => boolean; takePiece: () => Promise<void>[] },
): Promise<Promise<void>[]> {
  for (const commit of commits) commit.catch(() => undefined); // its error is handled at the end
  while (more()) {
    const later = workShare.pause();
    if (later !== undefined) await later;
    if (gateway.revoked) throw deviceNotFound(gateway.deviceId);
    const taken = takePiece();
    for (const commit of taken) commit.catch(() => undefined);
    commits.push(...taken);
  }
  return commits;
}

export type GatewaysService = ReturnType<typeof createGatewaysService>;

const commandUnknown = (name: string) => notFound("command.not_sent_to_child", { name: excerpt(name) });

function checkAttributes(value: unknown): Record<string, unknown> {
  if (isJsonObject(value)) return value;
  throw invalid("attribute.body_invalid");
}

/** Returns the result, or the error of a part; throws only if storage accepts no more data. */
function attempt<Result>(work: () => Result): Result | DomainError {
  try {
    return work();
  } catch (error) {
    const failure = refusedWrite(error);
    if (!(failure instanceof DomainError) || failure.kind === "unavailable") throw failure;
    return failure;
  }
}
