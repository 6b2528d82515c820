import type { TenantId } from "../lib/ids.ts";
import { secretHint, shownName } from "../lib/secret-hint.ts";
import type { RefusedSignIn } from "../modules/devices/device-sign-in.ts";
import type { IngestDevice } from "../modules/ingest/ingest.types.ts";
import type {
  Refusal,
  RefusalIdentity,
  RefusalOwner,
  RefusalReason,
  ReportRefusal,
} from "../modules/refusals/refusals.types.ts";
import type { Peer } from "../modules/request-peer.ts";
import type { MqttAuthentication, MqttCredentials } from "./mqtt.types.ts";

type Refused = Extract<MqttAuthentication, { ok: false }>;

/** Describes how a client is answered, and why, for the list of refusals. */
export interface RefusedClient {
  readonly answer: Refused["reason"];
  readonly reason: RefusalReason;
  readonly identity: RefusalIdentity;
  readonly owner?: RefusalOwner | undefined;
}

/** Longer user names may be access tokens, whose password is ignored. */
const PLAIN_NAME_MAX = 11;
const FINGERPRINT_SHOWN = 16;

const ownerOf = (device: IngestDevice | undefined): RefusalOwner | undefined =>
  device && { tenantId: device.tenantId, deviceId: device.deviceId };

/** Names a client whose credentials belong to nobody: what may be a token is shown as one. */
export function identityOfStranger({ clientId, username = "", password }: MqttCredentials): RefusalIdentity {
  if (username === "") return { kind: clientId === "" ? "none" : "client", name: shownName(clientId) };
  const isPlain = password !== undefined && password.length > 0 && username.length <= PLAIN_NAME_MAX;
  return isPlain
    ? { kind: "client", name: shownName(username) }
    : { kind: "token", name: secretHint(username) };
}

/** Describes a refused client whose device is known. */
export function refusedDevice(
  { refused, device, identity }: RefusedSignIn,
  certificate?: string,
): RefusedClient {
  const owner = ownerOf(device);
  const named: RefusalIdentity =
    certificate === undefined
      ? { kind: "client", name: shownName(identity ?? "") }
      : { kind: "certificate", name: `${certificate.slice(0, FINGERPRINT_SHOWN)}…` };
  if (refused === "later") return { answer: "later", reason: "too_many_tries", identity: named, owner };
  if (refused === "expired")
    return { answer: "not_authorized", reason: "certificate_expired", identity: named, owner };
  const reason = certificate === undefined ? "password_wrong" : "certificate_wrong";
  return { answer: "bad_credentials", reason, identity: named, owner };
}

/** Reports a refused client and returns the answer that it gets. */
export function refuseClient(
  report: ReportRefusal,
  { remoteAddress: address, protocol, clientId: client }: MqttCredentials,
  { answer, reason, identity, owner }: RefusedClient,
): MqttAuthentication {
  report({ edge: "mqtt", reason, address, protocol, client, identity, ...owner });
  return { ok: false, reason: answer };
}

/** Describes a connection that was refused because of a limit. */
export const connectionLimit = (
  peer: Peer,
  owner?: { readonly tenantId: string; readonly device: IngestDevice | undefined },
): Refusal => ({
  edge: "mqtt",
  reason: "connection_limit",
  ...peer,
  identity: { kind: peer.client === undefined ? "none" : "client", name: shownName(peer.client ?? "") },
  tenantId: owner?.tenantId as TenantId | undefined, // of a device or an API key
  deviceId: owner?.device?.deviceId,
});
