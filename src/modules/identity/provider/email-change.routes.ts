import { Elysia } from "elysia";
import { DomainError } from "../../../lib/domain-error.ts";
import { formBody, pageAnswers } from "../../documented-answers.ts";
import type { ReportRefusal } from "../../refusals/refusals.types.ts";
import { linkReporter } from "../../report-refusal.ts";
import type { Appearance } from "../../tenants/tenants.types.ts";
import type { AccountService } from "../account.service.ts";
import { emailLinkQuery } from "../identity.schemas.ts";
import { hostedAnswer } from "./hosted-answer.ts";
import { emailDonePage, emailInvalidPage, emailPage, type PageContext } from "./hosted-forms.ts";
import { type ReadField, readFields, readJourney } from "./hosted-request.ts";
import { hostedProblem, selectHostedText } from "./hosted-text.ts";

interface EmailChangeDeps {
  readonly account: Pick<AccountService, "addressOf" | "confirmEmailChange">;
  readonly appearance: () => Appearance;
  readonly report: ReportRefusal;
}

/** The page that the link to a new address leads to. Programs that open links in mails change nothing: the button does. */
export const emailChangeRoutes = ({ account, appearance, report }: EmailChangeDeps) => {
  const withLink = linkReporter(report, { code: "email_change.invalid", reason: "email_link_invalid" });
  const contextOf = (read: ReadField, request: Request): PageContext => {
    const journey = readJourney(read, request);
    const text = selectHostedText(journey.uiLocales, request.headers.get("accept-language"));
    return { text, journey, appearance: appearance() };
  };
  function failed(context: PageContext, error: unknown): Response {
    if (!(error instanceof DomainError)) throw error;
    return hostedAnswer(emailInvalidPage({ ...context, problem: hostedProblem(context.text, error) }), error);
  }
  return new Elysia({ prefix: "/idp", tags: ["identity provider"] })
    .get(
      "/email",
      async ({ query, request, server }) => {
        const context = contextOf(readFields(query), request);
        const { token } = query;
        try {
          const email = await withLink({ request, server }, token, () => account.addressOf(token));
          return hostedAnswer(emailPage({ ...context, email, token }));
        } catch (error) {
          return failed(context, error);
        }
      },
      {
        query: emailLinkQuery,
        detail: {
          summary: "Page to confirm a new e-mail address",
          responses: pageAnswers(400, 404),
          description: "404, as a page, for a link that is used, expired or unknown.",
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
          await withLink({ request, server }, token, () => account.confirmEmailChange(token, language));
          return hostedAnswer(emailDonePage(context));
        } catch (error) {
          return failed(context, error);
        }
      },
      {
        detail: {
          summary: "Confirm a new e-mail address",
          responses: pageAnswers(400, 404, 409),
          requestBody: formBody("token"),
          description:
            "A form of the hosted pages. Mails to both addresses report the change. 404 for a link that is used or expired, 409 if the address belongs to another user meanwhile.",
        },
      },
    );
};
