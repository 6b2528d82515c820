import { decodeBody, encodeBody } from "../lib/body.ts";
import { DomainError } from "../lib/domain-error.ts";
import type { KeyAuthenticator } from "../modules/api-keys/key-authenticator.ts";
import { PROVISION_USERNAME } from "../modules/devices/credentials.types.ts";
import type { DeviceSignIn, SignIn } from "../modules/devices/device-sign-in.ts";
import type { TokenSignIn } from "../modules/devices/token-sign-in.service.ts";
import type { ProvisioningService } from "../modules/provisioning/provisioning.service.ts";
import { readFilter } from "./application-topics.ts";
import type { MqttApplication, MqttAuthentication, MqttServerDeps } from "./mqtt.types.ts";

const refused = (reason: "bad_credentials" | "not_authorized" | "later"): MqttAuthentication => ({
  ok: false,
  reason,
});

function answer(signIn: SignIn): MqttAuthentication {
  if (signIn === "wrong") return refused("bad_credentials");
  if (signIn === "later") return refused("later");
  return signIn === "expired" ? refused("not_authorized") : { ok: true, device: signIn };
}

const keyStart = Buffer.from("lsk_");
const startsLikeKey = (password: Uint8Array) => keyStart.equals(password.subarray(0, keyStart.length));

/** A program with an API key, under whatever user name: it hears of devices that the key may see, and publishes nothing. */
function applicationBy(keys: Pick<KeyAuthenticator, "authenticate">, secret: string): MqttAuthentication {
  const caller = keys.authenticate(secret);
  if (caller?.apiKey === undefined) return refused("bad_credentials");
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
  return { ok: true, application };
}

/** The answer comes in the encoding of the question. */
async function claimAt(
  provisioning: Pick<ProvisioningService, "claim">,
  bytes: Uint8Array,
  address: string,
): Promise<Uint8Array> {
  const encoding = (bytes[0] ?? 0) >= 0x80 ? "CBOR" : "JSON";
  try {
    return encodeBody(encoding, await provisioning.claim(decodeBody(bytes, encoding), address));
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
  tokens: Pick<TokenSignIn, "attempt">;
  signIn: DeviceSignIn;
  provisioning: Pick<ProvisioningService, "isOpen" | "claim">;
  keys: Pick<KeyAuthenticator, "authenticate">;
}): MqttServerDeps["authenticate"] {
  const { tokens, signIn, provisioning, keys } = deps;

  function provisioningSessionFrom(address: string): MqttAuthentication {
    if (!provisioning.isOpen()) return refused("not_authorized");
    return { ok: true, provisioningSession: { claim: (body) => claimAt(provisioning, body, address) } };
  }

  const byToken = (username: string | undefined, address: string): MqttAuthentication =>
    username ? answer(tokens.attempt(username, address)) : refused("bad_credentials");

  return ({ clientId, username, password, remoteAddress: address, certificate, isGone }) => {
    if (username === PROVISION_USERNAME) return provisioningSessionFrom(address);
    const holder = certificate && signIn.byCertificate(certificate);
    if (holder !== undefined) return answer(holder);
    if (password === undefined || password.length === 0) return byToken(username, address);
    if (startsLikeKey(password)) return applicationBy(keys, new TextDecoder().decode(password));
    const device = signIn.byPassword({ clientId, username, password, address, isGone });
    if (device instanceof Promise) return device.then(answer);
    return device === "wrong" ? byToken(username, address) : answer(device);
  };
}
