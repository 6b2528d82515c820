import { decodeBody, encodeBody } from "../lib/body.ts";
import { DomainError } from "../lib/domain-error.ts";
import type { KeyAuthenticator } from "../modules/api-keys/key-authenticator.ts";
import type { DeviceDirectory } from "../modules/devices/device-directory.ts";
import type { TokenSignIn } from "../modules/devices/token-sign-in.service.ts";
import type { RefusedCredential, ReportRefusal } from "../modules/faults/refusals.types.ts";
import type { LoginIdentitiesService } from "../modules/login-identities/login-identities.service.ts";
import { PROVISION_USERNAME } from "../modules/login-identities/login-identities.types.ts";
import type { ClaimPeer, ProvisioningService } from "../modules/provisioning/provisioning.service.ts";
import type { Clock } from "../platform/clock.ts";
import { readFilter } from "./application-topics.ts";
import { LoginAuthentication } from "./login-authentication.ts";
import type { MqttApplication, MqttAuthentication, MqttCredentials, MqttServerDeps } from "./mqtt.types.ts";
import type { MqttClientSignIn } from "./mqtt-client-sign-in.ts";
import { type RefusedClient, refuseClient } from "./refused-clients.ts";
import { createTokenAuthentication } from "./token-authentication.ts";

const keyStart = Buffer.from("lsk_");
const startsLikeKey = (password: Uint8Array) => keyStart.equals(password.subarray(0, keyStart.length));

/** A program with an API key, under whatever user name: it hears of devices that the key may see, and publishes nothing. */
function applicationBy(
  keys: Pick<KeyAuthenticator, "authenticate">,
  secret: string,
): MqttApplication | undefined {
  const caller = keys.authenticate(secret);
  if (caller?.apiKey === undefined) return undefined;
  const { devices, tenantId, apiKey } = caller;
  const sawAll = devices === "all";
  const application: MqttApplication = {
    applicationId: apiKey.apiKeyId,
    tenantId,
    caller,
    // Also when it sees all devices now and did not before, or the other way round: it is to subscribe anew.
    get revoked() {
      return keys.authenticate(secret) === undefined || (caller.devices === "all") !== sawAll;
    },
    maySubscribe(filter) {
      const asked = readFilter(filter);
      if (asked === undefined) return false;
      return asked.deviceId === undefined || caller.devices === "all" || caller.devices.has(asked.deviceId);
    },
    mayPublish: () => false,
  };
  return application;
}

const refusedKey = ({ reason, ...described }: RefusedCredential, isLater: boolean): RefusedClient => ({
  ...described,
  answer: isLater ? "later" : "bad_credentials",
  reason: isLater ? "too_many_tries" : reason,
});

/** The answer comes in the encoding of the question. */
async function claimAt(
  provisioning: Pick<ProvisioningService, "claim">,
  bytes: Uint8Array,
  peer: ClaimPeer,
): Promise<Uint8Array> {
  const encoding = (bytes[0] ?? 0) >= 0x80 ? "CBOR" : "JSON";
  try {
    return encodeBody(encoding, await provisioning.claim(decodeBody(bytes, encoding), peer));
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind === "unavailable") throw error;
    return encodeBody(encoding, { status: "FAILURE", errorMsg: error.message }); // it waits for an answer, not for a code
  }
}

/**
 * Creates the authentication of clients: by the certificate of the TLS connection, by password, or by an access token as user
 * name. A token needs no password; because some clients cannot leave it out, it is then ignored.
 */
export function createMqttAuthentication(deps: {
  tokens: Pick<TokenSignIn, "attempt" | "countWrong" | "isKnown">;
  logins: Pick<LoginIdentitiesService, "byPassword" | "byCertificate">;
  directory: Pick<DeviceDirectory, "find">;
  provisioning: Pick<ProvisioningService, "isOpen" | "claim">;
  keys: Pick<KeyAuthenticator, "authenticate" | "refusalOf">;
  mqttClients: Pick<MqttClientSignIn, "enter" | "byKey">;
  clock: Pick<Clock, "now">;
  report: ReportRefusal;
}): MqttServerDeps["authenticate"] {
  const { provisioning, keys, mqttClients, report } = deps;
  const byToken = createTokenAuthentication(deps);
  const byLogin = new LoginAuthentication(deps, byToken);

  function provisioningSessionFor(credentials: MqttCredentials): MqttAuthentication {
    const { remoteAddress: address, protocol, clientId: client, certificate } = credentials;
    const identity = { kind: "claim", name: "" } as const;
    if (!provisioning.isOpen())
      return refuseClient(report, credentials, {
        answer: "not_authorized",
        reason: "claim_closed",
        identity,
      });
    const peer = { address, protocol, client, fingerprint: certificate?.fingerprint };
    return { ok: true, provisioningSession: { claim: (body) => claimAt(provisioning, body, peer) } };
  }

  function byKey(credentials: MqttCredentials, secret: string): MqttAuthentication {
    const application = applicationBy(keys, secret);
    if (application !== undefined) return mqttClients.byKey(credentials, application);
    const isLater = deps.tokens.countWrong(credentials.remoteAddress) === "later";
    return refuseClient(report, credentials, refusedKey(keys.refusalOf(secret), isLater));
  }

  return (credentials) => {
    const { username, password } = credentials;
    if (username === PROVISION_USERNAME) return provisioningSessionFor(credentials);
    const certified = byLogin.byCertificate(credentials);
    if (certified !== undefined && certified !== "unconfirmed") return certified;
    if (password === undefined || password.length === 0)
      return byToken.withoutPassword(credentials, certified === "unconfirmed");
    if (startsLikeKey(password)) return byKey(credentials, new TextDecoder().decode(password));
    return byLogin.byPassword(credentials, password);
  };
}
