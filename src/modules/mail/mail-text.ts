import { renderIn } from "../../lib/texts/catalogues.ts";
import type {
  MailContent,
  MailLanguage,
  MailPart,
  MailTemplate,
  MailTemplates,
  OutboxMail,
} from "./mail.types.ts";
import { type AlarmMails, alarmMails } from "./mail-alarm-text.ts";

/** Replaces removed secrets in links and codes of shown mails. */
export const REMOVED_SECRET = "••••••";

type Catalogue = {
  readonly [Template in MailTemplate]: (values: MailTemplates[Template], product: string) => MailContent;
};

const text = (words: string): MailPart => ({ kind: "text", text: words });
const note = (words: string): MailPart => ({ kind: "note", text: words });
const code = (words: string): MailPart => ({ kind: "code", text: words });
const link = (label: string, url: string): MailPart => ({ kind: "link", label, url });

/**
 * Returns whether a name contains nothing that looks like an address or advertising: users choose their names at sign-up, and the mail goes to any
 * address.
 */
const isPlainName = (name: string): boolean =>
  name !== "" && name.length <= 60 && !/[/:@<>]|\w\.\w/.test(name);
const plainName = (name: string): string => (isPlainName(name.trim()) ? name.trim() : "");
const greet = (hello: string, name: string): MailPart =>
  text(plainName(name) === "" ? `${hello},` : `${hello} ${plainName(name)},`);

const time = (language: MailLanguage, iso: string): string =>
  `${new Intl.DateTimeFormat(language === "de" ? "de-DE" : "en-GB", {
    dateStyle: "long",
    timeStyle: "short",
    timeZone: "UTC",
  }).format(new Date(iso))} UTC`;

type AccountMails = Omit<Catalogue, keyof AlarmMails>;

const english: AccountMails = {
  mail_test: (_, product) => ({
    subject: `${product}: test mail`,
    parts: [text("Hello,"), text("this is a test mail of the gateway. Its mail server works.")],
  }),
  gateway_problem: ({ fullName, problems, at }, product) => ({
    subject: `${product}: the gateway reports a problem`,
    parts: [
      greet("Hello", fullName),
      text(`since ${time("en", at)} the gateway has reported:`),
      ...problems.map((problem) => text(renderIn("en", problem))),
      note("The System page in the settings shows the present state."),
    ],
  }),
  sign_up_code: ({ fullName, code: digits, minutes }, product) => ({
    subject: `Your ${product} code`,
    parts: [
      greet("Hello", fullName),
      text(`enter this code to confirm your email address. It is good for ${minutes} minutes.`),
      code(digits),
      note("You did not sign up? Then ignore this mail: without the code nothing happens."),
    ],
  }),
  sign_up_known: ({ signInUrl }, product) => ({
    subject: `You have a ${product} account already`,
    parts: [
      text("Hello,"),
      text("somebody, probably you, has just signed up with this address, which has an account already."),
      link("Sign in", signInUrl),
      note("It was not you? Then ignore this mail: nothing has changed."),
    ],
  }),
  invitation: ({ fullName, tenantName, invitedBy, loginUrl, temporaryPassword }, product) => ({
    subject: `${invitedBy} invites you to ${plainName(tenantName) || product}`,
    parts: [
      greet("Hello", fullName),
      text(
        `${invitedBy} has made an account for you${plainName(tenantName) === "" ? "" : ` at ${plainName(tenantName)}`}.`,
      ),
      link("Sign in", loginUrl),
      text("Your temporary password:"),
      code(temporaryPassword),
      note(
        "It is good for 14 days. You will be asked to set a password of your own when you sign in for the first time.",
      ),
    ],
  }),
  password_reset: ({ resetUrl, minutes }, product) => ({
    subject: `Choose a new ${product} password`,
    parts: [
      text("Hello,"),
      text(`with this link you set a new password. It works once and is good for ${minutes} minutes.`),
      link("Set a new password", resetUrl),
      note("You did not ask for it? Then ignore this mail: your password stays as it is."),
    ],
  }),
  password_changed: ({ fullName, at }, product) => ({
    subject: `Your ${product} password was changed`,
    parts: [
      greet("Hello", fullName),
      text(`your password was changed on ${time("en", at)}.`),
      note("It was not you? Tell your administrator immediately."),
    ],
  }),
  email_changed: ({ fullName, at }, product) => ({
    subject: `Your ${product} email address was changed`,
    parts: [
      greet("Hello", fullName),
      text(
        `your account has had another email address since ${time("en", at)}. This one no longer signs in.`,
      ),
      note("You did not expect that? Tell your administrator immediately."),
    ],
  }),
  email_new: ({ fullName, at }, product) => ({
    subject: `Your new email address for ${product}`,
    parts: [
      greet("Hello", fullName),
      text(`your account has had this email address since ${time("en", at)}. Sign in with it from now on.`),
      note("This account is not yours? Ignore this mail."),
    ],
  }),
  email_confirm: ({ confirmUrl, minutes }, product) => ({
    subject: `Confirm your email address for ${product}`,
    parts: [
      text("Hello,"),
      text(
        `open this link to confirm that you want to sign in with this address. The link is valid for ${minutes} minutes.`,
      ),
      link("Confirm the address", confirmUrl),
      note("You did not request this change? Ignore this mail: nothing changes."),
    ],
  }),
};

