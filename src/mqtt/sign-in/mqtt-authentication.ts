import { DomainError } from "../../lib/core/domain-error.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import { decodeBody, encodeBody } from "../../lib/json/body.ts";
import { shownName } from "../../lib/strings/secret-hint.ts";
import type { KeyAuthenticator } from "../../modules/api-keys/key-authenticator.ts";
import type { DeviceDirectory } from "../../modules/devices/device-directory.ts";
import type { TokenSignIn } from "../../modules/devices/token-sign-in.service.ts";
import type {
  PresentedIdentity,
  RefusalOwner,
  RefusedCredential,
  ReportRefusal,
} from "../../modules/faults/refusals.types.ts";
import type { LoginIdentitiesService } from "../../modules/login-identities/login-identities.service.ts";
import {
  type LoginHolder,
  loginUsername,
  type PasswordSignIn,
  PROVISION_USERNAME,
  shownLogin,
} from "../../modules/login-identities/login-identities.types.ts";
import type { ClaimPeer, ProvisioningService } from "../../modules/provisioning/provisioning.service.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { MqttApplication, MqttAuthentication, MqttCredentials, MqttHandlers } from "../mqtt.types.ts";
import { readFilter } from "../topics/application-topics.ts";
import type { MqttClientSignIn } from "./mqtt-client-sign-in.ts";
import { type RefusedClient, refuseClient, refusedCertificate } from "./refused-clients.ts";
import { createTokenAuthentication, type TokenAuthentication } from "./token-authentication.ts";

type RefusedPassword = Extract<PasswordSignIn, { refused: string }>;

const ownerOf = ({ tenantId, deviceId, mqttClientId }: LoginHolder): RefusalOwner => ({
  tenantId,
  ...(deviceId !== null && { deviceId }),
  ...(mqttClientId !== null && { mqttClientId }),
});

/** Returns the name of a client for its holder. `isShared` hides the client from tenants, because it may belong to another one. */
const nameOf = (holder: LoginHolder, isShared = false): PresentedIdentity => ({
  kind: isShared ? "shared_name" : "client",
  name: shownName(shownLogin(holder)),
});

const responses = {
  wrong: { response: "bad_credentials", reason: "password_wrong" },
  later: { response: "later", reason: "too_many_tries" },
  shared: { response: "bad_credentials", reason: "password_shared" },
} as const;

interface LoginAuthenticationDeps {
  readonly logins: Pick<LoginIdentitiesService, "byPassword" | "byCertificate">;
  readonly directory: Pick<DeviceDirectory, "find">;
  readonly mqttClients: Pick<MqttClientSignIn, "enter">;
  readonly tokens: Pick<TokenSignIn, "attempt" | "isKnown">;
  readonly clock: Pick<Clock, "now">;
  readonly report: ReportRefusal;
}

/** Authenticates devices and MQTT clients by name and password, or by the certificate of a TLS connection. */
class LoginAuthentication {
  readonly #deps: LoginAuthenticationDeps;
  readonly #byToken: TokenAuthentication;

  constructor(deps: LoginAuthenticationDeps, byToken: TokenAuthentication) {
    this.#deps = deps;
    this.#byToken = byToken;
  }

