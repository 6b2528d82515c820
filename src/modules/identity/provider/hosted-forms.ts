import { escapeHtml } from "../../../lib/strings/escape-html.ts";
import type { Appearance } from "../../tenants/tenants.types.ts";
import { renderHostedPage } from "./hosted-page.ts";
import { type Journey, journeyFields } from "./hosted-request.ts";
import type { HostedText } from "./hosted-text.ts";

/** Context of all hosted pages. */
export interface PageContext {
  readonly text: HostedText;
  readonly journey: Journey;
  /** Branding of the site. */
  readonly appearance: Appearance;
  readonly problem?: string | undefined;
}

const hiddenInputs = (fields: Record<string, string | undefined>): string =>
  Object.entries(fields)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`)
    .join("");

function withQuery(path: string, fields: Record<string, string | undefined>): string {
  const presentFields = Object.entries(fields).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return escapeHtml(`${path}?${new URLSearchParams(presentFields)}`);
}

const alert = (problem: string | undefined): string =>
  problem === undefined ? "" : `<p class="bad" role="alert">${escapeHtml(problem)}</p>`;

const form = (action: string, hidden: Record<string, string | undefined>, fields: string): string =>
  `<form method="post" action="${action}">${hiddenInputs(hidden)}${fields}</form>`;

const links = (...list: string[]): string => `<p class="links">${list.join("")}</p>`;
const link = (href: string, label: string): string => `<a href="${href}">${label}</a>`;
const backTo = ({ journey, text }: PageContext): string =>
  link(withQuery("/idp/authorize", { ...journeyFields(journey), provider: "local" }), text.back);

const page = ({ text, journey, appearance }: PageContext, title: string, body: string): string =>
  renderHostedPage({ text, title, theme: journey.theme, appearance, body });

export interface SignInPage extends PageContext {
  readonly email: string;
  readonly setupRequired: boolean;
  readonly signUpOpen: boolean;
  /** Name of the external provider, if there is one. */
  readonly external: string | undefined;
}

const externalButton = ({ text, journey, external }: SignInPage): string =>
  external === undefined
    ? ""
    : `<a class="button" href="${withQuery("/idp/external", journeyFields(journey))}">${escapeHtml(text.external.replace("{name}", external))}</a><p class="or">${text.or}</p>`;

export function signInPage(context: SignInPage): string {
  const { text, journey, email, problem } = context;
  if (context.setupRequired)
    return page(context, text.ownerless, `<p>${text.ownerlessHint}</p><code>lineside setup-link</code>`);
  const [first, second] = email === "" ? [" autofocus", ""] : ["", " autofocus"];
  const fields = `${alert(problem)}${externalButton(context)}
<label>${text.email}<input name="email" type="email" autocomplete="username" required${first} value="${escapeHtml(email)}"></label>
<label>${text.password}<input name="password" type="password" autocomplete="current-password" required${second}></label>
<button type="submit">${text.submit}</button>`;
  const forgot = link(withQuery("/idp/forgot", journeyFields(journey)), text.forgot);
  const signUp = context.signUpOpen ? link("/sign-up", text.signUp) : "";
  return page(
    context,
    text.title,
    form("/idp/authorize", journeyFields(journey), fields) + links(forgot, signUp),
  );
}

/** Renders a page that leads to the console, which starts its own sign-in. */
export function expiredPage(context: PageContext): string {
  const { text } = context;
  return page(context, text.title, `<p>${text.expired}</p>${links(link("/", text.submit))}`);
}

export function secondFactorPage(context: PageContext & { readonly ticket: string }): string {
  const { text, journey, ticket, problem } = context;
  const fields = `${alert(problem)}
