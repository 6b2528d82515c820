import type { DomainError } from "../../../lib/domain-error.ts";
import { preferredLanguage } from "../../../lib/preferred-language.ts";

const english = {
  language: "en",
  title: "Sign in",
  email: "E-mail",
  password: "Password",
  submit: "Sign in",
  ownerless: "No owner yet",
  ownerlessHint:
    "Nobody can sign in before this gateway has an owner. Open the set-up link that its log shows, or make a new one on the gateway with this command:",
  wrong: "E-mail or password is wrong. Check both, and the caps lock key.",
  throttled: "Too many failed sign-ins. Wait {minutes} minutes, then try again.",
};

export type SignInText = Readonly<typeof english>;

const german: SignInText = {
  language: "de",
  title: "Anmelden",
  email: "E-Mail",
  password: "Passwort",
  submit: "Anmelden",
  ownerless: "Noch kein Inhaber",
  ownerlessHint:
    "Niemand kann sich anmelden, bevor dieses Gateway einen Inhaber hat. Öffnen Sie den Einrichtungslink aus seinem Protokoll, oder erzeugen Sie auf dem Gateway mit diesem Befehl einen neuen:",
  wrong: "E-Mail oder Passwort stimmen nicht. Prüfen Sie beides und die Feststelltaste.",
  throttled:
    "Zu viele fehlgeschlagene Anmeldungen. Warten Sie {minutes} Minuten und versuchen Sie es erneut.",
};

export const chooseSignInText = (wanted: string | undefined, accepted: string | null): SignInText =>
  preferredLanguage(wanted, accepted) === "de" ? german : english;

export function signInProblem(text: SignInText, error: DomainError): string {
  if (error.kind === "limited")
    return text.throttled.replace("{minutes}", String(Math.ceil((error.retryAfterSeconds ?? 60) / 60)));
  return error.kind === "unauthenticated" ? text.wrong : error.message;
}
