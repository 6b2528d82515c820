import { Elysia } from "elysia";
import { DomainError, invalid } from "../../../lib/domain-error.ts";
import { type authorizeBody, authorizeQuery } from "../identity.schemas.ts";
import type { IdentityProvider } from "./identity-provider.ts";
import { renderSignInPage, signInStyles } from "./sign-in-page.ts";

const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
};

/** Codes may only be sent back to this gateway itself: a path, or an address with the request's own origin. */
function ensureOwnRedirect(redirectUri: string | undefined, request: Request): string {
  if (redirectUri === undefined) return "/auth/callback";
  const origin = new URL(request.url).origin;
  const target = URL.canParse(redirectUri, origin) ? new URL(redirectUri, origin) : undefined;
  if (target === undefined || target.host !== new URL(request.url).host || !/^https?:$/.test(target.protocol))
    throw invalid("auth.redirect_invalid", "redirect_uri must lie on this gateway");
  return redirectUri.startsWith("/") ? `${target.pathname}${target.search}` : target.href;
}

function withCode(redirectUri: string, code: string, state: string | undefined): string {
  const query = new URLSearchParams({ code, ...(state === undefined ? {} : { state }) });
  return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${query}`;
}

/** A form's snake_case names, as RFC 6749 has them, become the JSON form's. */
function fromForm(form: Record<string, unknown>) {
  const field = (name: string) =>
    typeof form[name] === "string" && form[name] !== "" ? form[name] : undefined;
  return {
    email: field("email") ?? "",
    password: field("password") ?? "",
    redirectUri: field("redirect_uri"),
    state: field("state"),
    codeChallenge: field("code_challenge"),
  };
}

export const providerRoutes = (deps: { provider: IdentityProvider; setupRequired: () => boolean }) =>
  new Elysia({ prefix: "/idp", tags: ["identity provider"] })
    .get(
      "/style.css",
      () =>
        new Response(signInStyles, {
          headers: { "content-type": "text/css", "cache-control": "max-age=3600" },
        }),
      {
        detail: { hide: true },
      },
    )
    .get(
      "/authorize",
      ({ query, request }) => {
        const redirectUri = ensureOwnRedirect(query.redirect_uri, request);
        if (query.code_challenge !== undefined && (query.code_challenge_method ?? "S256") !== "S256")
          throw invalid("auth.challenge_method", "code_challenge_method must be S256");
        const hidden = {
          redirect_uri: redirectUri,
          state: query.state,
          code_challenge: query.code_challenge,
        };
        const page = renderSignInPage({
          email: "",
          message: undefined,
          setupRequired: deps.setupRequired(),
          hidden,
        });
        return new Response(page, { headers: pageHeaders });
      },
      {
        query: authorizeQuery,
        detail: {
          summary: "Hosted sign-in page",
          description: "Authorization-code flow with PKCE (S256). Needs no JavaScript.",
        },
      },
    )
    .post(
      "/authorize",
      async ({ body, request, server }) => {
        const isForm = !(request.headers.get("content-type") ?? "").includes("json");
        const given = isForm
          ? fromForm(body as Record<string, unknown>)
          : (body as typeof authorizeBody.static); // checked below
        const redirectUri = ensureOwnRedirect(given.redirectUri, request);
        const address = server?.requestIP(request)?.address ?? "local";
        try {
          const { code } = await deps.provider.signIn({ ...given, redirectUri, address });
          const redirectTo = withCode(redirectUri, code, given.state);
          if (isForm) return new Response(null, { status: 303, headers: { location: redirectTo } });
          return Response.json({ code, redirectTo });
        } catch (error) {
          if (!isForm || !(error instanceof DomainError)) throw error;
          const hidden = {
            redirect_uri: redirectUri,
            state: given.state,
            code_challenge: given.codeChallenge,
          };
          const page = renderSignInPage({
            email: given.email,
            message: error.message,
            setupRequired: deps.setupRequired(),
            hidden,
          });
          return new Response(page, { status: error.kind === "limited" ? 429 : 401, headers: pageHeaders });
        }
      },
      {
        transform: ({ body, request }) => {
          if (!(request.headers.get("content-type") ?? "").includes("json")) return;
          const ok = typeof body === "object" && body !== null && "email" in body && "password" in body;
          if (!ok || typeof body.email !== "string" || typeof body.password !== "string")
            throw invalid("auth.credentials_missing", "email and password are required");
        },
        detail: {
          summary: "Sign in with e-mail and password",
          description:
            "The sign-in page's form, or JSON `{email, password, redirectUri?, codeChallenge?, state?}` → `{code, redirectTo}` for scripts. 401 for a wrong pair, 429 with Retry-After after too many.",
        },
      },
    );
