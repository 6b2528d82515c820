import type { DomainError } from "../../../lib/core/domain-error.ts";
import { preferredLanguage } from "../../../lib/strings/preferred-language.ts";
import { renderIn } from "../../../lib/texts/catalogues.ts";

const english = {
  language: "en",
  title: "Sign in",
  email: "Email",
  password: "Password",
  submit: "Sign in",
  forgot: "Forgot your password?",
  signUp: "Sign up",
  back: "Back to sign-in",
  ownerless: "No owner yet",
  ownerlessHint:
    "Nobody can sign in before this gateway has an owner. Open the setup link in its log, or create a new one on the gateway with this command:",
  wrong: "Email or password is wrong. Check both, and the caps lock key.",
  throttled: "Too many failed attempts. Wait {minutes} minutes, then try again.",
  secondFactor: "One more step",
  secondFactorHint:
    "Enter the 6 digits that your authenticator app shows, or one of your recovery codes if you have lost it.",
  secondFactorCode: "Code",
  continue: "Continue",
  newPassword: "Set a password",
  newPasswordHint: "You have signed in with a temporary password. Set one that only you know.",
  newPasswordLabel: "New password",
  newPasswordRule: "10 characters or more",
  repeatPassword: "The same again",
  save: "Save and sign in",
  expired: "This took too long. Sign in again.",
  forgotTitle: "New password",
  forgotHint: "Enter your email address. If it has an account here, you get an email with a link.",
  forgotSubmit: "Send the link",
  forgotDone: "Look into your mailbox",
  forgotDoneHint:
    "If the address has an account here, an email with a link is on its way. It is good for {minutes} minutes. Nothing there? Look among the junk mail, or ask your administrator.",
  forgotHintWithoutMail:
    "This gateway has no mail server and cannot send you a link. Ask an administrator of your site for a new password, or enter your address: if it has an account here, a link waits under Settings → Outbox, where the owner of the site can read it and pass it on.",
  forgotHintOwner: "Are you the owner? Run this command on the gateway to get a new password:",
  forgotDoneWithoutMail: "Ask the owner of your site",
  forgotDoneHintWithoutMail:
    "This gateway has no mail server, so no email was sent. If the address has an account here, the link waits under Settings → Outbox. Ask the owner of your site for it. It is valid for {minutes} minutes.",
  forgotTooMany:
    "An email was asked for a moment ago. Look into your mailbox, or try again in {minutes} minutes.",
  resetTitle: "Set a new password",
  resetSubmit: "Save the password",
  resetInvalid: "Link used or expired",
  resetInvalidHint: "Each link works once and for a short time only. Ask for a new one.",
  resetAgain: "Ask for a new link",
  resetDone: "Password changed",
  resetDoneHint: "All sessions with the old password end. Sign in with the new one.",
  emailTitle: "Confirm your email address",
  emailHint: "From now on you sign in with {email}.",
  emailSubmit: "Confirm",
  emailInvalidHint: "Each link works once and for a short time only. Start again under Settings → Security.",
  emailDone: "Email address changed",
  emailDoneHint: "Sign in with the new address next time.",
  external: "Sign in with {name}",
  or: "or with a password of this gateway",
};

export type HostedText = Readonly<typeof english>;

