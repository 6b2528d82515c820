import type { DomainError } from "../../../lib/domain-error.ts";
import { preferredLanguage } from "../../../lib/preferred-language.ts";

const english = {
  language: "en",
  title: "Sign in",
  email: "E-mail",
  password: "Password",
  submit: "Sign in",
  forgot: "Forgot your password?",
  signUp: "Sign up",
  back: "Back to sign-in",
  ownerless: "No owner yet",
  ownerlessHint:
    "Nobody can sign in before this gateway has an owner. Open the set-up link that its log shows, or make a new one on the gateway with this command:",
  wrong: "E-mail or password is wrong. Check both, and the caps lock key.",
  throttled: "Too many failed attempts. Wait {minutes} minutes, then try again.",
  secondFactor: "One more step",
  secondFactorHint:
    "Enter the 6 digits that your authenticator app shows, or one of your recovery codes if you have lost it.",
  secondFactorCode: "Code",
  secondFactorWrong:
    "The code is wrong or was used already. Wait for the next one; check the clock of the phone too.",
  continue: "Continue",
  newPassword: "Set a password",
  newPasswordHint: "You have signed in with a temporary password. Set one that only you know.",
  newPasswordLabel: "New password",
  newPasswordRule: "10 characters or more",
  repeatPassword: "The same again",
  mismatch: "The two passwords differ. Type the new one twice.",
  save: "Save and sign in",
  expired: "This took too long. Sign in again.",
  temporaryExpired:
    "This temporary password is more than 14 days old and no longer works. Ask your administrator to invite you again.",
  forgotTitle: "New password",
  forgotHint: "Enter your e-mail address. If it has an account here, you get a mail with a link.",
  forgotSubmit: "Send the link",
  forgotDone: "Look into your mailbox",
  forgotDoneHint:
    "If the address has an account here, a mail with a link is on its way. It is good for {minutes} minutes. Nothing there? Look among the junk mail, or ask your administrator.",
  forgotTooMany:
    "A mail was asked for a moment ago. Look into your mailbox, or try again in {minutes} minutes.",
  resetTitle: "Set a new password",
  resetSubmit: "Save the password",
  resetInvalid: "Link used or expired",
  resetInvalidHint: "Each link works once and for a short time only. Ask for a new one.",
  resetAgain: "Ask for a new link",
  resetDone: "Password changed",
  resetDoneHint: "Everybody who was signed in with the old password is signed out. Sign in with the new one.",
  external: "Sign in with {name}",
  or: "or with a password of this gateway",
  externalUnreachable:
    "The sign-in service does not answer. Try again, or sign in with a password of this gateway.",
  externalRefused: "The sign-in there did not work. Try again.",
  externalUnverified: "The sign-in service names no verified e-mail address of yours. Ask whoever runs it.",
  externalUnknown: "There is no user with your e-mail address here. Ask an administrator for an invitation.",
  externalDisabled: "Your user is disabled. Ask an administrator of this site to enable it.",
  passwordChanged: "The password was changed meanwhile. Sign in with the new one.",
  passwordShort: "The password must have 10 characters or more.",
  passwordLong: "The password must have 256 characters or fewer.",
  passwordWeak: "This password is too easy to guess.",
  passwordSame: "This is the password that you have had so far. Use another one.",
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
    "Niemand kann sich anmelden, bevor dieses Gateway einen Inhaber hat. Öffnen Sie den Einrichtungslink aus seinem Protokoll, oder erzeugen Sie auf dem Gateway mit diesem Befehl einen neuen:",
  wrong: "E-Mail oder Passwort stimmen nicht. Prüfen Sie beides und die Feststelltaste.",
  throttled: "Zu viele fehlgeschlagene Versuche. Warten Sie {minutes} Minuten und versuchen Sie es erneut.",
  secondFactor: "Noch ein Schritt",
  secondFactorHint:
    "Geben Sie die 6 Ziffern ein, die Ihre Authenticator-App zeigt, oder einen Ihrer Wiederherstellungscodes, falls Sie sie verloren haben.",
  secondFactorCode: "Code",
  secondFactorWrong:
    "Der Code stimmt nicht oder wurde schon benutzt. Warten Sie auf den nächsten; prüfen Sie auch die Uhr des Telefons.",
  continue: "Weiter",
  newPassword: "Passwort wählen",
  newPasswordHint:
    "Sie haben sich mit einem vorläufigen Passwort angemeldet. Wählen Sie eines, das nur Sie kennen.",
  newPasswordLabel: "Neues Passwort",
  newPasswordRule: "10 Zeichen oder mehr",
  repeatPassword: "Noch einmal dasselbe",
  mismatch: "Die beiden Passwörter unterscheiden sich. Geben Sie das neue zweimal ein.",
  save: "Speichern und anmelden",
  expired: "Das hat zu lange gedauert. Melden Sie sich erneut an.",
  temporaryExpired:
    "Dieses vorläufige Passwort ist älter als 14 Tage und gilt nicht mehr. Bitten Sie Ihren Administrator um eine neue Einladung.",
  forgotTitle: "Neues Passwort",
  forgotHint: "Geben Sie Ihre E-Mail-Adresse ein. Gibt es hier ein Konto dafür, bekommen Sie einen Link.",
  forgotSubmit: "Link senden",
  forgotDone: "Sehen Sie in Ihr Postfach",
  forgotDoneHint:
    "Gibt es hier ein Konto für die Adresse, ist eine Nachricht mit einem Link unterwegs. Er gilt {minutes} Minuten. Nichts da? Sehen Sie im Spam-Ordner nach, oder fragen Sie Ihre Administration.",
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
  external: "Anmelden mit {name}",
  or: "oder mit einem Passwort dieses Gateways",
  externalUnreachable:
    "Der Anmeldedienst antwortet nicht. Versuchen Sie es erneut, oder melden Sie sich mit einem Passwort dieses Gateways an.",
  externalRefused: "Die Anmeldung dort hat nicht funktioniert. Versuchen Sie es erneut.",
  externalUnverified:
    "Der Anmeldedienst nennt keine bestätigte E-Mail-Adresse von Ihnen. Fragen Sie, wer ihn betreibt.",
  externalUnknown:
    "Für Ihre E-Mail-Adresse gibt es hier keinen Benutzer. Bitten Sie Ihre Administration um eine Einladung.",
  externalDisabled: "Ihr Benutzer ist gesperrt. Bitten Sie die Administration, ihn zu aktivieren.",
  passwordChanged: "Das Passwort wurde inzwischen geändert. Melden Sie sich mit dem neuen an.",
  passwordShort: "Das Passwort braucht 10 Zeichen oder mehr.",
  passwordLong: "Das Passwort darf höchstens 256 Zeichen haben.",
  passwordWeak: "Dieses Passwort ist zu leicht zu erraten.",
  passwordSame: "Das ist Ihr bisheriges Passwort. Wählen Sie ein anderes.",
};

