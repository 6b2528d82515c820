import { secretHint, shownName } from "../lib/strings/secret-hint.ts";
import type {
  PresentedIdentity,
  RefusalOwner,
  RefusalReason,
  ReportRefusal,
} from "../modules/faults/refusals.types.ts";
import type { MqttAuthentication, MqttCredentials } from "./mqtt.types.ts";

type Refused = Extract<MqttAuthentication, { ok: false }>;

/** Answer to a refused client, and the reason for the list of refusals. */
export interface RefusedClient {
  readonly answer: Refused["reason"];
  readonly reason: RefusalReason;
  readonly identity: PresentedIdentity;
  readonly owner?: RefusalOwner | undefined;
}

/** Longer user names may be access tokens, whose password is ignored. */
const PLAIN_NAME_MAX = 11;
const FINGERPRINT_SHOWN = 16;

/** Names a client whose credentials belong to nobody: what may be a token is shown as one. */
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

/** Identifies a client by the beginning of its certificate's fingerprint. */
export const refusedCertificate = (fingerprint: string): PresentedIdentity => ({
  kind: "certificate",
  name: `${fingerprint.slice(0, FINGERPRINT_SHOWN)}…`,
});

/** Reports a refused client and returns the answer that it gets. */
export function refuseClient(
  report: ReportRefusal,
  { remoteAddress: address, protocol, clientId: client }: MqttCredentials,
  { answer, reason, identity, owner }: RefusedClient,
): MqttAuthentication {
  report({ edge: "mqtt", reason, address, protocol, client, identity, ...owner });
  return { ok: false, reason: answer };
}