  /** Returns undefined for an unregistered certificate, and `unconfirmed` if no owner has ever confirmed it. */
  byCertificate(credentials: MqttCredentials): MqttAuthentication | "unconfirmed" | undefined {
    const { certificate } = credentials;
    const found = certificate && this.#deps.logins.byCertificate(certificate.fingerprint, credentials);
    if (certificate === undefined || found === undefined) return undefined;
    if (found.refused !== undefined) return found.refused;
    const { holder } = found;
    const identity = refusedCertificate(certificate.fingerprint);
    // Only the end of validity counts: a gateway without a clock battery boots before the beginning.
    if (certificate.validTo > this.#deps.clock.now()) return this.#enter(credentials, holder, identity);
    return this.#refuse(credentials, [holder], () => ({
      response: "not_authorized",
      reason: "certificate_expired",
      identity,
    }));
  }

  byPassword(
    credentials: MqttCredentials,
    password: Uint8Array,
  ): MqttAuthentication | Promise<MqttAuthentication> {
    const { clientId, username, remoteAddress: address, isGone } = credentials;
    // A device with a valid token is accepted whatever its password is, so it is not delayed like a guess.
    const canWait = username === undefined || !this.#deps.tokens.isKnown(username);
    const tried = this.#deps.logins.byPassword({ clientId, username, password, address, canWait, isGone });
    if (tried instanceof Promise) return tried.then((late) => this.#afterPassword(credentials, late));
    return this.#afterPassword(credentials, tried);
  }

  #afterPassword(credentials: MqttCredentials, tried: PasswordSignIn): MqttAuthentication {
    if (tried.refused === undefined) {
      const entered = this.#enter(credentials, tried.holder, nameOf(tried.holder));
      return entered ?? this.#byToken.refuseStranger(credentials, "wrong", "password_wrong");
    }
    if (credentials.isGone()) return { ok: false, reason: "later" }; // its password was not checked
    if (tried.tried.length === 0) return this.#byToken.afterUnknownName(credentials);
    if (tried.refused === "shared") return this.#refusePassword(credentials, tried);
    return this.#tryToken(credentials, tried) ?? this.#refusePassword(credentials, tried);
  }

  /** Tries the user name as a token, because some clients cannot leave the password empty. */
  #tryToken(credentials: MqttCredentials, { tried }: RefusedPassword): MqttAuthentication | undefined {
    const { username, remoteAddress } = credentials;
    const found = username ? this.#deps.tokens.attempt(username, remoteAddress) : "wrong";
    if (typeof found === "string") return undefined;
    // A token that looks like a name must not reach clients of another tenant.
    const isForeign = (tenantId: TenantId) => tenantId !== found.tenantId;
    const isAnothersName = tried.some(
      (holder) => loginUsername(holder) === username && isForeign(holder.tenantId),
    );
    return isAnothersName ? undefined : { ok: true, device: found };
  }

  #refusePassword(credentials: MqttCredentials, { refused, tried }: RefusedPassword): MqttAuthentication {
    const isShared = tried.some(({ tenantId }) => tenantId !== tried[0]?.tenantId);
    return this.#refuse(credentials, tried, (holder) => ({
      ...responses[refused],
      identity: nameOf(holder, isShared),
    }));
  }

  /** Signs the holder in; undefined if it was deleted meanwhile. */
  #enter(
    credentials: MqttCredentials,
    { deviceId, mqttClientId }: LoginHolder,
    identity: PresentedIdentity,
  ): MqttAuthentication | undefined {
    if (mqttClientId !== null) return this.#deps.mqttClients.enter(credentials, mqttClientId, identity);
    const device = deviceId === null ? undefined : this.#deps.directory.find(deviceId);
    return device && { ok: true, device };
  }

  /** Reports the refusal to every holder, because the gateway cannot identify the owner of the client. */
  #refuse(
    credentials: MqttCredentials,
    holders: readonly LoginHolder[],
    describe: (holder: LoginHolder) => RefusedClient,
  ): MqttAuthentication {
    let response: MqttAuthentication = { ok: false, reason: "bad_credentials" };
    for (const holder of holders)
      response = refuseClient(this.#deps.report, credentials, {
        ...describe(holder),
        owner: ownerOf(holder),
      });
    return response;
  }
}

const keyStart = Buffer.from("lsk_");
const startsLikeKey = (password: Uint8Array) => keyStart.equals(password.subarray(0, keyStart.length));

/** Signs in a program with an API key, under any user name. It receives messages of devices that the key may see, and publishes nothing. */
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
    // Also revoked when access to all devices was granted or removed, because the client must subscribe again.
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
  response: isLater ? "later" : "bad_credentials",
  reason: isLater ? "too_many_tries" : reason,
});

/** Claims credentials. The response has the encoding of the request. */
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
    return encodeBody(encoding, { status: "FAILURE", errorMsg: error.message }); // the client waits for a response, not for a reason code
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
}): MqttHandlers["authenticate"] {
  const { provisioning, keys, mqttClients, report } = deps;
  const byToken = createTokenAuthentication(deps);
  const byLogin = new LoginAuthentication(deps, byToken);

  function provisioningSessionFor(credentials: MqttCredentials): MqttAuthentication {
    const { remoteAddress: address, protocol, clientId: client, certificate } = credentials;
    const identity = { kind: "claim", name: "" } as const;
    if (!provisioning.isOpen())
      return refuseClient(report, credentials, {
        response: "not_authorized",
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
