import { secretHint, shownName } from "../../lib/strings/secret-hint.ts";
import type {
  PresentedIdentity,
  RefusalOwner,
  RefusalReason,
  ReportRefusal,
} from "../../modules/faults/refusals.types.ts";
import type { MqttAuthentication, MqttCredentials } from "../mqtt.types.ts";

type Refused = Extract<MqttAuthentication, { ok: false }>;

/** Response to a refused client, and the reason for the list of refusals. */
export interface RefusedClient {
  readonly response: Refused["reason"];
  readonly reason: RefusalReason;
  readonly identity: PresentedIdentity;
  readonly owner?: RefusalOwner | undefined;
}

/** Max. length of a user name. Longer ones may be access tokens, whose password is ignored. */
const PLAIN_NAME_MAX = 11;
const FINGERPRINT_SHOWN = 16;

/** Returns the identity of a client with unknown credentials. A possible token is shown as one. */
export function identityOfStranger({
  clientId,
  username = "",
  password,
}: MqttCredentials): PresentedIdentity {
  if (username === "") return { kind: clientId === "" ? "none" : "client", name: shownName(clientId) };
  const isPlain = password !== undefined && password.length > 0 && username.length <= PLAIN_NAME_MAX;
  return isPlain
    ? { kind: "client", name: shownName(username) }
    : { kind: "token", name: secretHint(username) };
}

/** Returns the identity of a client by the beginning of the fingerprint of its certificate. */
export const refusedCertificate = (fingerprint: string): PresentedIdentity => ({
  kind: "certificate",
  name: `${fingerprint.slice(0, FINGERPRINT_SHOWN)}…`,
});

/** Reports a refused client and returns its response. */
export function refuseClient(
  report: ReportRefusal,
  { remoteAddress: address, protocol, clientId: client }: MqttCredentials,
  { response, reason, identity, owner }: RefusedClient,
): MqttAuthentication {
  report({ edge: "mqtt", reason, address, protocol, client, identity, ...owner });
  return { ok: false, reason: response };
}