<label>${text.secondFactorCode}<input name="code" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" maxlength="64" required autofocus></label>
<button type="submit">${text.continue}</button>`;
  const hidden = { ...journeyFields(journey), ticket };
  const body = `<p>${text.secondFactorHint}</p>${form("/idp/second-factor", hidden, fields)}${links(backTo(context))}`;
  return page(context, text.secondFactor, body);
}

const newPasswordFields = ({ text, problem }: PageContext, submit: string): string => `${alert(problem)}
<label>${text.newPasswordLabel}<input name="password" type="password" autocomplete="new-password" minlength="10" maxlength="256" required autofocus><small>${text.newPasswordRule}</small></label>
<label>${text.repeatPassword}<input name="repeated" type="password" autocomplete="new-password" maxlength="256" required></label>
<button type="submit">${submit}</button>`;

export function newPasswordPage(context: PageContext & { readonly ticket: string }): string {
  const { text, journey, ticket } = context;
  const hidden = { ...journeyFields(journey), ticket };
  const body = `<p>${text.newPasswordHint}</p>${form("/idp/new-password", hidden, newPasswordFields(context, text.save))}${links(backTo(context))}`;
  return page(context, text.newPassword, body);
}

interface ForgotContext extends PageContext {
  /** False without a mail server, when links wait in the outbox. */
  readonly isMailed: boolean;
}

export function forgotPage(context: ForgotContext & { readonly email: string }): string {
  const { text, journey, email, problem, isMailed } = context;
  const fields = `${alert(problem)}
<label>${text.email}<input name="email" type="email" autocomplete="username" required autofocus value="${escapeHtml(email)}"></label>
<button type="submit">${text.forgotSubmit}</button>`;
  const hint = isMailed
    ? `<p>${text.forgotHint}</p>`
    : `<p>${text.forgotHintWithoutMail}</p><p>${text.forgotHintOwner}<br><code>lineside user reset-password ${escapeHtml(email || "owner@site.example")}</code></p>`;
  const body = `${hint}${form("/idp/forgot", journeyFields(journey), fields)}${links(backTo(context))}`;
  return page(context, text.forgotTitle, body);
}

export function forgotDonePage(context: ForgotContext, minutes: number): string {
  const { text, isMailed } = context;
  const hint = (isMailed ? text.forgotDoneHint : text.forgotDoneHintWithoutMail).replace(
    "{minutes}",
    String(minutes),
  );
  return page(
    context,
    isMailed ? text.forgotDone : text.forgotDoneWithoutMail,
    `<p>${hint}</p>${links(backTo(context))}`,
  );
}

export function resetPage(context: PageContext & { readonly secret: string }): string {
  const { text, journey, secret } = context;
  const hidden = { ui_locales: journey.uiLocales, theme: journey.theme, token: secret };
  const body = form("/idp/reset", hidden, newPasswordFields(context, text.resetSubmit));
  return page(context, text.resetTitle, body);
}

export function resetInvalidPage(context: PageContext): string {
  const { text, journey } = context;
  const again = link(withQuery("/idp/forgot", journeyFields(journey)), text.resetAgain);
  return page(context, text.resetInvalid, `<p>${text.resetInvalidHint}</p>${links(again)}`);
}

/** Renders a page that leads to the console, which starts its own sign-in. */
export function resetDonePage(context: PageContext): string {
  const { text } = context;
  return page(context, text.resetDone, `<p>${text.resetDoneHint}</p>${links(link("/", text.submit))}`);
}

export function emailPage(context: PageContext & { readonly email: string; readonly token: string }): string {
  const { text, journey, email, token } = context;
  const hidden = { ui_locales: journey.uiLocales, theme: journey.theme, token };
  const submit = `<button type="submit" autofocus>${text.emailSubmit}</button>`;
  const hint = `<p>${text.emailHint.replace("{email}", () => escapeHtml(email))}</p>`;
  return page(context, text.emailTitle, hint + form("/idp/email", hidden, alert(context.problem) + submit));
}

export function emailInvalidPage(context: PageContext): string {
  const { text } = context;
  return page(context, text.resetInvalid, `<p>${text.emailInvalidHint}</p>${links(link("/", text.submit))}`);
}

export function emailDonePage(context: PageContext): string {
  const { text } = context;
  return page(context, text.emailDone, `<p>${text.emailDoneHint}</p>${links(link("/", text.submit))}`);
}
