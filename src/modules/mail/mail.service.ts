import { conflict, detail, notFound } from "../../lib/core/domain-error.ts";
import { DAY_MS, HOUR_MS } from "../../lib/core/units.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import { newId } from "../../platform/core/ids.ts";
import type { Logger } from "../../platform/core/log.ts";
import { mapRows, type RowPage } from "../../platform/database/row-list.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { createPeriodic } from "../../platform/time/periodic.ts";
import type { DomainEvents } from "../events.types.ts";
import { type MailRepository, targetOf } from "./mail.repository.ts";
import {
  isAlarmTemplate,
  type MailFilter,
  type MailScope,
  type MailTransport,
  type NewMail,
  type OutboxMail,
  type OutgoingMail,
} from "./mail.types.ts";
import { createMailDelivery } from "./mail-delivery.ts";
import { renderMail } from "./mail-render.ts";
import { mailSecrets, REMOVED_SECRET, scrubbed } from "./mail-text.ts";

/** Max. delay in ms until mails queued by the command line are noticed. */
const POLL_INTERVAL_MS = 30_000;
const KEPT_DAYS = 90;
/** Max. kept mails per tenant, and max. mails deleted per pass, so that a clock that jumped ahead does not empty the outbox. */
const PRUNED = { keep: 5_000, limit: 100 };
/** Max. age of mails, held without a server, that are sent once there is one. */
const RELEASED_AGE_MAX_MS = DAY_MS;

export interface OutgoingOutboxMail extends OutboxMail {
  /** Text as sent. */
  readonly content: OutgoingMail;
}

/** Returns the mail. @throws DomainError if it cannot be sent */
export function ensureSendable(mail: OutboxMail | undefined): OutboxMail {
  if (mail === undefined) throw notFound("mail.not_found");
  if (mail.state === "SENT") throw conflict("mail.sent");
  const isSecretGone = (mailSecrets[mail.template]?.fields ?? []).some(
    (field) => mail.values[field] === REMOVED_SECRET,
  );
  if (isSecretGone) throw conflict("mail.secret_gone");
  return mail;
}

/** Releases held mails and those waiting for a retry, if there is a mail server. */
function releaseWaiting({ transport, repository, clock, now, log }: MailServiceDeps): void {
  if (transport() === undefined) return;
  repository.capDueTimes(now() + HOUR_MS);
  const released = repository.release(clock.now() - RELEASED_AGE_MAX_MS, now());
  if (released > 0) log.info("held mails are sent now", { mails: released });
}

interface MailServiceDeps {
  repository: MailRepository;
  /** Returns undefined without an SMTP server. */
  transport: () => MailTransport | undefined;
  /** Returns the name of the gateway shown to users of a tenant. */
  productOf: (tenantId: OutboxMail["tenantId"]) => string;
  events: EventBus<DomainEvents>;
  durable: () => Promise<void>;
  clock: Clock;
  /** Returns the reference time for retention, in epoch ms. */
  retentionTime: () => number;
  /** Returns monotonic epoch ms, so that setting the clock ends no secret and no wait. */
  now: () => number;
  log: Logger;
}

type ReportFailure = (mail: OutboxMail, reason: Text, isFinal: boolean) => void;

/** Returns a function that reports failures. Retries share an entry per reason for all recipients; undeliverable mails name their recipient. */
const failureReporter =
  (events: EventBus<DomainEvents>): ReportFailure =>
  ({ tenantId, recipient }, reason, isFinal) => {
    const id = tenantId ?? "gateway";
    const owned = {
      source: "mail",
      subject: { kind: "outbox", id },
      tenantId: tenantId ?? undefined,
    } as const;
    events.emit(
      "fault.occurred",
      isFinal
        ? { ...detail("fault.mail_failed", { reason }), ...owned, where: recipient }
        : { ...detail("fault.mail_retried", { reason }), ...owned },
    );
  };

