import { Elysia, type Static } from "elysia";
import { DomainError, invalid, notFound } from "../../../lib/core/domain-error.ts";
import { formBody, pageResponses, redirect } from "../../api/documented-responses.ts";
import type { PeerServer } from "../../api/request-peer.ts";
import type { Appearance } from "../../tenants/tenants.types.ts";
import { authorizeQuery } from "../identity.schemas.ts";
import type { ReportingExternalSignIn } from "../refused-sign-ins.ts";
import {
  expiredPage,
  newPasswordPage,
  type PageContext,
  secondFactorPage,
  signInPage,
} from "./hosted-forms.ts";
import { stylesFor } from "./hosted-page.ts";
import {
  callerOf,
  deviceCookie,
  isFormRequest,
  type Journey,
  type ReadField,
  readFields,
  readJourney,
  withCode,
} from "./hosted-request.ts";
import { hostedResponse, redirectResponse } from "./hosted-response.ts";
import { hostedProblem, selectHostedText } from "./hosted-text.ts";
import type { IdentityProvider } from "./identity-provider.ts";
import type { Caller } from "./password-check.ts";
import { signInBody, signInResponses } from "./provider.schemas.ts";
import type { SignInStep } from "./sign-in.ts";

interface Step {
  readonly request: Request;
  readonly text: ReadField;
  readonly journey: Journey;
  readonly caller: Caller;
}

