import { forbidden, invalid, unauthenticated } from "../../../lib/core/domain-error.ts";
import type { SealedBox } from "../../../platform/secrets/sealed-box.ts";
import type { ExternalPerson, ExternalProvider, PendingAuthorization } from "./external-provider.ts";
import { type Journey, withCode } from "./hosted-request.ts";
import { redirectResponse } from "./hosted-response.ts";
import type { SignInFlow } from "./sign-in.ts";

const PENDING_LIFETIME_MS = 15 * 60_000;
/** Max. characters of a cookie; browsers store 4 KiB including the name. */
const COOKIE_LENGTH_MAX = 3_900;
const COOKIE = "lineside_external_";

/** Result of checking a user whose address an external provider has confirmed. */
export type Admission = "admitted" | "unknown" | "disabled";

interface Pending {
  readonly authorization: PendingAuthorization;
  readonly journey: Journey;
  readonly expiresAt: number;
}

const cookieName = (state: string): string => `${COOKIE}${state.slice(0, 12)}`;

/**
 * Creates the sign-in through an external provider. Its state travels in a sealed cookie of the browser that started it: nothing is stored for
 * unknown clients, a restart does not interrupt it, and a link cannot sign anyone in.
 */
export function createExternalSignIn(deps: {
  external: ExternalProvider;
  flow: Pick<SignInFlow, "issueCode">;
  box: SealedBox;
  admit: (person: ExternalPerson) => Admission;
  /** Returns scheme, host and port of this gateway for a request with this URL. */
  originFor: (requestUrl: string) => string;
  /** Returns monotonic epoch ms. */
  now: () => number;
}) {
  const { external, box, now } = deps;

  const attributes = (request: Request, seconds: number): string => {
    const secure = deps.originFor(request.url).startsWith("https:") ? "; Secure" : "";
    // Lax, because it must be sent when the provider redirects the browser back.
    return `; Path=/idp/callback; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
  };

  function pendingOf(request: Request): Pending | undefined {
    const state = new URL(request.url).searchParams.get("state") ?? "";
    const cookies = (request.headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
    const prefix = `${cookieName(state)}=`;
    const sealed = cookies.find((pair) => pair.startsWith(prefix))?.slice(prefix.length);
    const text = sealed === undefined ? undefined : box.open(sealed);
    if (text === undefined) return undefined;
    const pending = JSON.parse(text) as Pending; // sealed by `begin` below
    return pending.authorization.state === state && pending.expiresAt > now() ? pending : undefined;
  }

  return {
    name: external.name,
    isDefault: external.isDefault,
    async begin(
      request: Request,
      journey: Journey,
      hints: { loginHint: string | undefined; prompt: string | undefined },
    ): Promise<Response> {
      const callback = `${deps.originFor(request.url)}/idp/callback`;
      const { url, pending: authorization } = await external.begin({
        ...hints,
        callback,
        uiLocales: journey.uiLocales,
      });
      const pending: Pending = { authorization, journey, expiresAt: now() + PENDING_LIFETIME_MS };
      const value = box.seal(JSON.stringify(pending));
      if (value.length > COOKIE_LENGTH_MAX) throw invalid("auth.request_too_long");
      const cookie = `${cookieName(authorization.state)}=${value}${attributes(request, PENDING_LIFETIME_MS / 1000)}`;
      return redirectResponse(url, cookie);
    },
    /** Returns the journey of a response; undefined if this browser did not start it, or too long ago. */
    journeyOf: (request: Request): Journey | undefined => pendingOf(request)?.journey,
    /** @throws DomainError for an invalid response, or a user who is not admitted */
    async finish(request: Request): Promise<Response> {
      const pending = pendingOf(request);
      if (pending === undefined) throw unauthenticated("sign_in.expired");
      const { authorization, journey } = pending;
      const person = await external.finish(authorization, new URL(request.url).searchParams);
      const admission = deps.admit(person);
      if (admission !== "admitted") throw forbidden(`external.${admission}`, { email: person.email });
      const code = deps.flow.issueCode(person.email, journey);
      const over = `${cookieName(authorization.state)}=${attributes(request, 0)}`;
      return redirectResponse(withCode(journey.redirectUri, code, journey.state), over);
    },
  };
}

export type ExternalSignIn = ReturnType<typeof createExternalSignIn>;