/** Removes expired secrets. Unsent mails that contain one fail. */
function expireSecrets(
  { repository, now }: MailServiceDeps,
  { announce, report }: { announce: (mail: OutboxMail) => void; report: ReportFailure },
): void {
  for (const mail of repository.listExpired(now(), 1_000)) {
    const isWaiting = mail.state === "QUEUED" || mail.state === "HELD";
    const lastError = mail.lastError ?? detail("mail_error.expired");
    repository.update(mail.mailId, { ...scrubbed(mail), ...(isWaiting && { state: "FAILED", lastError }) });
    if (!isWaiting) continue;
    announce({ ...mail, state: "FAILED" });
    // Without a mail server, no attempt was made: the mail could be read in the outbox.
    if (mail.state === "QUEUED") report(mail, lastError, true);
  }
}

/** Creates the outbox: mails are stored, sent if there is a server, and readable. */
export function createMailService(deps: MailServiceDeps) {
  const { repository, transport, clock, now, log, events } = deps;
  const render = (mail: OutboxMail) => renderMail(mail, deps.productOf(mail.tenantId));
  const withContent = (mail: OutboxMail): OutgoingOutboxMail => ({
    ...mail,
    dueAt: mail.dueAt - now() + clock.now(), // by the wall clock
    content: render(mail),
  });
  const announce = ({ tenantId, mailId, state }: OutboxMail) =>
    events.emit("mail.changed", { tenantId, mailId, state });

  const report = failureReporter(events);

  const queue = createMailDelivery({
    ...deps,
    render,
    onSettled: announce,
    onFailed: report,
    upkeep() {
      expireSecrets(deps, { announce, report });
      repository.prune({ ...PRUNED, before: deps.retentionTime() - KEPT_DAYS * DAY_MS });
    },
    log: log.child("delivery"),
  });
  const poll = createPeriodic({
    clock,
    log,
    intervalMs: POLL_INTERVAL_MS,
    work: () => queue.reload({ dueBy: now() }),
  });

  return {
    get isDelivering(): boolean {
      return transport() !== undefined;
    },
    enqueue<Mail extends NewMail>({ tenantId, to, language = "en", template, values }: Mail) {
      const lifetimeMs = mailSecrets[template]?.lifetimeMs(values as unknown as Record<string, unknown>); // an interface of plain fields
      const mail: OutboxMail = {
        mailId: newId(),
        tenantId,
        recipient: to,
        language,
        template,
        isAlarm: isAlarmTemplate(template),
        values: { ...values },
        state: transport() === undefined ? "HELD" : "QUEUED",
        attempts: 0,
        dueAt: now(),
        lastError: null,
        secretUntil: lifetimeMs === undefined ? null : now() + lifetimeMs,
        createdAt: clock.now(),
        sentAt: null,
      };
      repository.insert(mail);
      // After the caller's transaction, which is synchronous.
      queueMicrotask(() => announce(mail));
      if (mail.state === "QUEUED") queue.added(targetOf(mail), { orderKey: mail.mailId });
      return mail.mailId;
    },
    list: (scope: MailScope, filter: MailFilter): RowPage<OutgoingOutboxMail> =>
      mapRows(repository.list(scope, filter), withContent),
    /** @throws DomainError `mail.not_found`, also for a mail outside the scope */
    get(scope: MailScope, mailId: string): OutgoingOutboxMail {
      const mail = repository.findIn(scope, mailId);
      if (mail === undefined) throw notFound("mail.not_found");
      return withContent(mail);
    },
    /** Retries the mail now. @throws DomainError for a mail that was sent, or whose secret was removed */
    retry(scope: MailScope, mailId: string): OutgoingOutboxMail {
      const mail = ensureSendable(repository.findIn(scope, mailId));
      if (transport() === undefined) throw conflict("mail.no_server");
      const again = { ...mail, state: "QUEUED", attempts: 0, dueAt: now() } as const;
      repository.update(mailId, { state: "QUEUED", attempts: 0, dueAt: now() });
      announce(again);
      queue.changed(targetOf(mail), { tryNow: false });
      return withContent(again);
    },
    /** Sends waiting mails with the new mail server. */
    serverChanged(): void {
      releaseWaiting(deps);
      queue.reload({ tryNow: true });
    },
    start(): void {
      expireSecrets(deps, { announce, report });
      releaseWaiting(deps);
      queue.start();
      poll.start();
    },
    async stop(): Promise<void> {
      poll.stop();
      await queue.stop();
    },
  };
}

export type MailService = ReturnType<typeof createMailService>;
