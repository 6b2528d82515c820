/** MQTT 5 reason codes of the server. Codes of 3.1.1 are derived from them. */
export const Reason = {
  success: 0x00,
  disconnectWithWill: 0x04,
  noSubscriptionExisted: 0x11,
  unspecified: 0x80,
  malformed: 0x81,
  protocolError: 0x82,
  implementationSpecific: 0x83,
  unsupportedVersion: 0x84,
  clientIdNotValid: 0x85,
  badCredentials: 0x86,
  notAuthorized: 0x87,
  serverUnavailable: 0x88,
  serverBusy: 0x89,
  serverShuttingDown: 0x8b,
  badAuthenticationMethod: 0x8c,
  keepAliveTimeout: 0x8d,
  sessionTakenOver: 0x8e,
  topicFilterInvalid: 0x8f,
  topicNameInvalid: 0x90,
  packetIdNotFound: 0x92,
  receiveMaximumExceeded: 0x93,
  topicAliasInvalid: 0x94,
  packetTooLarge: 0x95,
  quotaExceeded: 0x97,
  payloadFormatInvalid: 0x99,
  sharedSubscriptionsNotSupported: 0x9e,
  connectionRateExceeded: 0x9f,
} as const;

/** Protocol violation of the client, whose connection ends with `reason` (sent only to MQTT 5 clients). */
export class ProtocolError extends Error {
  readonly reason: number;

  constructor(reason: number, message: string) {
    super(message);
    this.name = "ProtocolError";
    this.reason = reason;
  }
}

/** Packet longer than the limit, by its announced length. */
export class PacketTooLarge extends ProtocolError {
  readonly header: number;
  readonly bytes: number;
  /** Received part of its body. */
  readonly start: Uint8Array;

  constructor(packet: Pick<PacketTooLarge, "header" | "bytes" | "start">) {
    super(Reason.packetTooLarge, "packet is too large");
    this.header = packet.header;
    this.bytes = packet.bytes;
    this.start = packet.start;
  }
}

export const malformed = (message: string) => new ProtocolError(Reason.malformed, message);
export const protocolError = (message: string) => new ProtocolError(Reason.protocolError, message);

/** CONNACK return codes of MQTT 3.1 and 3.1.1 (table 3.1) by reason code. Others become "server unavailable". */
const connackReturnCodes: ReadonlyMap<number, number> = new Map([
  [Reason.success, 0],
  [Reason.unsupportedVersion, 1],
  [Reason.clientIdNotValid, 2],
  [Reason.badCredentials, 4],
  [Reason.notAuthorized, 5],
]);

export const connackReturnCode = (reason: number) => connackReturnCodes.get(reason) ?? 3;
