import { Elysia } from "elysia";
import { DomainError, invalid } from "../../../lib/domain-error.ts";
import { isJsonObject } from "../../../lib/json.ts";
import { authorizeQuery } from "../identity.schemas.ts";
import type { IdentityProvider } from "./identity-provider.ts";
import { renderSignInPage, signInStyles } from "./sign-in-page.ts";
import { chooseSignInText, signInProblem } from "./sign-in-text.ts";

const FIELD_LENGTH_MAX = 2048;

const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
};

/** Codes may only be sent back to this gateway itself: a path, or an address with the request's own origin. */
function ensureOwnRedirect(redirectUri: string | undefined, request: Request): string {
  if (redirectUri === undefined) return "/auth/callback";
  const origin = new URL(request.url).origin;
  const target = URL.canParse(redirectUri, origin) ? new URL(redirectUri, origin) : undefined;
  const isOwn = target?.host === new URL(request.url).host && /^https?:$/.test(target.protocol);
  // Dot segments may leave a path that begins with two slashes: browsers take that for another host.
  if (target === undefined || !isOwn || target.pathname.startsWith("//"))
    throw invalid("auth.redirect_invalid", "redirect_uri must lie on this gateway");
  return redirectUri.startsWith("/") ? `${target.pathname}${target.search}` : target.href;
}

function withCode(redirectUri: string, code: string, state: string | undefined): string {
  const query = new URLSearchParams({ code, ...(state === undefined ? {} : { state }) });
  return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${query}`;
}

interface AuthorizeRequest {
  readonly email: string;
  readonly password: string;
  readonly redirectUri: string | undefined;
  readonly state: string | undefined;
  readonly codeChallenge: string | undefined;
  readonly uiLocales: string | undefined;
  readonly theme: string | undefined;
}

/** The form's fields have RFC 6749's snake_case names, the JSON form's are those of the API. */
function readRequest(body: unknown, isForm: boolean): AuthorizeRequest {
  const fields = isJsonObject(body) ? body : {};
  const text = (name: string) => {
    const value = fields[name];
    if (value === undefined || value === null || value === "") return undefined;
    if (typeof value !== "string" || value.length > FIELD_LENGTH_MAX)
      throw invalid("auth.request_invalid", `${name} must be a text`);
    return value;
  };
  const email = text("email");
  const password = text("password");
  if (!isForm && (email === undefined || password === undefined))
    throw invalid("auth.credentials_missing", "email and password are required");
  return {
    email: email ?? "",
    password: password ?? "",
    redirectUri: text(isForm ? "redirect_uri" : "redirectUri"),
    state: text("state"),
    codeChallenge: text(isForm ? "code_challenge" : "codeChallenge"),
    uiLocales: text("ui_locales"),
    theme: text("theme"),
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
          ui_locales: query.ui_locales,
          theme: query.theme,
        };
        const page = renderSignInPage({
          text: chooseSignInText(query.ui_locales, request.headers.get("accept-language")),
          email: "",
          problem: undefined,
          setupRequired: deps.setupRequired(),
          hidden,
        });
        return new Response(page, { headers: pageHeaders });
      },
      {
        query: authorizeQuery,
        detail: {
          summary: "Hosted sign-in page",
          description:
            "Authorization-code flow with PKCE (S256). Needs no JavaScript. In English or German, by `ui_locales` or Accept-Language.",
        },
      },
    )
    .post(
      "/authorize",
      async ({ body, request, server }) => {
        const isForm = !(request.headers.get("content-type") ?? "").includes("json");
        const given = readRequest(body, isForm);
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
            ui_locales: given.uiLocales,
            theme: given.theme,
          };
          const text = chooseSignInText(given.uiLocales, request.headers.get("accept-language"));
          const page = renderSignInPage({
            text,
            email: given.email,
            problem: signInProblem(text, error),
            setupRequired: deps.setupRequired(),
            hidden,
          });
          return new Response(page, { status: error.kind === "limited" ? 429 : 401, headers: pageHeaders });
        }
      },
      {
        detail: {
          summary: "Sign in with e-mail and password",
          description:
            "The sign-in page's form, or JSON `{email, password, redirectUri?, codeChallenge?, state?}` → `{code, redirectTo}` for scripts. 401 for a wrong pair, 429 with Retry-After after too many.",
        },
      },
    );
