import { inEnglish } from "../../lib/core/domain-error.ts";
import { omit } from "../../lib/core/omit.ts";
import { renderIn } from "../../lib/texts/catalogues.ts";
import { iso } from "../../lib/time/iso-time.ts";
import { createMailRepository, type MailRepository } from "../../modules/mail/mail.repository.ts";
import { ensureSendable } from "../../modules/mail/mail.service.ts";
import { MAIL_STATES, type OutboxMail } from "../../modules/mail/mail.types.ts";
import { renderMail } from "../../modules/mail/mail-render.ts";
import { MAIL_SETTINGS, type StoredMailSettings } from "../../modules/mail/mail-settings.ts";
import { createSettingsRepository } from "../../modules/settings/settings.repository.ts";
import { allRows } from "../../platform/database/row-list.ts";
import { StartupError } from "../../platform/process/startup-error.ts";
import { numberOf } from "../arguments.ts";
import { terminalLanguage } from "../terminal-language.ts";
import { type ActionRequest, type ActionResult, printTable, runAction, storeOptions } from "../user-store.ts";

const dataOptions = omit(storeOptions, "tenant");
const options = {
  ...dataOptions,
  state: { type: "string", help: `only emails in this state: ${MAIL_STATES.join(", ").toLowerCase()}` },
  limit: { type: "string", default: "50", help: "number of emails, the newest first" },
} as const;

const USAGE = `lineside outbox <action> [email] [--option …]

  list             List the emails of the gateway, the newest first
  show <email>     Print one email: its ID, or an address for the newest email to it
  retry <email>    Send the email again

The command works on the data directory, also while the gateway runs.`;

interface Request extends Omit<ActionRequest, "store"> {
  readonly mails: MailRepository;
  /** True if a mail server is configured in the console. */
  readonly hasServer: boolean;
}

/** Finds a mail by its id, or the newest one to an address. @throws StartupError */
function mailOf({ mails, args }: Request): OutboxMail {
  const named = args.positionals[1];
  if (named === undefined)
    throw new StartupError(
      'Enter the ID of an email or an email address. "lineside outbox list" shows both.',
    );
  const isAddress = named.includes("@");
  const [newest] = isAddress ? allRows(mails.list("all", { search: named, limit: 1, offset: 0 })) : [];
  const mail = newest ?? mails.find(named);
  if (mail === undefined)
    throw new StartupError(
      `There is no email ${isAddress ? "to " : "with the ID "}${named}. Use lineside outbox list to see all emails.`,
    );
  return mail;
}

const rendered = (mail: OutboxMail) => renderMail(mail, "Lineside");

function toJson(mail: OutboxMail) {
  const { mailId, recipient, state, attempts, lastError, createdAt } = mail;
  const { subject } = rendered(mail);
  return {
    mailId,
    to: recipient,
    subject,
    state,
    attempts,
    ...(lastError !== null && { lastError: inEnglish(lastError), lastErrorText: lastError }),
    createdAt: iso(createdAt),
  };
}

const actions: Record<string, (request: Request) => ActionResult> = {
  list({ mails, args }) {
    const state = MAIL_STATES.find((mailState) => mailState === args.values.state?.toUpperCase());
    if (args.values.state !== undefined && state === undefined)
      throw new StartupError(`--state must be one of ${MAIL_STATES.join(", ").toLowerCase()}.`);
    const limit = numberOf(args.values, "limit", { min: 1, max: 10_000 });
    const found = mails.list("all", { state, limit, offset: 0 });
    const rows = allRows(found).map(toJson);
    return {
      data: rows,
      print() {
        printTable(
          ["MAIL", "CREATED", "STATE", "TO", "SUBJECT"],
          rows.map((row) => [row.mailId, row.createdAt, row.state.toLowerCase(), row.to, row.subject]),
        );
        if (found.total > rows.length) console.log(`… and ${found.total - rows.length} older`);
      },
    };
  },
  show(request) {
    const mail = mailOf(request);
    const { text, html } = rendered(mail);
    const head = toJson(mail);
    return {
      data: { ...head, text, html },
      print() {
        console.log(`To:       ${head.to}\nSubject:  ${head.subject}\nCreated:  ${head.createdAt}`);
        const error = mail.lastError === null ? "" : ` (${renderIn(terminalLanguage(), mail.lastError)})`;
        console.log(`State:    ${head.state.toLowerCase()}${error}\n`);
        console.log(text);
      },
    };
  },
  retry(request) {
    const mail = ensureSendable(mailOf(request));
    if (request.config.smtp_url === undefined && !request.hasServer)
      throw new StartupError(
        "There is no mail server. Set it in the console under Settings → Notifications → Mail server, or as smtp_url (LINESIDE_SMTP_URL).",
      );
    request.mails.update(mail.mailId, { state: "QUEUED", attempts: 0, dueAt: 0 });
    return {
      data: toJson({ ...mail, state: "QUEUED", attempts: 0 }),
      done: {
        tenantId: mail.tenantId,
        action: "mail.retry",
        target: { type: "mail", id: mail.mailId },
        after: { to: mail.recipient },
      },
      print: () => console.log("The gateway sends the mail within 30 seconds, or at its next start."),
    };
  },
};

/** `lineside outbox …`: manages mails on the machine of a gateway without a mail server. */
export function outboxCommand(args: readonly string[]): Promise<number> {
  const run =
    (action: (typeof actions)[string]) =>
    ({ store, ...request }: ActionRequest) => {
      const settings = createSettingsRepository(store.database).read<StoredMailSettings>(MAIL_SETTINGS);
      const hasServer = settings !== undefined && settings.server !== null;
      return action({ ...request, mails: createMailRepository(store.database), hasServer });
    };
  const runs = Object.entries(actions).map(([name, action]) => [name, run(action)] as const);
  return runAction(args, { usage: USAGE, options, actions: Object.fromEntries(runs) });
}
