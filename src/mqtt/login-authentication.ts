import type { TenantId } from "../lib/ids.ts";
import { shownName } from "../lib/secret-hint.ts";
import type { DeviceDirectory } from "../modules/devices/device-directory.ts";
import type { TokenSignIn } from "../modules/devices/token-sign-in.service.ts";
import type { PresentedIdentity, RefusalOwner, ReportRefusal } from "../modules/faults/refusals.types.ts";
import type { LoginIdentitiesService } from "../modules/login-identities/login-identities.service.ts";
import {
  type LoginHolder,
  loginUsername,
  type PasswordSignIn,
  shownLogin,
} from "../modules/login-identities/login-identities.types.ts";
import type { Clock } from "../platform/clock.ts";
import type { MqttAuthentication, MqttCredentials } from "./mqtt.types.ts";
import type { MqttClientSignIn } from "./mqtt-client-sign-in.ts";
import { type RefusedClient, refuseClient, refusedCertificate } from "./refused-clients.ts";
import type { TokenAuthentication } from "./token-authentication.ts";

type RefusedPassword = Extract<PasswordSignIn, { refused: string }>;

const ownerOf = ({ tenantId, deviceId, mqttClientId }: LoginHolder): RefusalOwner => ({
  tenantId,
  ...(deviceId !== null && { deviceId }),
  ...(mqttClientId !== null && { mqttClientId }),
});

/** Names a client as its holder knows it. `isShared` hides the client from tenants: it may be another's. */
const nameOf = (holder: LoginHolder, isShared = false): PresentedIdentity => ({
  kind: isShared ? "shared_name" : "client",
  name: shownName(shownLogin(holder)),
});

const answers = {
  wrong: { answer: "bad_credentials", reason: "password_wrong" },
  later: { answer: "later", reason: "too_many_tries" },
  shared: { answer: "bad_credentials", reason: "password_shared" },
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
export class LoginAuthentication {
  readonly #deps: LoginAuthenticationDeps;
  readonly #byToken: TokenAuthentication;

  constructor(deps: LoginAuthenticationDeps, byToken: TokenAuthentication) {
    this.#deps = deps;
    this.#byToken = byToken;
  }

  /** Returns undefined for an unregistered certificate, and `unconfirmed` if no owner has ever confirmed the certificate. */
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
      answer: "not_authorized",
      reason: "certificate_expired",
      identity,
    }));
  }

  byPassword(
    credentials: MqttCredentials,
    password: Uint8Array,
  ): MqttAuthentication | Promise<MqttAuthentication> {
    const { clientId, username, remoteAddress: address, isGone } = credentials;
    // A device with a valid token gets in whatever its password is, so it does not wait for its turn to guess.
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

  /** Tries the user name as a token: some clients cannot leave the password empty. */
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
      ...answers[refused],
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

  /** Reports the refusal to every holder, because the gateway cannot tell whose client it is. */
  #refuse(
    credentials: MqttCredentials,
    holders: readonly LoginHolder[],
    describe: (holder: LoginHolder) => RefusedClient,
  ): MqttAuthentication {
    let answer: MqttAuthentication = { ok: false, reason: "bad_credentials" };
    for (const holder of holders)
      answer = refuseClient(this.#deps.report, credentials, { ...describe(holder), owner: ownerOf(holder) });
    return answer;
  }
}