const german: HostedText = {
  language: "de",
  title: "Anmelden",
  email: "E-Mail",
  password: "Passwort",
  submit: "Anmelden",
  forgot: "Passwort vergessen?",
  signUp: "Registrieren",
  back: "Zurück zur Anmeldung",
  ownerless: "Noch kein Inhaber",
  ownerlessHint:
    "Niemand kann sich anmelden, bevor dieses Gateway einen Inhaber hat. Öffnen Sie den Einrichtungslink aus seinem Log, oder erzeugen Sie auf dem Gateway mit diesem Befehl einen neuen:",
  wrong: "E-Mail oder Passwort stimmen nicht. Prüfen Sie beides und die Feststelltaste.",
  throttled: "Zu viele fehlgeschlagene Versuche. Warten Sie {minutes} Minuten und versuchen Sie es erneut.",
  secondFactor: "Noch ein Schritt",
  secondFactorHint:
    "Geben Sie die 6 Ziffern ein, die Ihre Authenticator-App zeigt, oder einen Ihrer Wiederherstellungscodes, falls Sie sie verloren haben.",
  secondFactorCode: "Code",
  continue: "Weiter",
  newPassword: "Passwort wählen",
  newPasswordHint:
    "Sie haben sich mit einem vorläufigen Passwort angemeldet. Wählen Sie eines, das nur Sie kennen.",
  newPasswordLabel: "Neues Passwort",
  newPasswordRule: "10 Zeichen oder mehr",
  repeatPassword: "Noch einmal dasselbe",
  save: "Speichern und anmelden",
  expired: "Das hat zu lange gedauert. Melden Sie sich erneut an.",
  forgotTitle: "Neues Passwort",
  forgotHint: "Geben Sie Ihre E-Mail-Adresse ein. Gibt es hier ein Konto dafür, bekommen Sie einen Link.",
  forgotSubmit: "Link senden",
  forgotDone: "Sehen Sie in Ihr Postfach",
  forgotDoneHint:
    "Gibt es hier ein Konto für die Adresse, ist eine Nachricht mit einem Link unterwegs. Er gilt {minutes} Minuten. Nichts da? Sehen Sie im Spam-Ordner nach, oder fragen Sie Ihre Administration.",
  forgotHintWithoutMail:
    "Dieses Gateway hat keinen Mailserver und kann Ihnen keinen Link senden. Bitten Sie eine Administratorin oder einen Administrator Ihres Standorts um ein neues Passwort, oder geben Sie Ihre Adresse ein: Gibt es hier ein Konto dafür, liegt ein Link unter Einstellungen → Postausgang bereit. Dort kann der Inhaber des Standorts ihn lesen und weitergeben.",
  forgotHintOwner: "Sind Sie der Inhaber? Mit diesem Befehl auf dem Gateway bekommen Sie ein neues Passwort:",
  forgotDoneWithoutMail: "Fragen Sie den Inhaber Ihres Standorts",
  forgotDoneHintWithoutMail:
    "Dieses Gateway hat keinen Mailserver, deshalb wurde keine E-Mail gesendet. Gibt es hier ein Konto für die Adresse, liegt der Link unter Einstellungen → Postausgang bereit. Fragen Sie den Inhaber Ihres Standorts danach. Er gilt {minutes} Minuten.",
  forgotTooMany:
    "Gerade wurde schon eine Nachricht angefordert. Sehen Sie in Ihr Postfach, oder versuchen Sie es in {minutes} Minuten erneut.",
  resetTitle: "Neues Passwort wählen",
  resetSubmit: "Passwort speichern",
  resetInvalid: "Link benutzt oder abgelaufen",
  resetInvalidHint: "Jeder Link funktioniert einmal und nur kurze Zeit. Fordern Sie einen neuen an.",
  resetAgain: "Neuen Link anfordern",
  resetDone: "Passwort geändert",
  resetDoneHint:
    "Wer mit dem alten Passwort angemeldet war, ist abgemeldet. Melden Sie sich mit dem neuen an.",
  emailTitle: "E-Mail-Adresse bestätigen",
  emailHint: "Von nun an melden Sie sich mit {email} an.",
  emailSubmit: "Bestätigen",
  emailInvalidHint:
    "Jeder Link funktioniert einmal und nur kurze Zeit. Beginnen Sie erneut unter Einstellungen → Sicherheit.",
  emailDone: "E-Mail-Adresse geändert",
  emailDoneHint: "Melden Sie sich beim nächsten Mal mit der neuen Adresse an.",
  external: "Anmelden mit {name}",
  or: "oder mit einem Passwort dieses Gateways",
};

export const selectHostedText = (wanted: string | undefined, accepted: string | null): HostedText =>
  preferredLanguage(wanted, accepted) === "de" ? german : english;

const minutesOf = ({ retryAfterSeconds = 60 }: DomainError): string =>
  String(Math.ceil(retryAfterSeconds / 60));

/** Texts of pages with more details than the error: how long to wait, and what to check. */
const ownTexts: Readonly<Record<string, (text: HostedText, error: DomainError) => string>> = {
  "sign_in.wrong": (text) => text.wrong,
  "sign_in.expired": (text) => text.expired,
  "reset.too_many": (text, error) => text.forgotTooMany.replace("{minutes}", minutesOf(error)),
};

export function hostedProblem(text: HostedText, error: DomainError): string {
  const own = Object.hasOwn(ownTexts, error.code) ? ownTexts[error.code] : undefined;
  if (own !== undefined) return own(text, error);
  if (error.kind === "limited") return text.throttled.replace("{minutes}", minutesOf(error));
  return renderIn(text.language === "de" ? "de" : "en", error);
}