const german: AccountMails = {
  mail_test: (_, product) => ({
    subject: `${product}: Testmail`,
    parts: [text("Guten Tag,"), text("dies ist eine Testmail des Gateways. Sein Mailserver funktioniert.")],
  }),
  gateway_problem: ({ fullName, problems, at }, product) => ({
    subject: `${product}: Das Gateway meldet ein Problem`,
    parts: [
      greet("Guten Tag", fullName),
      text(`das Gateway meldet seit dem ${time("de", at)}:`),
      ...problems.map((problem) => text(renderIn("de", problem))),
      note("Die Seite „System“ in den Einstellungen zeigt den jetzigen Zustand."),
    ],
  }),
  sign_up_code: ({ fullName, code: digits, minutes }, product) => ({
    subject: `Ihr Code für ${product}`,
    parts: [
      greet("Guten Tag", fullName),
      text(`mit diesem Code bestätigen Sie Ihre E-Mail-Adresse. Er gilt ${minutes} Minuten.`),
      code(digits),
      note(
        "Sie haben sich nicht registriert? Dann ignorieren Sie diese Nachricht; ohne den Code passiert nichts.",
      ),
    ],
  }),
  sign_up_known: ({ signInUrl }, product) => ({
    subject: `Sie haben bereits ein Konto bei ${product}`,
    parts: [
      text("Guten Tag,"),
      text(
        "jemand, vermutlich Sie, hat sich gerade mit dieser Adresse registriert. Für sie gibt es bereits ein Konto.",
      ),
      link("Anmelden", signInUrl),
      note("Sie waren es nicht? Dann ignorieren Sie diese Nachricht; es hat sich nichts geändert."),
    ],
  }),
  invitation: ({ fullName, tenantName, invitedBy, loginUrl, temporaryPassword }, product) => ({
    subject: `${invitedBy} lädt Sie zu ${plainName(tenantName) || product} ein`,
    parts: [
      greet("Guten Tag", fullName),
      text(
        `${invitedBy} hat ein Konto für Sie angelegt${plainName(tenantName) === "" ? "" : ` (${plainName(tenantName)})`}.`,
      ),
      link("Anmelden", loginUrl),
      text("Ihr vorläufiges Passwort:"),
      code(temporaryPassword),
      note("Es gilt 14 Tage. Bei der ersten Anmeldung werden Sie gebeten, ein eigenes Passwort zu wählen."),
    ],
  }),
  password_reset: ({ resetUrl, minutes }, product) => ({
    subject: `Neues Passwort für ${product} wählen`,
    parts: [
      text("Guten Tag,"),
      text(
        `mit diesem Link wählen Sie ein neues Passwort. Er funktioniert einmal und gilt ${minutes} Minuten.`,
      ),
      link("Neues Passwort wählen", resetUrl),
      note("Sie haben das nicht angefordert? Dann ignorieren Sie diese Nachricht; Ihr Passwort bleibt."),
    ],
  }),
  password_changed: ({ fullName, at }, product) => ({
    subject: `Ihr Passwort für ${product} wurde geändert`,
    parts: [
      greet("Guten Tag", fullName),
      text(`Ihr Passwort wurde am ${time("de", at)} geändert.`),
      note("Sie waren es nicht? Dann sagen Sie sofort Ihrer Administration Bescheid."),
    ],
  }),
  email_changed: ({ fullName, at }, product) => ({
    subject: `Ihre E-Mail-Adresse für ${product} wurde geändert`,
    parts: [
      greet("Guten Tag", fullName),
      text(
        `Ihr Konto hat seit ${time("de", at)} eine andere E-Mail-Adresse. Mit dieser hier geht die Anmeldung nicht mehr.`,
      ),
      note("Sie haben das nicht erwartet? Dann sagen Sie sofort Ihrer Administration Bescheid."),
    ],
  }),
  email_new: ({ fullName, at }, product) => ({
    subject: `Ihre neue E-Mail-Adresse für ${product}`,
    parts: [
      greet("Guten Tag", fullName),
      text(
        `Ihr Konto hat seit ${time("de", at)} diese E-Mail-Adresse. Melden Sie sich von nun an mit ihr an.`,
      ),
      note("Das ist nicht Ihr Konto? Dann ignorieren Sie diese Mail."),
    ],
  }),
  email_confirm: ({ confirmUrl, minutes }, product) => ({
    subject: `Bestätigen Sie Ihre E-Mail-Adresse für ${product}`,
    parts: [
      text("Guten Tag,"),
      text(
        `bestätigen Sie mit diesem Link, dass Sie sich mit dieser Adresse anmelden wollen. Der Link gilt ${minutes} Minuten.`,
      ),
      link("Adresse bestätigen", confirmUrl),
      note(
        "Sie haben diese Änderung nicht angefordert? Dann ignorieren Sie diese Mail: Es ändert sich nichts.",
      ),
    ],
  }),
};

