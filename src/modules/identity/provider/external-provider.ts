import type { Configuration, CustomFetch, DiscoveryRequestOptions } from "openid-client";
import { DomainError, forbidden, unavailable, unavailableDueTo } from "../../../lib/core/domain-error.ts";
import { EMAIL_LENGTH_MAX } from "../../../lib/core/text-forms.ts";
import { firstBytes } from "../../../lib/network/response-bytes.ts";
import { normalizeEmail } from "../../../lib/strings/normalize-email.ts";
import type { Logger } from "../../../platform/core/log.ts";
import { StartupError } from "../../../platform/process/startup-error.ts";

const TIMEOUT_SECONDS = 5;
/** Cache time of metadata in ms, short enough to notice soon that a provider is unavailable. */
const METADATA_KEPT_MS = 60_000;
/** Max. clock difference to the provider in seconds. Larger differences are corrected by its responses. */
const CLOCK_TOLERANCE_SECONDS = 60;

/** Max. bytes of a response of the provider; its keys and claims are a few kilobytes. Parsing megabytes would block all users. */
export const PROVIDER_RESPONSE_BYTES_MAX = 256 * 1024;

export interface ExternalSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** `undefined` for a public client, which only uses PKCE. */
  readonly clientSecret: string | undefined;
  /** Provider name shown to users. */
  readonly name: string;
  readonly scope: string;
  /** True to accept addresses whose verification the provider does not state. */
  readonly trustsEmail: boolean;
  /** True to redirect to the provider immediately instead of showing a choice. */
  readonly isDefault: boolean;
}

