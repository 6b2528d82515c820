import { Elysia } from "elysia";
import { DomainError, notFound } from "../../../lib/core/domain-error.ts";
import { formBody, pageResponses } from "../../api/documented-responses.ts";
import { linkReporter } from "../../api/report-refusal.ts";
import type { ReportRefusal } from "../../faults/refusals.types.ts";
import type { MailSender } from "../../mail/mail.types.ts";
import type { Appearance } from "../../tenants/tenants.types.ts";
import type { AccountService } from "../account.service.ts";
import { authorizeQuery, resetQuery } from "../identity.schemas.ts";
import { clientOf } from "../request-client.ts";
import { RESET_LIFETIME_MINUTES } from "./account-security.ts";
import {
  forgotDonePage,
  forgotPage,
  type PageContext,
  resetDonePage,
  resetInvalidPage,
  resetPage,
} from "./hosted-forms.ts";
import { type ReadField, readFields, readJourney } from "./hosted-request.ts";
import { hostedResponse } from "./hosted-response.ts";
import { hostedProblem, selectHostedText } from "./hosted-text.ts";
import { passwordsDiffer } from "./provider.routes.ts";

const linkInvalid = () => notFound("reset.invalid");

const withProblem = <Context extends PageContext>(
  context: Context,
  error: unknown,
): [Context, DomainError] => {
  if (!(error instanceof DomainError)) throw error;
  return [{ ...context, problem: hostedProblem(context.text, error) }, error];
};

interface RecoveryDeps {
  readonly account: AccountService;
  /** Returns the base URL of links in mails. */
  readonly mailOriginFor: (request: Request) => string;
  readonly appearance: () => Appearance;
  readonly mail: Pick<MailSender, "isDelivering">;
  readonly report: ReportRefusal;
}

const contextFor =
  ({ appearance, mail }: RecoveryDeps) =>
  (read: ReadField, request: Request): PageContext & { isMailed: boolean } => {
    const journey = readJourney(read, request);
    const text = selectHostedText(journey.uiLocales, request.headers.get("accept-language"));
    return { text, journey, appearance: appearance(), isMailed: mail.isDelivering };
  };

/** Creates the page that requests a link. */
const forgotRoutes = (deps: RecoveryDeps) => {
  const { account } = deps;
  const contextOf = contextFor(deps);
  return new Elysia({ prefix: "/idp", tags: ["identity provider"] })
    .get(
      "/forgot",
      ({ query, request }) =>
        hostedResponse(forgotPage({ ...contextOf(readFields(query), request), email: "" })),
      {
        query: authorizeQuery,
        detail: {
          operationId: "showForgotPasswordPage",
          summary: "Show the page to request a new password",
          responses: pageResponses(400),
        },
      },
    )
    .post(
      "/forgot",
      ({ body, request, server }) => {
        const text = readFields(body);
        const context = contextOf(text, request);
        const email = text("email") ?? "";
        const language = context.text.language === "de" ? "de" : "en";
        try {
          account.requestReset(email, {
            address: clientOf(request, server).address,
            language,
            origin: deps.mailOriginFor(request),
          });
          return hostedResponse(forgotDonePage(context, RESET_LIFETIME_MINUTES));
        } catch (caught) {
          const [again, error] = withProblem(context, caught);
          return hostedResponse(forgotPage({ ...again, email }), error);
        }
      },
      {
        detail: {
          operationId: "requestPasswordReset",
          summary: "Send a link for a new password",
          responses: pageResponses(400, 429),
          requestBody: formBody("email"),
          description:
            "A form of the hosted pages. The response is the same whether the address has an account or not.",
          errors: {
            429: "The address was mailed within the last minute, 5 times within an hour or 10 times within a day.",
          },
        },
      },
    );
};

/** Creates the page that the link opens. */
const resetRoutes = (deps: RecoveryDeps) => {
  const { account } = deps;
  const contextOf = contextFor(deps);
  const withLink = linkReporter(deps.report, { code: "reset.invalid", reason: "reset_link_invalid" });
  const ensureValid = (secret: string): void => {
    if (!account.isResetSecret(secret)) throw linkInvalid();
  };
  return new Elysia({ prefix: "/idp", tags: ["identity provider"] })
    .get(
      "/reset",
      async ({ query, request, server }) => {
        const context = contextOf(readFields(query), request);
        try {
          await withLink({ request, server }, query.token, () => ensureValid(query.token));
          return hostedResponse(resetPage({ ...context, secret: query.token }));
        } catch (caught) {
          const [, error] = withProblem(context, caught);
          return hostedResponse(resetInvalidPage(context), error);
        }
      },
      {
        query: resetQuery,
        detail: {
          operationId: "showPasswordResetPage",
          summary: "Show the page to set a new password",
          responses: pageResponses(400, 404),
          errors: { 404: "The link is used, expired or unknown." },
        },
      },
    )
    .post(
      "/reset",
      async ({ body, request, server }) => {
        const text = readFields(body);
        const context = contextOf(text, request);
        const secret = text("token") ?? "";
        const password = text("password") ?? "";
        try {
          await withLink({ request, server }, secret, () => ensureValid(secret));
          if (password !== text("repeated")) throw passwordsDiffer();
          await account.resetPassword(secret, password, context.text.language === "de" ? "de" : "en");
          return hostedResponse(resetDonePage(context));
        } catch (caught) {
          const [again, error] = withProblem(context, caught);
          if (error.code === "reset.invalid") return hostedResponse(resetInvalidPage(again), error);
          return hostedResponse(resetPage({ ...again, secret }), error);
        }
      },
      {
        detail: {
          operationId: "resetPassword",
          summary: "Set a new password with the link of a mail",
          responses: pageResponses(400, 404, 429),
          requestBody: formBody("token", "password", "repeated"),
          description: "A form of the hosted pages. All sessions with the old password end.",
          errors: {
            400: "The passwords differ, or the password is too weak.",
            404: "The link is used or expired.",
          },
        },
      },
    );
};

/** Creates the hosted pages for forgotten passwords. */
export const recoveryRoutes = (deps: RecoveryDeps) => [forgotRoutes(deps), resetRoutes(deps)];