const catalogues: Record<MailLanguage, Catalogue> = {
  en: { ...english, ...alarmMails("en") },
  de: { ...german, ...alarmMails("de") },
};

/** Returns the text of a mail. `product`: name of the gateway. */
export function mailContent(mail: {
  readonly template: MailTemplate;
  readonly language: MailLanguage;
  readonly values: Readonly<Record<string, unknown>>;
  readonly product: string;
}): MailContent {
  const write = catalogues[mail.language][mail.template] as (values: unknown, product: string) => MailContent; // a row's values were taken in with its template
  return write(mail.values, mail.product);
}

interface Secret {
  readonly fields: readonly string[];
  lifetimeMs(values: Readonly<Record<string, unknown>>): number;
}

const INVITATION_LIFETIME_MS = 14 * 86_400_000;

/** Secret values of mails, and how long they are kept at most. */
export const mailSecrets: { readonly [Template in MailTemplate]?: Secret } = {
  sign_up_code: { fields: ["code"], lifetimeMs: ({ minutes }) => Number(minutes) * 60_000 },
  email_confirm: { fields: ["confirmUrl"], lifetimeMs: ({ minutes }) => Number(minutes) * 60_000 },
  password_reset: { fields: ["resetUrl"], lifetimeMs: ({ minutes }) => Number(minutes) * 60_000 },
  invitation: { fields: ["temporaryPassword"], lifetimeMs: () => INVITATION_LIFETIME_MS },
};

/** Returns the fields of a mail that change when its secrets are removed. */
export function scrubbed({ template, values }: OutboxMail): Pick<OutboxMail, "values" | "secretUntil"> {
  const hidden = (mailSecrets[template]?.fields ?? []).map((field) => [field, REMOVED_SECRET]);
  return { values: { ...values, ...Object.fromEntries(hidden) }, secretUntil: null };
}