/** Values to compare when a user returns from the provider. */
export interface PendingAuthorization {
  readonly callback: string;
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

export interface ExternalPerson {
  readonly email: string;
  readonly fullName: string;
}

/** Reads the configured settings; undefined without an issuer. @throws StartupError that names the invalid setting */
export function readExternalSettings(config: {
  oidc_issuer: string | undefined;
  oidc_client_id: string | undefined;
  oidc_client_secret: string | undefined;
  oidc_name: string | undefined;
  oidc_scope: string;
  oidc_trust_email: boolean;
  oidc_redirect: boolean;
}): ExternalSettings | undefined {
  const { oidc_issuer: issuer, oidc_client_id: clientId } = config;
  if (issuer === undefined) return undefined;
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new StartupError(
      'The setting "oidc_issuer" must be an address such as https://login.example/realm.',
    );
  if (clientId === undefined) throw new StartupError('The setting "oidc_issuer" needs "oidc_client_id" too.');
  return {
    issuer,
    clientId,
    clientSecret: config.oidc_client_secret,
    name: config.oidc_name ?? url.host,
    scope: config.oidc_scope,
    trustsEmail: config.oidc_trust_email,
    isDefault: config.oidc_redirect,
  };
}

const unreachable = (cause: unknown) => unavailableDueTo(cause, "external.unreachable");
const refused = () => forbidden("external.refused");
/** @throws DomainError `external.no_email` or `external.unverified` */
function ensureVerified(email: string, isVerified: boolean): void {
  if (email.length > EMAIL_LENGTH_MAX || !/^[^\s@]+@[^\s@]+$/.test(email))
    throw forbidden("external.no_email");
  if (!isVerified) throw forbidden("external.unverified", { email });
}

const trimmed = (value: unknown): string => (typeof value === "string" ? value.trim() : "");

/** @throws DomainError `network_error.response_too_long` */
const fetchLimited: CustomFetch = async (url, init) => {
  const headers = { ...init.headers, "accept-encoding": "identity" };
  // Decompression could make a small body very large. The library types these options differently.
  const response = await fetch(url, { ...init, headers, decompress: false } as RequestInit);
  const body = await firstBytes(response, PROVIDER_RESPONSE_BYTES_MAX + 1);
  if (body.length > PROVIDER_RESPONSE_BYTES_MAX) throw unavailable("network_error.response_too_long");
  const { status, headers: answered } = response;
  return new Response(body.length === 0 ? null : body, { status, headers: answered });
};

/**
 * Creates the client of an external provider (OpenID Connect, authorization code with PKCE, state and nonce). It identifies people, not this
 * gateway's users.
 */
export function createExternalProvider(
  settings: ExternalSettings,
  deps: {
    /** Returns monotonic epoch ms. */
    now: () => number;
    log: Logger;
  },
) {
  const { now, log } = deps;
  /** Cached metadata of the provider, and when they were read. */
  let existing: { readonly at: number; readonly config: Promise<Configuration> } | undefined;

  async function discover(): Promise<Configuration> {
    const client = await import("openid-client");
    const issuer = new URL(settings.issuer);
    let skewSeconds = 0;
    const options: DiscoveryRequestOptions = {
      timeout: TIMEOUT_SECONDS,
      // An operator who configures an issuer without TLS trusts the network.
      execute: issuer.protocol === "http:" ? [client.allowInsecureRequests] : [],
      async [client.customFetch](url, init) {
        const response = await fetchLimited(url, init);
        const date = Date.parse(response.headers.get("date") ?? "");
        // Tokens must not count as expired because the gateway's clock is wrong.
        if (!Number.isNaN(date)) skewSeconds = Math.round((date - Date.now()) / 1000);
        return response;
      },
    };
    const found = await client.discovery(issuer, settings.clientId, undefined, client.None(), options);
    const server = found.serverMetadata();
    const { clientSecret } = settings;
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const authentication =
      clientSecret === undefined
        ? client.None()
        : methods.includes("client_secret_basic")
          ? client.ClientSecretBasic(clientSecret)
          : client.ClientSecretPost(clientSecret);
    const isSkewed = Math.abs(skewSeconds) > CLOCK_TOLERANCE_SECONDS;
    const metadata = {
      [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS,
      [client.clockSkew]: isSkewed ? skewSeconds : 0,
    };
    const config = new client.Configuration(server, settings.clientId, metadata, authentication);
    config.timeout = TIMEOUT_SECONDS;
    config[client.customFetch] = fetchLimited;
    if (issuer.protocol === "http:") client.allowInsecureRequests(config);
    client.enableNonRepudiationChecks(config); // the signature of the ID token is checked too, not the connection alone
    return config;
  }

  async function configuration(): Promise<Configuration> {
    const timeMs = now();
    if (existing === undefined || timeMs - existing.at > METADATA_KEPT_MS)
      existing = { at: timeMs, config: discover() };
    const mine = existing;
    try {
      return await mine.config;
    } catch (cause) {
      if (existing === mine) existing = undefined;
      log.warn("external identity provider unusable", { issuer: settings.issuer, error: cause });
      throw unreachable(cause);
    }
  }

  /** Returns the claims of the ID token, and those that only the user-info endpoint provides. */
  async function claimsOf(pending: PendingAuthorization, callback: URLSearchParams) {
    const client = await import("openid-client");
    const config = await configuration();
    const url = new URL(pending.callback);
    url.search = callback.toString();
    const tokens = await client.authorizationCodeGrant(config, url, {
      pkceCodeVerifier: pending.codeVerifier,
      expectedState: pending.state,
      expectedNonce: pending.nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) throw refused();
    const isComplete = claims.email !== undefined && claims.email_verified !== undefined;
    if (isComplete || config.serverMetadata().userinfo_endpoint === undefined) return claims;
    return { ...claims, ...(await client.fetchUserInfo(config, tokens.access_token, claims.sub)) };
  }

  return {
    name: settings.name,
    isDefault: settings.isDefault,
    /** Returns the URL to which the browser is redirected. @throws DomainError `external.unreachable` */
    async begin({
      callback,
      loginHint,
      uiLocales,
      prompt,
    }: {
      callback: string;
      loginHint: string | undefined;
      uiLocales: string | undefined;
      prompt: string | undefined;
    }): Promise<{ url: string; pending: PendingAuthorization }> {
      const client = await import("openid-client");
      const config = await configuration();
      const pending: PendingAuthorization = {
        callback,
        state: client.randomState(),
        nonce: client.randomNonce(),
        codeVerifier: client.randomPKCECodeVerifier(),
      };
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: callback,
        scope: settings.scope,
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(pending.codeVerifier),
        code_challenge_method: "S256",
        ...(loginHint !== undefined && { login_hint: loginHint }),
        ...(uiLocales !== undefined && { ui_locales: uiLocales }),
        ...(prompt !== undefined && { prompt }),
      });
      return { url: url.href, pending };
    },
    /** Returns the user who returned. @throws DomainError `external.refused`, `external.no_email`, `external.unverified` or `external.unreachable` */
    async finish(pending: PendingAuthorization, callback: URLSearchParams): Promise<ExternalPerson> {
      const claims = await claimsOf(pending, callback).catch((error: unknown) => {
        if (error instanceof DomainError) throw error;
        // The provider's description is only logged, because anybody can write it into the URL.
        log.warn("sign-in at the external identity provider failed", { issuer: settings.issuer, error });
        throw refused();
      });
      const email = normalizeEmail(trimmed(claims.email));
      const stated: unknown = claims.email_verified;
      // Some send it as a string. An unverified address is never accepted.
      const isVerified =
        stated === true || stated === "true" || (stated === undefined && settings.trustsEmail);
      ensureVerified(email, isVerified);
      return { email, fullName: trimmed(claims.name).slice(0, 200) };
    },
  };
}

export type ExternalProvider = ReturnType<typeof createExternalProvider>;
