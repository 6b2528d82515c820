import { Elysia, t } from "elysia";
import { DomainError } from "../../../lib/core/domain-error.ts";
import { preferredLanguage } from "../../../lib/strings/preferred-language.ts";
import { formBody, pageResponses } from "../../api/documented-responses.ts";
import { linkReporter } from "../../api/report-refusal.ts";
import { successBody } from "../../api/wire.schemas.ts";
import type { ReportRefusal } from "../../faults/refusals.types.ts";
import type { Appearance } from "../../tenants/tenants.types.ts";
import type { EmailChangeService } from "../email-change.service.ts";
import type { AuthPlugin } from "../identity.plugin.ts";
import { emailLinkQuery, emailText } from "../identity.schemas.ts";
import { EMAIL_LIFETIME_MINUTES } from "./account-security.ts";
import { emailDonePage, emailInvalidPage, emailPage, type PageContext } from "./hosted-forms.ts";
import { type ReadField, readFields, readJourney } from "./hosted-request.ts";
import { hostedResponse } from "./hosted-response.ts";
import { hostedProblem, selectHostedText } from "./hosted-text.ts";

interface EmailChangeDeps {
  readonly emailChange: EmailChangeService;
  readonly appearance: () => Appearance;
  readonly report: ReportRefusal;
}

export const emailChangeRoute = (deps: {
  emailChange: EmailChangeService;
  /** Returns the base URL of links in mails. */
  mailOriginFor: (request: Request) => string;
  auth: AuthPlugin;
}) =>
  new Elysia({ prefix: "/api/auth", tags: ["auth"] }).use(deps.auth).post(
    "/email",
    async ({ principal, body: { email, password, code = "" }, request }) => {
      const language = preferredLanguage(undefined, request.headers.get("accept-language"));
      const origin = deps.mailOriginFor(request);
      await deps.emailChange.request(principal, { email, password, code }, { language, origin });
      return { success: true };
    },
    {
      auth: "session:use",
      audit: { none: "nothing is in effect before the new address is confirmed" },
      body: t.Object({
        email: emailText,
        password: t.String({ minLength: 1, maxLength: 1024 }),
        code: t.Optional(
          t.String({
            maxLength: 64,
            description: "code of the second factor or recovery code, if the second factor is on",
          }),
        ),
      }),
      response: { 200: successBody },
      detail: {
        operationId: "changeOwnEmail",
        summary: "Change your email address",
        description: `For owners and administrators. Sends a link to the new address, which takes effect when the link is opened within ${EMAIL_LIFETIME_MINUTES} minutes.`,
        errors: {
          400: "The password or the code is wrong.",
          403: "The caller is an API key or acts as another user.",
          409: "The address belongs to another user, or the user signs in with an external identity provider and has no password here.",
          429: "There were too many wrong attempts. `Retry-After` says when to try again.",
        },
        example: { email: "ada@plant.example", password: "correct horse battery staple" },
      },
    },
  );

/** Creates the page that the link to a new address opens. Only its button changes the address, because mail scanners open links. */
export const emailChangePages = ({ emailChange, appearance, report }: EmailChangeDeps) => {
  const withLink = linkReporter(report, { code: "email_change.invalid", reason: "email_link_invalid" });
  const contextOf = (read: ReadField, request: Request): PageContext => {
    const journey = readJourney(read, request);
    const text = selectHostedText(journey.uiLocales, request.headers.get("accept-language"));
    return { text, journey, appearance: appearance() };
  };
  function failed(context: PageContext, error: unknown): Response {
    if (!(error instanceof DomainError)) throw error;
    return hostedResponse(
      emailInvalidPage({ ...context, problem: hostedProblem(context.text, error) }),
      error,
    );
  }
  return new Elysia({ prefix: "/idp", tags: ["identity provider"] })
    .get(
      "/email",
      async ({ query, request, server }) => {
        const context = contextOf(readFields(query), request);
        const { token } = query;
        try {
          const email = await withLink({ request, server }, token, () => emailChange.addressOf(token));
          return hostedResponse(emailPage({ ...context, email, token }));
        } catch (error) {
          return failed(context, error);
        }
      },
      {
        query: emailLinkQuery,
        detail: {
          operationId: "showEmailChangePage",
          summary: "Show the page to confirm an email address",
          responses: pageResponses(400, 404),
          errors: { 404: "The link is used, expired or unknown." },
        },
      },
    )
    .post(
      "/email",
      async ({ body, request, server }) => {
        const read = readFields(body);
        const context = contextOf(read, request);
        const token = read("token") ?? "";
        const language = context.text.language === "de" ? "de" : "en";
        try {
          await withLink({ request, server }, token, () => emailChange.confirm(token, language));
          return hostedResponse(emailDonePage(context));
        } catch (error) {
          return failed(context, error);
        }
      },
      {
        detail: {
          operationId: "confirmEmailChange",
          summary: "Confirm a new email address",
          responses: pageResponses(400, 404, 409),
          requestBody: formBody("token"),
          description: "A form of the hosted pages. Mails to both addresses report the change.",
          errors: { 404: "The link is used or expired.", 409: "The address now belongs to another user." },
        },
      },
    );
};
