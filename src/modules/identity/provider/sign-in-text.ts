import type { DomainError } from "../../../lib/domain-error.ts";

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

const PREFERENCES_MAX = 16;

/** The first language that we have: `wanted` (OpenID Connect's `ui_locales`, space-separated), else what the browser accepts (RFC 9110, 12.5.4). */
export function chooseSignInText(wanted: string | undefined, accepted: string | null): SignInText {
  const byWeight = (accepted ?? "")
    .split(",", PREFERENCES_MAX)
    .map((part) => {
      const [tag = "", ...parameters] = part.split(";").map((piece) => piece.trim());
      const weight = Number(parameters.find((text) => text.startsWith("q="))?.slice(2) ?? 1);
      return { tag, weight: Number.isFinite(weight) ? weight : 0 };
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag);
  for (const tag of [...(wanted ?? "").split(" ", PREFERENCES_MAX), ...byWeight]) {
    if (/^de\b/i.test(tag)) return german;
    if (/^en\b/i.test(tag)) return english;
  }
  return english;
}

export function signInProblem(text: SignInText, error: DomainError): string {
  if (error.kind === "limited")
    return text.throttled.replace("{minutes}", String(Math.ceil((error.retryAfterSeconds ?? 60) / 60)));
  return error.kind === "unauthenticated" ? text.wrong : error.message;
}