export const providerRoutes = (deps: {
  provider: IdentityProvider;
  setupRequired: () => boolean;
  signUpOpen: () => boolean;
  /** The external provider, if there is one. */
  external: ReportingExternalSignIn | undefined;
  appearance: () => Appearance;
}) => {
  const { provider, external } = deps;

  const contextOf = ({ request, journey }: Pick<Step, "request" | "journey">): PageContext => ({
    text: selectHostedText(journey.uiLocales, request.headers.get("accept-language")),
    journey,
    appearance: deps.appearance(),
  });

  const signIn = (context: PageContext, email: string): string =>
    signInPage({
      ...context,
      email,
      setupRequired: deps.setupRequired(),
      signUpOpen: deps.signUpOpen(),
      external: external?.name,
    });

  const readStep = (body: unknown, request: Request, server: PeerServer | null): Step => {
    const text = readFields(body);
    return { request, text, journey: readJourney(text, request), caller: callerOf(request, server) };
  };

  /** Returns the next page, or redirects with the code; the browser is then known as a client of the account. */
  function proceed({ request, journey, caller }: Step, step: SignInStep): Response {
    const context = contextOf({ request, journey });
    if (step.step !== "signed_in") {
      const render = step.step === "second_factor" ? secondFactorPage : newPasswordPage;
      return hostedResponse(render({ ...context, ticket: step.ticket }));
    }
    const cookie = caller.device === undefined ? undefined : deviceCookie(caller.device, request);
    return redirectResponse(withCode(journey.redirectUri, step.code, journey.state), cookie);
  }

  /** Returns the page with the error; the first page if the ticket has expired. */
  function repeat(
    step: Pick<Step, "request" | "journey">,
    error: unknown,
    render: (context: PageContext) => string,
  ): Response {
    if (!(error instanceof DomainError)) throw error;
    const context = contextOf(step);
    const problem = hostedProblem(context.text, error);
    const isOver = error.code === "sign_in.expired";
    return hostedResponse(
      isOver ? signIn({ ...context, problem }, "") : render({ ...context, problem }),
      error,
    );
  }

  async function authorizeByForm(step: Step): Promise<Response> {
    const email = step.text("email") ?? "";
    const { journey, caller } = step;
    try {
      const password = step.text("password") ?? "";
      return proceed(step, await provider.begin({ ...journey, ...caller, email, password }));
    } catch (error) {
      return repeat(step, error, (context) => signIn(context, email));
    }
  }

  async function authorizeByScript(step: Step): Promise<Response> {
    const { text, journey, caller } = step;
    const [email, password, otp, newPassword] = ["email", "password", "otp", "newPassword"].map(text);
    if (email === undefined || password === undefined) throw invalid("auth.credentials_missing");
    const { code } = await provider.signIn({
      ...journey,
      ...caller,
      email,
      password,
      ...(otp !== undefined && { otp }),
      ...(newPassword !== undefined && { newPassword }),
    });
    return Response.json({ code, redirectTo: withCode(journey.redirectUri, code, journey.state) });
  }

  async function goToExternal(request: Request, query: Static<typeof authorizeQuery>): Promise<Response> {
    if (external === undefined) throw notFound("external.none");
    const journey = readJourney(readFields(query), request);
    try {
      return await external.begin(request, journey, { loginHint: query.login_hint, prompt: query.prompt });
    } catch (error) {
      return repeat({ request, journey }, error, (context) => signIn(context, query.login_hint ?? ""));
    }
  }

  async function comeBack(request: Request, server: PeerServer | null): Promise<Response> {
    if (external === undefined) throw notFound("external.none");
    const journey = external.journeyOf(request);
    try {
      return await external.finish(request, server);
    } catch (error) {
      if (journey !== undefined) return repeat({ request, journey }, error, (context) => signIn(context, ""));
      if (!(error instanceof DomainError)) throw error;
      // A sign-in without its journey has no destination, so the user starts again at the console.
      const context = contextOf({ request, journey: readJourney(() => undefined, request) });
      return hostedResponse(expiredPage(context), error);
    }
  }

  return new Elysia({ prefix: "/idp", tags: ["identity provider"] })
    .get(
      "/style.css",
      () =>
        new Response(stylesFor(deps.appearance()), {
          headers: { "content-type": "text/css", "cache-control": "max-age=3600" },
        }),
      { detail: { hide: true } },
    )
    .get(
      "/authorize",
      ({ query, request }) => {
        if (query.code_challenge !== undefined && (query.code_challenge_method ?? "S256") !== "S256")
          throw invalid("auth.challenge_method");
        const journey = readJourney(readFields(query), request);
        const goesElsewhere = external?.isDefault && query.provider !== "local" && !deps.setupRequired();
        if (goesElsewhere) return goToExternal(request, query);
        return hostedResponse(signIn(contextOf({ request, journey }), query.login_hint ?? ""));
      },
      {
        query: authorizeQuery,
        detail: {
          operationId: "showSignInPage",
          summary: "Show the sign-in page",
          responses: pageResponses(303, 400, 503),
          description:
            "Authorization-code flow with PKCE (S256). Needs no JavaScript. In English or German, by `ui_locales` or Accept-Language; `login_hint` fills in the email. If an external OpenID Connect provider is configured, it redirects there (303) unless `provider=local` or `oidc_redirect` is off.",
        },
      },
    )
    .post(
      "/authorize",
      ({ body, request, server }) => {
        const step = readStep(body, request, server);
        return isFormRequest(request) ? authorizeByForm(step) : authorizeByScript(step);
      },
      {
        detail: {
          operationId: "signIn",
          summary: "Sign in with email and password",
          responses: signInResponses,
          requestBody: signInBody,
          description:
            "The sign-in page's form, or JSON `{email, password, otp?, newPassword?, redirectUri?, codeChallenge?, state?}` → `{code, redirectTo}` for scripts.",
          errors: {
            401: "The email, the password or `otp` is wrong.",
            403: "A field is required and missing: `otp` if a second factor is on, `newPassword` if the password is temporary.",
            429: "There were too many attempts. `Retry-After` says when to try again.",
          },
        },
      },
    )
    .get("/external", ({ query, request }) => goToExternal(request, query), {
      query: authorizeQuery,
      detail: {
        operationId: "signInExternally",
        summary: "Sign in at the external provider",
        responses: { 303: redirect("To the external provider.") },
        description: "Redirects to the configured OpenID Connect provider.",
        errors: { 404: "No external provider is configured." },
      },
    })
    .get("/callback", ({ request, server }) => comeBack(request, server), {
      detail: {
        operationId: "completeExternalSignIn",
        summary: "Complete a sign-in at the external provider",
        responses: pageResponses(303, 400, 401, 403, 404, 503),
        description:
          "Redirects with an authorization code for `/api/auth/exchange`, or shows the sign-in page with the error.",
        errors: {
          401: "This browser did not begin the sign-in within the last 15 minutes.",
          403: "The person has no active user here or no verified email address.",
          503: "The provider does not respond.",
        },
      },
    })
    .post(
      "/second-factor",
      async ({ body, request, server }) => {
        const step = readStep(body, request, server);
        const ticket = step.text("ticket") ?? "";
        const code = step.text("code") ?? "";
        try {
          return proceed(
            step,
            await provider.enterSecondFactor({ ...step.journey, ...step.caller, ticket, code }),
          );
        } catch (error) {
          return repeat(step, error, (context) => secondFactorPage({ ...context, ticket }));
        }
      },
      {
        detail: {
          operationId: "submitSecondFactor",
          summary: "Confirm a sign-in with a second factor",
          responses: pageResponses(303, 400, 401, 429),
          requestBody: formBody("ticket", "code"),
          description: "A form of the hosted pages. Answers the next page or redirects with the code.",
        },
      },
    )
    .post(
      "/new-password",
      async ({ body, request, server }) => {
        const step = readStep(body, request, server);
        const ticket = step.text("ticket") ?? "";
        const password = step.text("password") ?? "";
        const render = (context: PageContext) => newPasswordPage({ ...context, ticket });
        if (password !== step.text("repeated")) return repeat(step, passwordsDiffer(), render);
        try {
          return proceed(
            step,
            await provider.setNewPassword({ ...step.journey, ...step.caller, ticket, password }),
          );
        } catch (error) {
          return repeat(step, error, render);
        }
      },
      {
        detail: {
          operationId: "submitNewPassword",
          summary: "Replace a temporary password",
          responses: pageResponses(303, 400, 401, 429),
          requestBody: formBody("ticket", "password", "repeated"),
          description: "A form of the hosted pages. Answers the next page or redirects with the code.",
        },
      },
    );
};

export const passwordsDiffer = (): DomainError => invalid("password.mismatch");