export const selectHostedText = (wanted: string | undefined, accepted: string | null): HostedText =>
  preferredLanguage(wanted, accepted) === "de" ? german : english;

const minutesOf = ({ retryAfterSeconds = 60 }: DomainError): string =>
  String(Math.ceil(retryAfterSeconds / 60));

/** What a page says of an error. */
export function hostedProblem(text: HostedText, error: DomainError): string {
  const existing: Record<string, string> = {
    "sign_in.wrong": text.wrong,
    "sign_in.expired": text.expired,
    "sign_in.temporary_expired": text.temporaryExpired,
    "second_factor.wrong": text.secondFactorWrong,
    "reset.too_many": text.forgotTooMany.replace("{minutes}", minutesOf(error)),
    "external.unreachable": text.externalUnreachable,
    "external.refused": text.externalRefused,
    "external.unverified": text.externalUnverified,
    "external.unknown": text.externalUnknown,
    "external.disabled": text.externalDisabled,
    "password.changed": text.passwordChanged,
    "password.mismatch": text.mismatch,
    "password.short": text.passwordShort,
    "password.long": text.passwordLong,
    "password.weak": text.passwordWeak,
    "password.same": text.passwordSame,
  };
  const errorText = existing[error.code];
  if (errorText !== undefined) return errorText;
  return error.kind === "limited" ? text.throttled.replace("{minutes}", minutesOf(error)) : error.message;
}
